# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What a name means in a script: the functions and variables that people call so.

# hits SCRIPT [COMMAND...]: how often @n was counted.
hits() {
	local script=$1
	shift
	kprobes trace "$script { @n = count(); }" -- "$@" >hits.out 2>hits.err
	sed -n 's/^@n: //p' hits.out
}
counts() {
	local got
	got=$(hits "$2" "${@:3}")
	echo "$2: $got hits, $1 expected"
	cat hits.err
	[ "${got:-0}" = "$1" ]
}

# ---- one name, several functions -----------------------------------------------
for nr in 1 2 3; do
	cat >same$nr.c <<END2
static int total = 1000 * $nr;
static __attribute__((noipa)) int helper(int x) { __asm__ volatile("" : "+r"(x)); return x; }
int part$nr(int x)
{
	int sum = 0;
	for (int i = 0; i < $nr; i++)
		sum += helper(x);
	total++;
	__asm__ volatile("" : "+m"(total));
	return sum;
}
END2
done
cat >plugin.c <<'END2'
__attribute__((noipa)) int entry(int x) { __asm__ volatile("" : "+r"(x)); return x; }
END2
cat >same.c <<'END2'
int part1(int), part2(int), part3(int);
int main(void)
{
	int sum = 0, i;

	for (i = 0; i < 10; i++)
		sum += part1(i) + part2(i) + part3(i);
	return sum == -1;
}
END2
gcc -O2 -g -o same same.c same1.c same2.c same3.c
expect "static functions of one name are all probed" counts 60 uprobe:helper ./same
expect "... with the program's name, too" counts 60 uprobe:same:helper ./same
expect "... and at an offset that all of them have" counts 60 uprobe:helper+0 ./same
watched() { status 0 kprobes watch total -- ./same && says 'several variables .* all 3' ' 1009 -> 1010' ' 2009 -> 2010' ' 3009 -> 3010'; }
expect "variables of one name are all watched" watched
far() { status 2 kprobes trace 'uprobe:helper+4096 { exit(); }' -- ./same && says 'helper has only 0x'; }
expect "an offset behind the function is refused with its size" far

# ---- several objects ------------------------------------------------------------------
gcc -O2 -fPIC -shared -o one.so plugin.c && cp one.so two.so
cat >loads.c <<'END2'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *one = dlopen("./one.so", RTLD_NOW);
	void *two = argc > 1 ? dlmopen(LM_ID_NEWLM, "./one.so", RTLD_NOW) : dlopen("./two.so", RTLD_NOW);
	int (*first)(int) = (int (*)(int))dlsym(one, "entry"), (*second)(int) = (int (*)(int))dlsym(two, "entry");
	int i;

	puts("ready");
	fflush(stdout);
	getchar();
	for (i = 0; i < 10; i++)
		first(second(i));
	return 0;
}
END2
gcc -O1 -o loads loads.c -ldl
# loaded SCRIPT [ARGUMENT]: of a process that has loaded them already.
loaded() {
	local pid script=$1
	shift
	rm -f input ready hits.out hits.err
	mkfifo input
	./loads "$@" <input >ready &
	pid=$!
	exec 8>input
	wait_for grep -q ready ready
	kprobes trace -v "$script { @n = count(); }" -p $pid >hits.out 2>hits.err &
	wait_for grep -q 'the probes are set' hits.err
	echo >&8
	exec 8>&-
	wait
	cat hits.out hits.err
}
other() { loaded uprobe:entry >"$work/said"; says '@n: 10' 'several objects have a function of this name'; }
expect "an object that has another one is said" other
both() { loaded 'uprobe:*:entry' >"$work/said"; says '@n: 20'; }
expect "... and a pattern is both" both
twice() { loaded uprobe:entry again >"$work/said"; says '@n: (10|20)'; grep -q '@n: 20' "$work/said" || says 'entry: '; }
expect "a library that is loaded twice: both, or it is said" twice

