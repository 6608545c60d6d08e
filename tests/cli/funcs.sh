# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# kprobes funcs: functions of files and processes, by symbols, debug files and
# unwind entries, and inlined copies.
gcc -g -O2 -o plain "$here/inlined.c"
gcc -g -O2 -flto -o lto "$here/inlined.c" 2>/dev/null
gcc -g -O2 -no-pie -o fixed "$here/inlined.c"
where=$(nm plain | awk '$3 == "two_copies" { print $1 }')

expect "a function by name" status 0 kprobes funcs two_copies -b plain
expect "... its address, size and points" says "^$where +[0-9]+ +([0-9]+)/\1  jump  +two_copies"
expect "a pattern" status 0 kprobes funcs '*_cop*' -b plain --json
expect "... finds both" json '[f["name"] for f in d] == ["one_copy", "two_copies"]'
expect "... with all fields" json 'all(f["probeable"] and f["optimizable"] and f["why_not"] is None and f["size"] > 5 and f["instructions"] == f["probeable_instructions"] for f in d)'
expect "a pattern that nothing matches" status 3 kprobes funcs 'nosuch*' -b plain
expect "... says so" says "no function matches"
expect "a word that is no function" status 3 kprobes funcs copies -b plain
expect "... says how to find more" says "\\*copies\\*"
expect "no file" status 3 kprobes funcs x -b nothing
expect "... is said" says "nothing: No such file"
echo text >text
expect "no ELF file" status 1 kprobes funcs x -b text
expect "... is said" says "text: not an ELF file"
printf '\177ELF\002\001\001' >short
expect "a cut-off ELF file" status 1 kprobes funcs x -b short
expect "-b and -p together" status 2 kprobes funcs x -b plain -p $$
expect "a process that is not there" status 3 kprobes funcs x -p 4194304
expect "an option that is not there" status 2 kprobes funcs x --plan

# Debugging information elsewhere.
id=$(readelf -n plain | sed -n 's/.*Build ID: //p')
cp plain stripped
objcopy --only-keep-debug plain apart
strip stripped
expect "without symbols, by unwind entries" status 0 kprobes funcs '*' -b stripped
expect "... named by object and offset" says "stripped\\+0x$(printf %x 0x$where)"
expect "no inlined copies without debugging information" status 1 kprobes funcs --inlined twice -b stripped
expect "... says what to do" says "KPROBES_DEBUG_DIR"
cp stripped linked
objcopy --add-gnu-debuglink=apart linked
expect "a debug file beside it" status 0 kprobes funcs two_copies -b linked
cp apart apart.kept
gcc -g -O1 -o another "$here/inlined.c"
objcopy --only-keep-debug another apart
expect "a debug file of another build is not believed" status 3 kprobes funcs two_copies -b linked
mv apart.kept apart
gcc -g -O2 -c -o object.o "$here/inlined.c"
expect "a file that is not linked, as kernel modules are" status 0 kprobes funcs two_copies -b object.o
mkdir -p "debug/.build-id/${id:0:2}"
mv apart "debug/.build-id/${id:0:2}/${id:2}.debug"
export KPROBES_DEBUG_DIR=$PWD/debug
expect "a debug file by build-id" status 0 kprobes funcs two_copies -b stripped
expect "... and its inlined copies" status 0 kprobes funcs --inlined twice -b stripped --json
expect "... three of them" json 'len(d) == 3'
unset KPROBES_DEBUG_DIR
# Formats of debugging information; what is compressed; copies in other units.
gcc -gdwarf-4 -O2 -o dwarf4 "$here/inlined.c"
gcc -g -gz -O2 -o compressed "$here/inlined.c"
gcc -g -O2 -static-pie -o static "$here/inlined.c"

for file in plain lto fixed dwarf4 compressed static; do
	expect "L11 $file: inlined copies" status 0 kprobes funcs --inlined twice -b $file --json
	expect "... three, inside functions" json 'len(d) == 3 and all("+0x" in c["function"] for c in d)'
	expect "... at the instruction that is theirs" json \
		"all(__import__('subprocess').run(['kprobes', 'dis', c['function'].split('+')[0], '-b', '$file'], capture_output=True, text=True).stdout.find('%016x' % int(c['address'], 16)) > 0 for c in d)"
	expect "... with their calls in the source" json 'all(c["file"].endswith("inlined.c") and c["line"] in (19, 24) for c in d)'
	expect "... and ranges" json 'all(c["ranges"] and any(int(r[0], 16) <= int(c["address"], 16) < int(r[1], 16) for r in c["ranges"]) for c in d)'
