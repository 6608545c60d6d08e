// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// idle.go - as idle.c, without a C library.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

var counter uint64

//go:noinline
func work(n int) int {
	counter++
	return n*3 + 1
}

func idle(way string) {
	for {
		work(1)
		switch way {
		case "sleep":
			time.Sleep(20 * time.Millisecond)
		case "yield":
			runtime.Gosched()
		case "computing":
			for i := 0; i < 3000; i++ {
				work(i)
			}
		}
	}
}

func main() {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	for i := 0; i < 3; i++ {
		go idle(os.Args[1])
	}
	<-term
	fmt.Println(0)
}
