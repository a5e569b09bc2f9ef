// The main of a harnessed Go program, which provides run: a function of one argument that gives a value,
// or a value and an error. Argument and value may be of any type that encoding/json knows.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
)

func coveFail(words ...interface{}) {
	fmt.Fprintln(os.Stderr, words...)
	os.Exit(1)
}

func main() {
	program := os.Args[1]
	os.Args = append(os.Args[:1:1], os.Args[2:]...)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(program), "input.json"))
	if err != nil {
		coveFail(err)
	}
	function := reflect.ValueOf(run)
	kind := function.Type()
	if kind.NumIn() != 1 || kind.NumOut() < 1 || kind.NumOut() > 2 {
		coveFail("run must take one argument, and give a value or a value and an error")
	}
	input := reflect.New(kind.In(0))
	if err := json.Unmarshal(text, input.Interface()); err != nil {
		coveFail("the input does not fit the argument of run:", err)
	}
	values := function.Call([]reflect.Value{input.Elem()})
	if len(values) == 2 {
		if err, failed := values[1].Interface().(error); failed && err != nil {
			coveFail(err)
		}
	}
	output, err := json.Marshal(values[0].Interface())
	if err != nil {
		coveFail("run(input) returned a value that JSON cannot express:", err)
	}
	fmt.Printf("\n%s\n", output)
}