done
expect "a function that is not inlined" status 3 kprobes funcs --inlined main -b plain

# A process.
./plain work &
pid=$!
trap "kill $pid" EXIT
wait_for grep -q /plain /proc/$pid/maps
expect "a process's own function" status 0 kprobes funcs two_copies -p $pid --json
expect "... is where it was loaded" json "int(d[0]['address'], 16) % 4096 == 0x$where % 4096 and int(d[0]['address'], 16) > 0x10000"
expect "its library's" status 0 kprobes funcs 'libc:usleep' -p $pid
expect "... with its owner" says "usleep \\[libc.so.6\\]"
expect "an indirect function says so" status 0 kprobes funcs 'libc:strlen' -p $pid
expect "... in words" says "indirect"
expect "the vdso cannot be probed" status 0 kprobes funcs '*clock_gettime' -p $pid
expect "... and says why" says "no .*vdso belongs to the kernel"

# L11: a probe in each of them, in a process without symbols.
make -s -C "$root/samples" OUT="$PWD" KPROBES="$root" >/dev/null 2>&1
export KPROBES_DEBUG_DIR=$PWD/debug
# again: another process, that runs the program from the start.
again() {
	[ -z "${other:-}" ] || kill $other
	./stripped work &
	other=$!
	trap "kill $pid $other" EXIT
	wait_for grep -q stripped /proc/$other/maps
	sleep 0.1
}
again
expect "L11 load puts a probe into each inlined copy" \
	status 0 kprobes load "$PWD/hotspots.so" probes=@inlined:twice -p $other
expect "... the list has three" sh -c "test \$(kprobes list -p $other | wc -l) = 3"
places=$(kprobes funcs --inlined twice -p $other --json | python3 -c \
	'import json, sys; print(*sorted("%016x" % int(c["address"], 16) for c in json.load(sys.stdin)))')
expect "... where they are" test "$places" = "$(kprobes list -p $other | awk '{ print $1 }' | sort | xargs)"
expect "... unload" status 0 kprobes unload -a -p $other
again
expect "L11 one of them, by a place of debug symbols" status 0 \
	kprobes load "$PWD/kprobe_example.so" symbol=@inlined:twice#2 -p $other
expect "... is one" sh -c "test \$(kprobes list -p $other | wc -l) = 1"
expect "... unload" status 0 kprobes unload -a -p $other
again
expect "a symbol of the debug file" status 0 \
	kprobes load "$PWD/kprobe_example.so" symbol=@two_copies -p $other
expect "... is one" sh -c "kprobes list -p $other | grep 'stripped+0x'"
expect "... unload" status 0 kprobes unload -a -p $other
expect "no such copy" status 3 kprobes load "$PWD/kprobe_example.so" symbol=@inlined:twice#4 -p $other
expect "no such symbol" status 3 kprobes load "$PWD/kprobe_example.so" symbol=@nosuch -p $other
expect "... the process works on" kill -0 $other

# Go's stacks have no room for a jump; the section says that it is Go's.
cat >go.s <<'END'
	.text
	.globl _start, main.work
	.type main.work, @function
_start:
main.work: mov $7, %eax
	mov $60, %eax
	syscall
	.size main.work, . - main.work
	.section .gopclntab, "a", @progbits
	.long 0xfffffff1
END
gcc -nostdlib -static -o go go.s
expect "a function of Go" status 0 kprobes funcs main.work -b go
expect "... stays on the breakpoint" says "3/3  breakpoint +main.work"
expect "... and so do its instructions" status 0 kprobes dis main.work --plan -b go
expect "... which says why" says "no room on the stack"

