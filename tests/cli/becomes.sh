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
expect "a static program is named" said
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
	grep -q '^@: 1$' told && grep -q 'plug: its object was unloaded' errors
}
expect "an object that is unloaded, and loaded again, is said" unloaded
later() {
	timeout 60 kprobes trace -f "uprobe:$PWD/libplug.so:plug { @ = count(); }" -- ./plugs >told 2>errors
	cat told errors
	grep -q 'no program that was traced had this place' errors
}
expect "one that is loaded later, with -f, too" later
