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
#include <signal.h>
#include <unistd.h>
int act(int), old(int);
__asm__(".symver old, act@V1");
static volatile int go;
static void on(int sig) { go = sig; }
int main(int argc, char **argv)
{
	volatile int s = 0;

	signal(SIGUSR1, on);
	while (argc > 1 && !go)
		usleep(10000);
	for (int i = 0; i < 10; i++)
		s += act(i) + act(i) + old(i);
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
	attached() {
		local got
		./acts wait &
		kprobes trace 'BEGIN { printf("ready\n"); } uprobe:act@V1 { @n = count(); }' -p $! >attached.out 2>&1 &
		wait_for grep -q ready attached.out
		kill -USR1 %1
		wait
		got=$(sed -n 's/^@n: //p' attached.out)
		cat attached.out
		[ "$got" = 10 ]
	}
	expect "... of a process that runs" attached
else
	gcc -O1 -g -o acts -x c - <<<'int main(void) { return 0; }'
fi

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