# Names as in the source.
cat >shop.cc <<'END'
#include <cstdio>
namespace shop {
struct Cart {
	int __attribute__((noinline)) add(int a) { __asm__ volatile(""); return a * 3 + 1; }
	int __attribute__((noinline)) operator()(int a) const { __asm__ volatile(""); return a * 3 + 2; }
};
template <class T> __attribute__((noinline)) T twice(T a) { __asm__ volatile(""); return a * 2; }
}
extern "C" int __attribute__((noinline)) _ZN4rust4main17h0123456789abcdefE(int a) { __asm__ volatile(""); return a + 5; }
int main() { shop::Cart c; std::printf("%d\n", c.add(1) + c(2) + shop::twice(3) + _ZN4rust4main17h0123456789abcdefE(4)); }
END
g++ -O1 shop.cc -o shop
source_name() { status 0 kprobes funcs "$1" -b shop && says "$2" && [ "$(grep -c '^0' "$work/said")" = "$3" ]; }
expect "C++ names are shown" source_name '*Cart3add*' '_ZN4shop4Cart3addEi  shop::Cart::add\(int\)' 1
expect "... and found" source_name shop::Cart::add '_ZN4shop4Cart3addEi' 1
expect "... with their parameters" source_name 'shop::Cart::add(int)' '_ZN4shop4Cart3addEi' 1
expect "... by patterns" source_name 'shop::*' 'shop::Cart::operator\(\)\(int\) const' 3
expect "... templates, too" source_name shop::twice 'int shop::twice<int>\(int\)' 1
expect "... behind an owner" source_name 'shop:shop::Cart::*' 'add' 2
expect "Rust names are without their hash" source_name rust::main '  rust::main( |$)' 1
expect "dis by such a name" status 0 kprobes dis shop::Cart::add -b shop
expect "... and a probe" status 0 kprobes load hotspots probes=@shop::Cart::add -- ./shop
json_name() { status 0 kprobes funcs shop::Cart::add -b shop --json && json 'd[0]["demangled"] == "shop::Cart::add(int)"'; }
expect "... in JSON" json_name

# Text that is not there any more, as V8 does with its own.
cat >moved.c <<'END'
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
__asm__(".section .text.moved,\"ax\"\n.p2align 12\n.globl moved\n.type moved,@function\n"
	"moved: lea 1(%rdi), %eax\n ret\n.size moved, .-moved\n.p2align 12\n.previous\n");
int moved(int);
int main(void)
{
	munmap((void *)((unsigned long)moved & ~4095ul), 4096);
	puts("ready");
	fflush(stdout);
	pause();
}
END
gcc -O1 -rdynamic moved.c -o moved
./moved >moved.ready &
moved=$!
wait_for grep -q ready moved.ready
gone() { status 0 kprobes funcs moved -p $moved && says ' no +moved  nothing is mapped there$'; }
expect "a function whose text is unmapped cannot be probed" gone
kill $moved

# The linker's stubs, in the forms that there are.
cat >calls.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void) { for (int i = 0; i < 3; i++) puts("called"); return getppid() == 0; }
END
gcc -O1 -Wl,-z,lazy calls.c -o calls-lazy
gcc -O1 -Wl,-z,now calls.c -o calls-now
gcc -O1 -fcf-protection -Wl,-z,ibtplt calls.c -o calls-ibt
gcc -O1 -no-pie -fno-pie calls.c -o calls-fixed
for form in lazy now ibt fixed; do
	stub() { status 0 kprobes funcs 'puts@plt' -b calls-$form && says 'puts@plt$'; }
	expect "a stub has a name, $form" stub
	as_objdump() {
		[ "$(kprobes funcs 'puts@plt' -b calls-$form | awk '/^0/ { print $1 }')" = \
			"$(objdump -d calls-$form | awk '/<puts@plt>:/ { print $1 }')" ]
	}
	expect "... the one that objdump gives it" as_objdump
	hits() { status 0 kprobes load hotspots probes=@puts@plt -- ./calls-$form && says ' 3 +0 +[0-9]+ '; }
	expect "... and is probed by it" hits
done
# As a linker leaves them that makes no unwind entry for them.
gcc -O1 -no-pie -fno-pie -Wl,--no-ld-generated-unwind-info calls.c -o calls-whole
strip calls-whole -o calls-bare
whole() { status 0 kprobes load hotspots probes=@puts@plt -- ./calls-whole && says ' 3 +0 +[0-9]+ '; }
expect "a stub without an unwind entry is probed where a symbol stands before it" whole
bare() { status 0 kprobes funcs 'puts@plt' -b calls-bare && says ' no +puts@plt'; }
expect "... stripped, it has a name, and cannot be probed" bare
refused() { ! kprobes load hotspots probes=@puts@plt -- ./calls-bare >out 2>&1 && grep -q 'no known symbol' out; }
expect "... and is refused for that" refused
