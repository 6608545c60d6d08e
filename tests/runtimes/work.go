// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Stacks that grow from next to nothing, faults that are recovered from, C code,
// garbage and children, until the file that is named is gone.
package main

// #include <stdlib.h>
import "C"
import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
)

//go:noinline
func leaf(x uint64) uint64 { return x*3 + 1 }

//go:noinline
func deep(n int, seed uint64) bool {
	var kept [9]uint64
	for i := range kept {
		kept[i] = seed + uint64(i)
	}
	ok := leaf(seed) == seed*3+1
	if n > 0 {
		ok = deep(n-1, seed*7+1) && ok
	}
	for i := range kept {
		ok = ok && kept[i] == seed+uint64(i)
	}
	return ok
}

func recovers() (ok bool) {
	defer func() { ok = recover() != nil }()
	var nowhere *int
	*nowhere = 1
	return false
}

func going() bool { _, err := os.Stat(os.Args[1]); return err == nil }

func main() {
	var wrong, done int64
	check := func(ok bool) {
		if !ok {
			atomic.AddInt64(&wrong, 1)
		}
	}
	fmt.Println("ready")
	for going() {
		var wait sync.WaitGroup
		for i := 0; i < 50; i++ {
			wait.Add(1)
			go func(i int) {
				defer wait.Done()
				check(deep(i, uint64(i)) && recovers())
				C.free(C.malloc(100))
			}(i)
		}
		wait.Wait()
		runtime.GC()
		if done++; done%20 == 0 {
			check(exec.Command("/bin/true").Run() == nil)
		}
	}
	fmt.Println("done", wrong == 0 && done > 0)
}
