# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What people type, and what the list tells them.
cat >target.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
__asm__(".text\n"
	".macro function name\n"
	".globl \\name\n.type \\name,@function\n"
	"\\name: lea 1(%rdi), %eax\n ret\n.size \\name, .-\\name\n"
	".endm\n"
	".p2align 4, 0xcc\nfunction crowded\nfunction neighbour\n"
	".p2align 4, 0xcc\nfunction alone\n"
	".p2align 4, 0xcc\n.globl alias\n.set alias, alone\n.type alias,@function\n");
int crowded(int), neighbour(int), alone(int);
static void *sleeper(void *arg) { for (;;) pause(); return arg; }
int main(void)
{
	volatile int sum = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, sleeper, NULL);
	puts("ready");
	fflush(stdout);
	for (;;) {
		sum += crowded(1) + neighbour(2) + alone(3);
		usleep(1000);
	}
}
END
gcc -O1 -rdynamic -pthread target.c -o target
./target >said.ready &
target=$!
trap 'kill $target' EXIT
expect "a process" wait_for grep -q ready said.ready
[ -e "$root/samples/hotspots.so" ] || make -s -C "$root/samples" >/dev/null

threads() { ls "/proc/$target/task" | wc -l; }
expect "a load that fails" status 3 kprobes load hotspots probes=nosuch -p $target
expect "... leaves nothing attached" test "$(threads)" = 2
expect "... and nothing probed" status 3 kprobes list -p $target
tid=$(ls "/proc/$target/task" | tail -1)
by_thread() { status 0 kprobes load hotspots probes=crowded,alone,malloc -p "$tid" && says "a thread of process $target"; }
expect "a thread's number means its process" by_thread
again() { status 1 kprobes load hotspots probes=neighbour -p $target && says 'loaded already' 'unload hotspots'; }
expect "the same module again: what to do is said" again
cp "$root/samples/hotspots.so" second.so
expect "... as a copy it comes beside" status 0 kprobes load second.so probes=alias -p $target

# Until no jump is to come any more.
settled() { [ "$(kprobes list -p $target | grep -c OPTIMIZED)" -ge 3 ]; }
expect "jumps come" wait_for settled
details() { status 0 kprobes list -l -p $target && says "$@"; }
promised() { status 0 kprobes funcs "$1" -p $target && says " $2 +$1\b"; }
planned() { status 0 kprobes dis "$1" --plan -p $target && says "$2"; }
expect "a function too short for a jump says so" details \
	' crowded\+0x0 +hotspots.so; breakpoint: what follows is not known to be code$'
expect "... funcs promises none" promised crowded breakpoint
expect "... nor does dis --plan" planned crowded 'plan: cc$'
expect "one with room behind it is promised a jump" promised alone jump
expect "... and has it" details ' alone\+0x0 +\[OPTIMIZED\]  hotspots.so$'
expect "the list shows the name that was asked for" details ' malloc\+0x0 +libc.so.6 \[OPTIMIZED\]' ' alias\+0x0 +\[OPTIMIZED\]  second.so'
expect "off by that name" status 0 kprobes disable malloc -p $target
expect "... it is" details ' malloc\+0x0 +libc.so.6 \[DISABLED\]'
expect "on by another" status 0 kprobes enable libc:__libc_malloc -p $target
expect "... it is, too" details ' malloc\+0x0 +libc.so.6 \[OPTIMIZED\]'
cp "$root/samples/hotspots.so" third.so
expect "a probe under the jump" status 0 kprobes load third.so probes=alone+3 -p $target
expect "... is the reason" details ' alone\+0x0 +hotspots.so; breakpoint: another probe is under the jump$'
expect "by an offset from another name" status 0 kprobes disable alias+3 -p $target
expect "... it was" details 'alone\+0x3 .*\[DISABLED\]'
plain() { status 0 kprobes list -p $target && ! grep -q 'hotspots' "$work/said" && says '^[0-9a-f]{16}  k  crowded\+0x0    $'; }
expect "without -l, not on a terminal, the lines are the control file's" plain
structured() {
	status 0 kprobes list --json -p $target &&
		json 'len(d[0]["probes"]) == 5' &&
		json '[p for p in d[0]["probes"] if p["symbol"] == "crowded"][0]["why_not_optimized"].startswith("what follows")' &&
		json '[p for p in d[0]["probes"] if p["symbol"] == "malloc"][0]["why_not_optimized"] is None' &&
		json '{p["probe_module"] for p in d[0]["probes"]} == {"hotspots.so", "second.so", "third.so"}' &&
		json 'all(p["missed"] == 0 for p in d[0]["probes"])'
}
expect "JSON has the same" structured
expect "optimization off" status 0 kprobes optimization 0 -p $target
expect "... is the reason" details ' alone\+0x0 +hotspots.so; breakpoint: optimization is off$'
expect "unload without .so" status 0 kprobes unload second third -p $target
expect "... of what is not there" status 3 kprobes unload second -p $target
expect "... the last" status 0 kprobes unload hotspots -p $target

meant() { status "$1" kprobes $2 && says "$3"; }
expect "did you mean, for commands" meant 2 lsit 'did you mean list\?'
expect "... in help" meant 2 'help unlaod' 'did you mean unload\?'
expect "... and when nothing is near" meant 2 frobnicate 'kprobes help'
expect "did you mean, for functions" meant 3 'dis alnoe -b target' 'did you mean alone\?'
expect "... in funcs" meant 3 'funcs neighbor -b target' 'did you mean neighbour\?'
for name in load unload list enable disable enabled optimization blacklist funcs dis; do
	expect "help $name" meant 0 "help $name" "^usage: kprobes $name"
done
expect "help tells of options" meant 0 'help list' '--long'
kill $target
trap - EXIT
