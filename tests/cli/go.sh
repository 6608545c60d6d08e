# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kprobes funcs and load: Go's functions without symbols, by Go's own table.
named() { # NAME SIZE FILE
	status 0 kprobes funcs "$1" -b "$3" --json &&
		json "[(f['name'], f['size']) for f in d] == [('$1', $2)]"
}
for version in 2 16 18 20; do
	file=go1.$version
	gcc -nostdlib -static -s -DGO=$version -o $file "$here/gopclntab.S"
	expect "Go 1.$version: a function" named main.work 3 $file
	expect "... and another, without what fills up" named 'main.(*Box[int]).put' 2 $file
	expect "... its code" status 0 kprobes dis main.work -b $file
	expect "... is what the table says" says 'main.work at 0x[0-9a-f]+, 3 bytes'
	gcc -nostdlib -static-pie -s -DPIE -DGO=$version -o $file.pie "$here/gopclntab.S"
	expect "... also where its addresses are relocated" named main.work 3 $file.pie
done

# What Go itself makes.
cat >box.go <<'END'
package main

import "C"
import (
	"fmt"
	"os"
	"time"
)

type Box struct{ n int }

//go:noinline
func (b *Box) put(n int) { b.n += n }

func main() {
	b := &Box{}
	fmt.Println("ready")
	for _, err := os.Stat(os.Args[1]); err == nil; _, err = os.Stat(os.Args[1]) {
		b.put(1)
		time.Sleep(time.Millisecond)
	}
}
END
export GOCACHE=$build/tests/go
go build -o box.full box.go
go build -ldflags '-s -w' -o box box.go
go build -ldflags '-s -w -linkmode=external' -buildmode=pie -o box.pie box.go
cat >same.py <<'END'
"""Is what the table says of each function what the symbols say?"""
import json
import subprocess
import sys


def functions(file):
    text = subprocess.check_output(["kprobes", "funcs", "*", "-b", file, "--json"])
    return {f["address"]: f for f in json.loads(text) if ".." not in f["name"]}


full, bare = functions("box.full"), functions("box")
both = [(full[at], bare[at]) for at in bare if at in full]
wrong = [(a["name"], b["name"], a["size"], b["size"]) for a, b in both
         if a["name"].removesuffix(".abi0") != b["name"] or a["size"] != b["size"]]
# What begins the text, and assembler code, have other names, too.
sys.exit(f"{len(both)} {wrong[:20]}" if len(both) < 1000 or len(wrong) > 5 else 0)
END
expect "all functions of a Go program are those that its symbols say" python3 same.py
expect "where the linker has put the table among other data" status 0 kprobes funcs 'main.(?Box).put' -b box.pie
expect "... it is found" says 'main\.\(\*Box\)\.put'
make -s -C "$root/samples" OUT="$PWD" KPROBES="$root" >/dev/null 2>&1
touch going
for file in box box.pie; do
	./$file going >$file.ready &
	pid=$!
	trap "kill $pid" EXIT
	wait_for grep -q ready $file.ready
	expect "$file: a probe by a name that only the table has" status 0 \
		kprobes load "$PWD/hotspots.so" 'probes=main.(*Box).put' -p $pid
	expect "... has that name in the list" sh -c "kprobes list -p $pid | grep -F 'main.(*Box).put+0x0'"
	hit() { kprobes unload -a -p $pid 2>&1 | grep -E ' main\.\(\*Box\)\.put\+0x0/0x[0-9a-f]+ +[1-9]'; }
	sleep 0.3
	expect "... and is hit" hit
	expect "... the program goes on" kill -0 $pid
	kill $pid
	wait $pid 2>/dev/null || true
done
trap - EXIT