# ---- indirect functions ----------------------------------------------------------
cat >ifunc.c <<'END2'
static int first(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
static int second(int x) { __asm__ volatile("" : "+r"(x)); return x + 2; }
static void *pick(void) { return (void *)second; }
int chosen(int) __attribute__((ifunc("pick")));
int other(int x) { return first(x); }
END2
cat >calls.c <<'END2'
int chosen(int);
int main(void) { volatile int s = 0; for (int i = 0; i < 20; i++) s += chosen(i); return s == -1; }
END2
if gcc -O2 -fPIC -shared -o libifunc.so ifunc.c 2>/dev/null; then
	gcc -O1 -o calls calls.c -L. -lifunc -Wl,-rpath,"$PWD"
	expect "an indirect function is what it selects" counts 20 uprobe:chosen ./calls
	expect "... with its library" counts 20 uprobe:libifunc:chosen ./calls
	expect "... by a pattern" counts 20 'uprobe:libifunc:chos*' ./calls
	expect "... as it returns" counts 20 uretprobe:chosen ./calls
fi

# ---- versions ----------------------------------------------------------------------
cat >acts.c <<'END2'
int act(int), old(int);
__asm__(".symver old, act@V1");
int main(void)
{
	volatile int s = 0;
	for (int i = 0; i < 10; i++)
		s += act(i) + act(i) + old(i);
	return s == -1;
}
END2
gcc -O2 -fPIC -shared -fno-lto -o libversions.so "$root/tests/cli/versions.c" -Wl,--version-script="$root/tests/cli/versions.map" -Wl,-soname,libversions.so
gcc -O1 -o acts acts.c -L. -lversions -Wl,-rpath,"$PWD"
versions() {
	expect "a name without a version is the default one$1" counts 20 uprobe:act ./acts
	expect "... an old version by its name$1" counts 10 uprobe:act@V1 ./acts
	expect "... the default one by its name$1" counts 20 uprobe:libversions:act@@V2 ./acts
}
versions ""
strip libversions.so
versions ", stripped"
none() { status 2 kprobes trace 'uprobe:act@V3 { exit(); }' -- ./acts && says 'no function act has the version V3'; }
expect "a version that is not there is said" none

# ---- the engine --------------------------------------------------------------------
no_engine() {
	kprobes trace -l 'uprobe:kp_*' -- ./calls | grep '^uprobe:kp_' && return 1
	kprobes trace -l 'uprobe:libkprobes*:*' -- ./calls | grep '^uprobe:' && return 1
	kprobes trace -l 'uprobe:*' -- ./calls | grep -q '^uprobe:main'
}
expect "the engine's own functions are in no list" no_engine

# ---- files --------------------------------------------------------------------------
cat >addressed.c <<'END2'
__attribute__((noipa)) int work(int k) { __asm__ volatile(""); return k + 1; }
int main(void) { volatile int s = 0; for (int i = 0; i < 20; i++) s += work(i); return s == -1; }
END2
gcc -O1 -o addressed addressed.c
at=0x$(nm addressed | awk '$3 == "work" { sub("^0*", "", $1); print $1 }')
strip addressed
expect "FILE:0xADDRESS is an address as the file counts" counts 20 uprobe:addressed:"$at" ./addressed
expect "... as FILE+0xOFFSET is" counts 20 uprobe:addressed+"$at" ./addressed
outside() { status 2 kprobes trace 'uprobe:addressed:0x7fffff { exit(); }' -- ./addressed && says 'has an address 0x7fffff'; }
expect "... and one outside of it is refused" outside
ln -s same linked
expect "a program is called as it was executed, by a link" counts 60 uprobe:linked:helper ./linked
expect "... and as its file is" counts 60 uprobe:same:helper ./linked
replaced() {
	local pid got
	cat >lasts.c <<'END2'
#include <unistd.h>
__attribute__((noipa)) int stays(int k) { __asm__ volatile("" : "+r"(k)); return k; }
int main(void) { for (int i = 0; i < 3000; i++) { stays(i); usleep(10000); } return 0; }
END2
	gcc -O1 -o lasts lasts.c
	./lasts &
	pid=$!
	cp lasts fresh && mv fresh lasts
	kprobes trace 'uprobe:lasts:stays { exit(); }' -p $pid
	got=$?
	kill $pid
	return $got
}
expect "a file that was replaced has the name it had" replaced
absent() { status 2 kprobes trace 'uprobe:libabsent:f { exit(); }' -- ./same && says 'no object that is loaded is called libabsent'; }
expect "an object that is not there is said" absent
expect "a parameter may be an object and a pattern" \
	status 0 kprobes trace 'uprobe:$1 { @[func] = count(); }' 'same:help*' -- ./same

# ---- debugging information elsewhere --------------------------------------------------
cat >split.c <<'END2'
__attribute__((noipa)) int taken(int k) { __asm__ volatile("" : "+r"(k)); return k; }
int main(void) { return taken(0); }
END2
for version in 4 5; do
	gcc -O1 -gdwarf-$version -gsplit-dwarf -o split split.c 2>/dev/null || continue
	rm -f ./*.dwo
	elsewhere() { status 2 kprobes trace 'uprobe:taken { print(args.k); }' -- ./split && says 'gsplit-dwarf.*\.dwo'; }
	expect "DWARF $version: which file is missing is said" elsewhere
done

# ---- C++ ----------------------------------------------------------------------------
cat >source.cc <<'END2'
#define NI __attribute__((noipa))
extern "C" NI int fun() { asm volatile(""); return 1; }
NI void fun(int x) { asm volatile("" ::"r"(x)); }
NI void fun(const char *x, unsigned long n) { asm volatile("" ::"r"(x), "r"(n)); }
static NI void plain() { asm volatile(""); }
namespace ns { namespace { NI int hidden(int k) { asm volatile("" : "+r"(k)); return k; } } }
template <class T, int N> struct Tm { T v[N]; NI T get(int i) { asm volatile("" ::"r"(this)); return v[i]; } };
int main()
{
	Tm<int, 3> t{{4, 5, 6}};
	auto lam = [&](int q) __attribute__((noipa)) { asm volatile("" ::"r"(q)); return q; };

	for (int i = 0; i < 10; i++) {
		fun();
		fun(1);
		for (int k = 0; k < 2; k++) fun("x", 1);
		for (int k = 0; k < 3; k++) plain();
		for (int k = 0; k < 4; k++) ns::hidden(k);
		for (int k = 0; k < 5; k++) lam(k);
		for (int k = 0; k < 6; k++) t.get(0);
	}
}
END2
if g++ -O1 -o source source.cc 2>/dev/null; then
	expect "C++: by its parameters" counts 10 'uprobe:"fun(int)"' ./source
	expect "... as the source writes them" counts 20 'uprobe:"fun(const char *, unsigned long)"' ./source
	expect "... as the demangler does" counts 20 'uprobe:"fun(char const*, unsigned long)"' ./source
	expect "... the linker's name first" counts 10 uprobe:fun ./source
	expect "... a static function" counts 30 uprobe:plain ./source
	expect "... a pattern without ::" counts 40 'uprobe:source:*hidden' ./source
	expect "... a lambda" counts 50 'uprobe:*lambda*' ./source
	expect "... a member of a template" counts 60 'uprobe:"Tm<int,*>::get"' ./source
	expect "... of one instance" counts 60 'uprobe:"Tm<int, 3>::get"' ./source
fi
