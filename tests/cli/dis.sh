# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kprobes dis: instructions, verdicts, what is patched and what would be.
cat >f.S <<'END'
	.globl f
	.type f, @function
	.type trap, @function
f:	endbr64
	push %rbp
	call trap
	movabs $0x1122334455667788, %rax
	pop %rbp
	ret
	.size f, . - f
trap:	ud2
	ret
	.size trap, . - trap
	.section .note.GNU-stack, "", @progbits
END
gcc -shared -nostdlib -o f.so f.S

expect "a function" status 0 kprobes dis f -b f.so
expect "... with its name and size" says "^f .*, 22 bytes"
expect "... a long instruction can become a jump" says "^j .*48 b8 88 77 66 55 44 33 22 11 +mov"
expect "... a call names its target" says "call.*# trap"
expect "what cannot be probed" status 0 kprobes dis trap -b f.so
expect "... and why" says "^x .*0f 0b +ud2 +; ."
expect "--plan" status 0 kprobes dis f -b f.so --plan
expect "... a breakpoint, then a jump" says "plan: cc, then e9 \?\? \?\? \?\? \?\?"
expect "a place inside it" status 0 kprobes dis f+0x5 -b f.so
expect "a place behind it" status 3 kprobes dis f+0x500 -b f.so
expect "... is said" says "has only 0x16 bytes"
expect "not a number" status 1 kprobes dis f+x -b f.so
expect "no such function" status 3 kprobes dis nosuch -b f.so
expect "--json" status 0 kprobes dis f -b f.so --json
expect "... all of it" json 'd["name"] == "f" and len(d["instructions"]) == 6 and d["instructions"][2]["target"] == "trap" and d["instructions"][1]["bytes"] == "55"'

# Every instruction of a library, against objdump.
libc=$(ldconfig -p | awk '$1 == "libc.so.6" && /x86-64/ { print $NF; exit }')
kprobes dis qsort_r -b "$libc" --json >qsort.json
expect "boundaries are objdump's" python3 - qsort.json "$libc" <<'END'
import json, re, subprocess, sys
d = json.load(open(sys.argv[1]))
start, size = int(d["address"], 16), d["size"]
text = subprocess.run(["objdump", "-d", f"--start-address={start}",
                       f"--stop-address={start + size}", sys.argv[2]],
                      capture_output=True, text=True).stdout
theirs = [int(m[1], 16) for m in re.finditer(r"^ +([0-9a-f]+):\t(?:[0-9a-f]{2} )+ *\t", text, re.M)]
ours = [int(i["address"], 16) for i in d["instructions"]]
print(len(ours), len(theirs), sorted(set(ours) ^ set(theirs))[:5])
sys.exit(ours != theirs or len(ours) < 50)
END

# A patched process: the breakpoint or the jump is shown, and the original.
gcc -O1 -g -o victim "$root/tests/samples/victim.c" 2>/dev/null || gcc -O1 -g -o victim "$here/inlined.c"
gcc -O2 -g -o plain "$here/inlined.c"
make -s -C "$root/samples" OUT="$PWD" KPROBES="$root" >/dev/null 2>&1
LD_PRELOAD=$build/libkprobes.so KPROBES_LOAD="$PWD/hotspots.so probes=two_copies" ./plain work 2>log &
pid=$!
trap "kill $pid" EXIT
wait_for grep -q "probes are on" log
sleep 0.5
expect "a probed process" status 0 kprobes dis two_copies -p $pid
expect "... shows what stands there now" says "now: (cc|[0-9a-f ]*e9) "
expect "... and what stood there" says "^[jb] .*lea"
expect "... in JSON too" status 0 kprobes dis two_copies -p $pid --json
expect "... once" json 'sum("now" in i for i in d["instructions"]) >= 1 and "now" in d["instructions"][0]'
expect "... verdicts are those of the original" json 'all(i["probeable"] for i in d["instructions"])'
