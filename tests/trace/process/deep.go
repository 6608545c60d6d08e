// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A Go program that calls what is asked about, as often as lines come.
package main

import "C"
import (
	"bufio"
	"fmt"
	"os"
)

type Box struct{ n int }

//go:noinline
func (b *Box) put(n int) { b.n += n }

//go:noinline
func deep(b *Box, depth int) int {
	var kept [7]int
	for i := range kept {
		kept[i] = depth + i
	}
	if depth == 0 {
		b.put(5)
		return b.n
	}
	return deep(b, depth-1) + kept[b.n%7]
}

func main() {
	b, lines := &Box{}, bufio.NewScanner(os.Stdin)
	fmt.Println("ready")
	for lines.Scan() {
		sum := make(chan int)
		go func() { sum <- deep(b, 20) }()
		fmt.Println("done", <-sum)
	}
}
