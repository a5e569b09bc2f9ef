package main

import (
	"fmt"
	"sync"
)

func main() {
	squares := make([]int, 5)
	var wait sync.WaitGroup
	for i := range squares {
		wait.Add(1)
		go func(i int) {
			defer wait.Done()
			squares[i] = i * i
		}(i)
	}
	wait.Wait()
	fmt.Println(squares)
}
