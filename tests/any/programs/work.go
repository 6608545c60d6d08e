// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// work.go - as work.c, without a C library.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

var counter uint64

//go:noinline
func work(n int) int {
	counter++
	return n*3 + 1
}

func main() {
	var calls, wrong uint64
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	for {
		select {
		case <-term:
			fmt.Println(calls, counter, wrong)
			os.Exit(0)
		default:
		}
		n := int(calls % 7)
		if work(n) != n*3+1 {
			wrong++
		}
		calls++
		if len(os.Args) == 1 {
			time.Sleep(time.Millisecond)
		} else if calls == 200 {
			fmt.Println(calls, counter, wrong)
			return
		}
	}
}
