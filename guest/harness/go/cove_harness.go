// The main of a harnessed Go program, which provides run: a function of one argument that gives a value,
// or a value and an error. Argument and value may be of any type that encoding/json knows. The packages
// have names of their own here, since the program may declare something that is called reflect.
package main

import (
	coveBytes "bytes"
	coveJSON "encoding/json"
	coveFmt "fmt"
	coveOS "os"
	covePath "path/filepath"
	coveReflect "reflect"
	coveRuntime "runtime"
)

func coveFail(words ...interface{}) {
	coveFmt.Fprintln(coveOS.Stderr, words...)
	coveOS.Exit(1)
}

// A function of one argument that gives a value, or a value and an error.
func coveFits(kind coveReflect.Type) bool {
	if kind.Kind() != coveReflect.Func || kind.NumIn() != 1 || kind.IsVariadic() {
		return false
	}
	failure := coveReflect.TypeOf((*error)(nil)).Elem()
	switch kind.NumOut() {
	case 1:
		return kind.Out(0) != failure
	case 2:
		return kind.Out(1).Implements(failure)
	}
	return false
}

func coveCheck(function coveReflect.Value) {
	if coveFits(function.Type()) {
		return
	}
	place := ""
	if function.Kind() == coveReflect.Func {
		file, line := coveRuntime.FuncForPC(function.Pointer()).FileLine(function.Pointer())
		place = coveFmt.Sprintf("%s:%d: ", covePath.Base(file), line)
	}
	coveFail(place + "the harness cannot call this `run`: it must be `func run(input T) U` or " +
		"`func run(input T) (U, error)`")
}

// A number of no certain type is a float64, as encoding/json has it, unless that would lose digits: an
// integer beyond 2^53 is an int64 or a uint64.
func coveNumber(text coveJSON.Number) interface{} {
	const exact = 1 << 53
	var small int64
	if coveJSON.Unmarshal([]byte(text), &small) == nil && (small < -exact || small > exact) {
		return small
	}
	var large uint64
	if coveJSON.Unmarshal([]byte(text), &large) == nil && large > exact {
		return large
	}
	real, _ := text.Float64()
	return real
}

// Gives a type to the numbers that have none.
func coveSettle(value coveReflect.Value) {
	if value.CanAddr() && value.Addr().CanInterface() {
		if _, decodesItself := value.Addr().Interface().(coveJSON.Unmarshaler); decodesItself {
			return
		}
	}
	switch value.Kind() {
	case coveReflect.Interface:
		if number, is := value.Interface().(coveJSON.Number); is {
			value.Set(coveReflect.ValueOf(coveNumber(number)))
		} else if !value.IsNil() {
			coveSettle(value.Elem())
		}
	case coveReflect.Ptr:
		if !value.IsNil() {
			coveSettle(value.Elem())
		}
	case coveReflect.Struct:
		for i := 0; i < value.NumField(); i++ {
			if value.Field(i).CanSet() {
				coveSettle(value.Field(i))
			}
		}
	case coveReflect.Slice, coveReflect.Array:
		for i := 0; i < value.Len(); i++ {
			coveSettle(value.Index(i))
		}
	case coveReflect.Map:
		for _, key := range value.MapKeys() {
			item := coveReflect.New(value.Type().Elem()).Elem()
			item.Set(value.MapIndex(key))
			coveSettle(item)
			value.SetMapIndex(key, item)
		}
	}
}

func coveInput(program string, kind coveReflect.Type) coveReflect.Value {
	text, err := coveOS.ReadFile(covePath.Join(covePath.Dir(program), "input.json"))
	if err != nil {
		coveFail(err)
	}
	input := coveReflect.New(kind)
	decoder := coveJSON.NewDecoder(coveBytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(input.Interface()); err != nil {
		coveFail("the input does not fit the argument of run:", err)
	}
	coveSettle(input.Elem())
	return input.Elem()
}

func main() {
	program := coveOS.Args[1]
	coveOS.Args = append(coveOS.Args[:1:1], coveOS.Args[2:]...)
	function := coveReflect.ValueOf(run)
	coveCheck(function)
	values := function.Call([]coveReflect.Value{coveInput(program, function.Type().In(0))})
	if function.Type().NumOut() == 2 {
		if err, failed := values[1].Interface().(error); failed && err != nil {
			coveFail(err)
		}
	}
	output, err := coveJSON.Marshal(values[0].Interface())
	if err != nil {
		coveFail("run(input) returned a value that JSON cannot express:", err)
	}
	// Always on a line of its own: what is in front of that newline is what the program printed.
	coveFmt.Printf("\n%s\n", output)
}
