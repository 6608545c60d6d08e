# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A command that executes another program in its own place is followed; its children are
# not, without -f; what cannot be followed is said.
cat >real.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noipa)) int work(int k) { __asm__ volatile(""); return k + 1; }
int main(int argc, char **argv)
{
	work(argc);
	if (argc > 1)
		execv(argv[1], argv + 1);
	printf("%s\n", getenv("LD_PRELOAD") || getenv("KPROBES_LOAD") ? "dirty" : "clean");
	return 7;
}
END
gcc -O1 -rdynamic real.c -o real
gcc -O1 -static real.c -o static
cp static static2
# Of its own user: it gains none.
chmod 4755 static
printf '#!/bin/sh\nexec "$@"\n' >shim
chmod 755 shim

# tells WANTED SCRIPT COMMAND...: maps, one a line
tells() {
	local wanted=$1 script=$2
	shift 2
	timeout 60 kprobes trace "$script" -- "$@" >told 2>errors
	cat told errors
	[ "$(grep '^@' told | LC_ALL=C sort | tr '\n' ' ')" = "$wanted" ] && ! grep -q dirty told
}
quiet() { ! grep . errors; }
place="uprobe:$PWD/real:work { @[comm, arg0] = count(); }"
expect "env" tells '@[real, 1]: 1 ' "$place" env ./real
expect "nothing is said of it" quiet
expect "a script's exec" tells '@[real, 1]: 1 ' "$place" ./shim ./real
expect "one behind the other" tells '@[real, 1]: 1 @[real, 2]: 1 @[real, 4]: 1 ' "$place" \
	./shim env ./shim ./real /usr/bin/env ./real ./real
expect "a function that all have" tells '@[env]: 1 @[real]: 1 @[sh]: 1 ' \
	'uprobe:libc:__libc_start_main { @[comm] = count(); }' env sh -c 'exec ./real'
children() {
	tells '' "$place" sh -c './real; ./real; exit 0' && grep -q 'traced with -f' errors &&
		tells '@[real, 1]: 1 ' "$place" sh -c './real; (exec ./real); exec ./real'
}
expect "children are not followed" children
said() { tells '@[real, 2]: 1 ' "$place" ./real ./static && grep -q 'has begun .*static, which is not traced' errors; }
expect "a program that could gain rights is named" said
held() { tells '@[static2]: 1 ' "uprobe:$PWD/static2:main { @[comm] = count(); }" ./real ./static2; }
expect "a static program is followed" held
expect "an exec that fails is none" tells '@[real, 2]: 1 ' "$place" ./real ./nosuch
expect "nor is it said to be one" quiet
typo() { status 2 kprobes trace 'uprobe:wrok { @ = count(); }' -- env ./real && says "no such function"; }
expect "a function that is nowhere is refused" typo
nowhere() { tells "" "uprobe:$PWD/real:$1 { @ = count(); }" "${@:2}" && grep -q "no program that was traced had this place" errors; }
expect "a program that is never executed is said" nowhere work /bin/true
expect "a function that it does not have, too" nowhere wrok env ./real

# What an object takes with it is said.
cat >plug.c <<'END'
int plug(int k) { __asm__ volatile("" : "+r"(k)); return k; }
END
cat >plugs.c <<'END'
#include <dlfcn.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int r = 0; r < 2; r++) {
		void *h = dlopen("./libplug.so", RTLD_NOW);
		int (*f)(int) = (int (*)(int))dlsym(h, "plug");

		while (argc > 1 && !r && access(argv[1], F_OK))
			usleep(10000);
		f(r);
		dlclose(h);
	}
	return 0;
}
END
gcc -O1 -fPIC -shared plug.c -o libplug.so
gcc -O1 plugs.c -o plugs
unloaded() {
	./plugs go &
	local pid=$!
	wait_for grep -q libplug "/proc/$pid/maps"
	kprobes trace "uprobe:$PWD/libplug.so:plug { @ = count(); }" -p $pid >told 2>errors &
	local tracer=$!
	wait_for eval "kprobes list -p $pid | grep -q plug"
	touch go
	wait $tracer
	cat told errors
	grep -q '^@: 2$' told && quiet
}
expect "an object that is unloaded, and loaded again" unloaded
later() {
	timeout 60 kprobes trace -f "uprobe:$PWD/libplug.so:plug { @ = count(); }" -- ./plugs >told 2>errors
	cat told errors
	grep -q '^@: 2$' told && quiet
}
expect "one that is loaded later, with -f, too" later
# A module is loaded again into what the command executes in its own place; children have none.
hotspots="$root/samples/hotspots.so"
[ -e "$hotspots" ] || make -s -C "$root/samples" >/dev/null
loaded() {
	kprobes load "$hotspots" probes=libc.so.6:write -- "$@" >told 2>&1
	cat told
	[ "$(grep -c 'probes are on' told)" = 3 ] && grep -q '^clean$' told
}
expect "a module of kprobes load goes along" loaded env ./shim ./real
# ... but for what would see that, or cannot have it, which is said.
not_loaded() {
	kprobes load "$hotspots" probes=libc.so.6:write -- "${@:2}" >told 2>&1
	cat told
	grep -q "not loaded into .*$1" told && [ "$(grep -c 'probes are on' told)" = 1 ]
}
expect "nor into what inherits SIGTRAP ignored" not_loaded "real, which is executed now: it inherits SIGTRAP" \
	env --ignore-signal=TRAP ./real
expect "nor into a program that gains rights" not_loaded "static, which is executed now" env ./static
alone() {
	kprobes load "$hotspots" probes=libc.so.6:write -- sh -c './real; true' >told 2>&1
	cat told
	[ "$(grep -c 'probes are on' told)" = 1 ] && grep -q '^clean$' told
}
expect "... and not into children" alone
# What a name leaves out is said, as the first of several is taken (K-REG-06).
cat >same.c <<'END'
static __attribute__((noipa)) int helper(int n) { return n + 1; }
int PART(int n) { return helper(n); }
END
gcc -O1 -DPART=one -c same.c -o one.o
gcc -O1 -DPART=two -c same.c -o two.o
echo 'int one(int), two(int); int main(void) { return one(1) + two(2) < 0; }' | gcc -x c - -x none one.o two.o -o same
several() {
	kprobes load "$hotspots" probes=helper -- ./same >told 2>&1
	cat told
	grep -q '2 functions of the program are called helper' told
}
expect "several functions of one name" several
