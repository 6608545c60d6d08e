# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# load -- COMMAND: what cannot be probed is not run, and the status says so.
cat >says.c <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int work(int a) { __asm__ volatile(""); return a * 5 + 1; }
int main(int argc, char **argv)
{
	printf("ran %s\n", getenv("KPROBES_LOAD") ? "with wishes" : "clean");
	return work(argc) == 11 ? atoi(argv[1]) : 0;
}
END
gcc -O1 -rdynamic says.c -o says
gcc -O1 -static says.c -o static
gcc -O1 -static-pie says.c -o static-pie
mkdir blank "a b" 'q"x' 'semi;colon'
good=$root/samples/hotspots.so
[ -e "$good" ] || make -s -C "$root/samples" >/dev/null

# refuses STATUS REGEX WORDS...: and the command has not run.
refuses() {
	local wanted=$1 regex=$2
	shift 2
	status "$wanted" kprobes load "$@" && says "$regex" &&
		! grep -q '^ran' "$work/said"
}
printf '#!%s/static\n' "$PWD" >script
chmod 755 script
example=$root/samples/kprobe_example.so
for kind in static static-pie script; do
	# The script's first argument is its own name, which is no number.
	expect "a $kind program ends as ever" status "$([ $kind = script ] && echo 0 || echo 7)" \
		kprobes load "$example" symbol=work -- "./$kind" 7
	expect "... its hits count" says "before, ip"
	expect "... and its environment is as it was" says "^ran clean"
done
expect "a module that needs the C library is refused in one without" refuses 5 "needs libc.so.6" \
	"$good" probes=work -- ./static 0
expect "... and so is a symbol that it does not have" refuses 3 "no such symbol" \
	"$example" symbol=nosuch -- ./static 0
printf '#!/bin/sh\nexit 6\n' >shell
chmod 755 shell
expect "a script is, by its interpreter" status 6 kprobes load "$good" probes=malloc -- ./shell
printf 'exit 5\n' >bare
chmod 755 bare
expect "one without a first line, too" status 5 kprobes load "$good" probes=malloc -- ./bare
head -c 64 says | sed 's/^\(\x7fELF\)\x02/\1\x01/' >narrow
chmod 755 narrow
expect "nor a 32-bit program" refuses 5 "not for x86-64" "$good" probes=work -- ./narrow
sed 's|/lib64/ld-linux-x86-64.so.2|/lib64/no-linux-x86-64.so.2|' says >other
chmod 755 other
expect "nor one whose dynamic linker is not there" refuses 3 "No such file" \
	"$example" symbol=work -- ./other
if [ "$(id -u)" = 0 ]; then
	cp says suid
	chown 1:1 suid
	chmod 4755 suid
	case $(findmnt -no OPTIONS -T . 2>/dev/null) in
	*nosuid*) expect "setuid means nothing here" status 3 kprobes load "$good" probes=work -- ./suid 3 ;;
	*) expect "nor a setuid program" refuses 5 "rights that you do not have" "$good" probes=work -- ./suid 0
	   chown 0:1 suid
	   chmod 2755 suid
	   expect "nor a setgid one" refuses 5 "rights that you do not have" "$good" probes=work -- ./suid 0 ;;
	esac
fi
expect "a symbol that it does not have" refuses 3 "no such symbol" "$good" probes=nosuch -- ./says 0
expect "a parameter that the module does not have" refuses 3 "no parameter wrong" "$good" wrong=1 -- ./says 0
expect "a file that is no module" refuses 1 "not a probe module" "$build/libkprobes.so" -- ./says 0
expect "a module that is not there" refuses 3 "No such file" ./nosuch.so -- ./says 0
expect "a command that is not there" refuses 3 "nosuchcommand: No such file" "$good" probes=work -- nosuchcommand
cp "$good" 'q"x/'
cp "$good" 'semi;colon/'
cp "$good" 'a b/'
expect "a quote in the module's path" refuses 2 "quote" 'q"x/hotspots.so' probes=work -- ./says 0
expect "a semicolon in it" refuses 2 "';'" 'semi;colon/hotspots.so' probes=work -- ./says 0
expect "a blank in it is no matter" status 4 kprobes load 'a b/hotspots.so' probes=work -- ./says 4
cp "$build/libkprobes.so" "$build/kprobes" 'a b/'
blank() { status 5 "./a b/kprobes" load "$good" probes=work -- ./says 0 && says "blanks or colons" && ! grep -q '^ran' "$work/said"; }
expect "a blank in the library's path" blank
cp "$build/libkprobes.so" lib:kprobes.so
colon() { status 5 env KPROBES_LIBRARY=./lib:kprobes.so kprobes load "$good" probes=work -- ./says 0 && says "blanks or colons"; }
expect "a colon in it" colon

probed() { status 7 kprobes load "$good" probes=work -- ./says 7 && says 'ran clean' ' work\+0x0/0x[0-9a-f]+ +1 '; }
expect "what can be probed is, and its status is the command's" probed
by_name() { status 7 kprobes load hotspots probes=work -- ./says 7 && says ' work\+0x0/0x[0-9a-f]+ +1 '; }
expect "by the name of a module that came with the command" by_name
some() { status 7 kprobes load hotspots probes=nosuch,work,nono skip=y -- ./says 7 && says '2 of 3 places are left out' ' work\+0x0/'; }
expect "the good ones of several, where that is asked for" some
named() { refuses 3 'nosuch\+0x0 cannot be probed' hotspots probes=nosuch,work,nono -- ./says 7 && says 'nono\+0x0 cannot' 'skip=y'; }
expect "else each bad one is named" named
env KPROBES_LOG=stderr KPROBES_LOAD="$good probes=nosuch" LD_PRELOAD="$build/libkprobes.so" ./says 7 >"$work/said" 2>&1
expect "by the environment alone a failure is said, and the program runs" \
	says 'no such symbol' '^ran'
