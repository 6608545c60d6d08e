# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Which of several indirect functions of one name is meant; and that the engine in a
# process adds no names to it: no types, constants, lines or suggestions.

counts() {
	local got
	kprobes trace "$2 { @n = count(); }" -- "${@:3}" >hits.out 2>hits.err
	got=$(sed -n 's/^@n: //p' hits.out)
	echo "$2: $got hits, $1 expected"
	cat hits.err
	[ "${got:-0}" = "$1" ]
}

# ---- indirect functions ----------------------------------------------------------
cat >versions.c <<'END2'
static int first(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
static int second(int x) { __asm__ volatile("" : "+r"(x)); return x + 2; }
static void *pick_first(void) { return (void *)first; }
static void *pick_second(void) { return (void *)second; }
__asm__(".symver act_1, act@V1");
__asm__(".symver act_2, act@@V2");
int act_1(int) __attribute__((ifunc("pick_first")));
int act_2(int) __attribute__((ifunc("pick_second")));
END2
echo 'V1 { global: act; local: *; }; V2 { global: act; } V1;' >versions.map
cat >acts.c <<'END2'
#include <unistd.h>
int act(int), old(int);
__asm__(".symver old, act@V1");
int main(int argc, char **argv)
{
	volatile int s = 0;

	do {
		for (int i = 0; i < (argc > 1 ? 1 : 10); i++)
			s += act(i) + act(i) + old(i);
	} while (argc > 1 && !usleep(10000));
	return s == -1 && argv;
}
END2
if gcc -O2 -fPIC -shared -fno-lto -o libversions.so versions.c \
   -Wl,--version-script=versions.map -Wl,-soname,libversions.so 2>/dev/null; then
	gcc -O1 -g -o acts acts.c -L. -lversions -Wl,-rpath,"$PWD"
	expect "an indirect function without a version is the default one" counts 20 uprobe:act ./acts
	expect "... in an old version what that one selects" counts 10 uprobe:act@V1 ./acts
	expect "... in the default version by its name" counts 20 uprobe:libversions:act@@V2 ./acts
	expect "... by a pattern all versions, each once" counts 30 'uprobe:libversions:act*' ./acts
	expect "... as they return" counts 30 'uretprobe:libversions:act*' ./acts
	cat >twice.c <<'END2'
int shared(int x) { __asm__ volatile("" : "+r"(x)); return x; }
static void *pick_a(void) { return (void *)shared; }
static void *pick_b(void) { __asm__ volatile(""); return (void *)shared; }
int shared_a(int) __attribute__((ifunc("pick_a")));
int shared_b(int) __attribute__((ifunc("pick_b")));
END2
	echo 'int shared_a(int), shared_b(int);
	int main(void) { int s = 0; for (int i = 0; i < 10; i++) s += shared_a(i) + shared_b(i); return s == -1; }' >calls.c
	gcc -O2 -fPIC -shared -o libtwice.so twice.c
	gcc -O1 -o calls calls.c -L. -ltwice -Wl,-rpath,"$PWD"
	expect "two that select one function: a pattern counts it once" counts 20 'uprobe:libtwice:shared_*' ./calls
	expect "... with its own name, too" counts 20 'uprobe:libtwice:shared*' ./calls
	expect "... as it returns" counts 20 'uretprobe:libtwice:shared*' ./calls
	expect "... but two attach points are two" counts 40 'uprobe:shared_a,uprobe:shared_b' ./calls
	attached() {
		local rc=0 got
		./acts wait &
		wait_for grep -q libversions /proc/$!/maps
		timeout 60 kprobes trace 'uprobe:act@@V2 { @new++; } uprobe:act@V1 { @old++;
			if (@old == 10) { printf("new %d\n", @new); exit(); } }' -p $! >attached.out 2>&1
		kill $!
		wait
		cat attached.out
		# They are not set at the same moment.
		got=$(sed -n 's/^new //p' attached.out)
		[ "${got:-0}" -ge 17 ] && [ "$got" -le 23 ]
	}
	expect "... of a process that runs" attached
	cp "$root/samples/kprobe_example.so" .
	loaded() {
		local rc=0
		./acts wait &
		status 0 kprobes load "$PWD/kprobe_example.so" symbol=@act -p $! &&
			kprobes list -p $! >list.out && cat list.out && grep -q second list.out || rc=1
		kill $!
		wait
		return $rc
	}
	expect "... in a parameter of a module, too" loaded
else
	gcc -O1 -g -o acts -x c - <<<'int main(void) { return 0; }'
fi

# ---- who can take only one ------------------------------------------------------------
for nr in 1 2; do
	cat >same$nr.c <<END2
static __attribute__((noipa)) int helper(int x) { __asm__ volatile("" : "+r"(x)); return x + $nr; }
int part$nr(int x) { return helper(x) + 1; }
END2
done
echo '#include <unistd.h>
int part1(int), part2(int); int main(int c, char **v) { if (c > 1) sleep(60); return part1(c) + part2(c) == 0 && v; }' >same.c
gcc -O2 -o same same.c same1.c same2.c
several='several functions have this name.*: same\+0x[0-9a-f]+, same\+0x[0-9a-f]+'
shown() {
	status 0 kprobes dis helper -b ./same && says "$several" || return 1
	place=$(sed -n 's/.*same+0x[0-9a-f]*, \(same+0x[0-9a-f]*\).*/\1/p' "$work/said")
	status 0 kprobes dis "$place" -b ./same && says '^helper at ' && ! says several
}
expect "dis says which of several functions it shows, and how to have another" shown
asked() { status 0 kprobes trace 'BEGIN { print(uaddr("helper")); exit(); } uprobe:main { }' -- ./same && says "$several"; }
expect "... so does a script that asks for an address" asked
refused() {
	local rc=0
	./same wait &
	status 5 kprobes load "$PWD/kprobe_example.so" symbol=@helper -p $! && says "$several" || rc=1
	kill $!
	wait
	return $rc
}
[ ! -f kprobe_example.so ] || expect "... a parameter of a module refuses them" refused

# ---- the engine --------------------------------------------------------------------
unknown() { status "$1" kprobes trace "$2" -- ./acts && says "$3"; }
expect "the engine's types are none of the program's" \
	unknown 2 'uprobe:main { print(sizeof(struct kp_object)); }' 'kp_object is made of is not known'
expect "... nor its constants" \
	unknown 2 'uprobe:main { print(KP_TEXT_ENGINE); }' 'KP_TEXT_ENGINE is not known'
expect "... nor its lines" unknown 2 'uprobe:symbols.c:115 { }' 'no debugging information is there of'
misspelt() {
	status 2 kprobes trace 'uprobe:kp_control_switc { }' -- ./acts && says 'no such function' &&
		! says 'did you mean kp_'
}
expect "... and none of its functions is suggested" misspelt
expect "... nor are its variables watched" unknown 2 'watchpoint:adopted_nr:c { }' 'no variable of the program'
echo 'int points_nr; int main(void) { for (int i = 0; i < 3; i++) { points_nr++; __asm__ volatile("" ::: "memory"); } return 0; }' >own.c
gcc -O1 -o own own.c
own() { status 0 kprobes watch points_nr -- ./own && says ' 0 -> 1' ' 2 -> 3' && ! says several; }
expect "... and one of the program's that is called so is" own
