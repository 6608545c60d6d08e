# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What goes wrong is said, with the way out, and has the status of its kind.
# kernel modules: tests/kernel/cases/70-cli.sh; processes that cannot be
# attached to: process/.
make -s -C "$root/samples" OUT="$PWD" KPROBES="$root" >/dev/null 2>&1
gcc -O1 -g -o victim "$here/inlined.c"
gcc -O1 -g -c -o object.o "$here/inlined.c"
./victim work 2>log &
pid=$!
trap "kill $pid" EXIT
wait_for grep -q victim /proc/$pid/maps

# Words on the command line.
expect "no command at all" status 2 kprobes
expect "... shows them" says "^  load " "^  dis "
expect "no such command" status 2 kprobes loud
expect "... says where they are" says "kprobes help"
expect "help" status 0 kprobes help
expect "help on one" status 0 kprobes help load
expect "... shows what it takes" says "PARAM=VALUE"
expect "--help of one" status 0 kprobes list --help
expect "--version" status 0 kprobes --version
expect "... is a number" says "^kprobes [0-9]+\.[0-9]+"
for word in x 0 -1 1x 99999999999 ""; do
	expect "-p '$word'" status 2 kprobes list -p "$word"
	expect "... takes a number" says "takes the number of a process"
done
expect "-p without one" status 2 kprobes list -p
expect "-b without a file" status 2 kprobes funcs x -b
expect "-- without a command" status 2 kprobes load kprobe_example.so --
expect "-p and --" status 2 kprobes load kprobe_example.so -p $pid -- true
expect "a word too many" status 2 kprobes list more
expect "a word too few" status 2 kprobes dis
expect "an unknown option" status 2 kprobes list --loud
expect "... is named, with what there is" says "--loud" "usage: kprobes list"
expect "unload of nothing" status 2 kprobes unload -p $pid
expect "... says what it takes" says "-a for all"
expect "unload of all and one" status 2 kprobes unload -a x.so -p $pid
expect "enable without a place" status 2 kprobes enable -p $pid
for command in list enabled optimization blacklist; do
	expect "$command of a process that is not probed" status 3 kprobes $command -p $pid
	expect "... says how to begin" says "kprobes load PROBE.so -p $pid"
	expect "$command of no process" status 3 kprobes $command -p 4194304
	expect "... says so" says "no process 4194304"
done
expect "a full disk" status 1 sh -c 'kprobes help >/dev/full'
expect "... is said" says "standard output: No space left"

# Probe modules.
expect "a module that is not there" status 3 kprobes load nothing.so -p $pid
expect "... is said" says "nothing.so: No such file"
expect "a process's module without a process" status 2 kprobes load kprobe_example.so
expect "... says what is missing" says "-p PID, or a command after --"
expect "a kernel's module for a process" status 2 kprobes load object.o -p $pid
expect "... says so" says "object.o is for the kernel"
echo text >text.so
expect "no module" status 1 kprobes load text.so -p $pid
expect "... as the linker says it" says "text.so: .*(invalid ELF header|file too short)"
gcc -shared -fPIC -o plain.so -x c - <<<"int plain_nothing;"
expect "a shared object that is no probe module" status 1 kprobes load plain.so -p $pid
expect "... says so" says "plain.so"
expect "a parameter with a quote" status 2 kprobes load kprobe_example.so 'symbol="x' -p $pid
expect "... is refused" says "cannot hold a quote"
expect "parameters that are too long" status 2 kprobes load kprobe_example.so "symbol=$(printf '%9000d' 1)" -p $pid
expect "a parameter that it does not have" status 3 kprobes load kprobe_example.so nosuch=1 -p $pid
expect "... is named" says "no parameter nosuch; there are: "
expect "a symbol that is not there" status 3 kprobes load kprobe_example.so symbol=nosuch -p $pid
expect "a place that cannot be probed" status 5 kprobes load kprobe_example.so symbol=two_copies offset=1 -p $pid
expect "... says why and where it can" says "not at an instruction boundary" "kprobes dis FUNCTION -p $pid"
mkdir a b
cp kprobe_example.so a/same.so
cp hotspots.so b/same.so
expect "two modules of one name" status 0 kprobes load a/same.so symbol=two_copies -p $pid
expect "... both" status 0 kprobes load b/same.so probes=one_copy -p $pid
expect "unload by that name" status 3 kprobes unload same.so -p $pid
expect "... asks for the path" says "give its path"
expect "unload by path" status 0 kprobes unload b/same.so -p $pid
expect "... says what the module said" says "^  hotspots: .* one_copy.0x0"
expect "unload of another" status 3 kprobes unload other.so -p $pid
expect "... says so" says "no probe module other.so"
expect "enable where no probe is" status 3 kprobes enable nosuch -p $pid
expect "... says where they are" says "kprobes list -p $pid"
expect "enable of much" status 2 kprobes enable "$(printf '%2000d' 1)" -p $pid
expect "enabled 2" status 2 kprobes enabled 2 -p $pid
expect "... takes" says "takes 0 or 1, not \"2\""
expect "optimization maybe" status 2 kprobes optimization maybe -p $pid
expect "... takes" says "takes 0 or 1, not \"maybe\""

# A process that is begun.
expect "no such command" status 3 kprobes load hotspots.so probes=getenv -- nosuch-command
expect "... is said" says "nosuch-command: No such file"
mkdir 'a;b'
cp hotspots.so 'a;b'
expect "a path with ;" status 2 kprobes load 'a;b/hotspots.so' -- true
mkdir alone
cp "$(command -v kprobes)" alone/
expect "without the library" status 1 alone/kprobes load hotspots.so probes=getenv -- true
expect "... says where it is looked for" says "KPROBES_LIBRARY"

# Another user.
cp "$build/libkprobes.so" alone/
chmod 755 . alone
if [ "$(id -u)" = 0 ]; then
	nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
	theirs=$pid
else
	nobody() { "$@"; }
	theirs=1
fi
for command in list "load kprobe_example.so" "unload -a"; do
	expect "$command: another user's process" status 4 nobody alone/kprobes $command -p $theirs
	expect "... root may" says "run as root"
done
expect "funcs: another user's process" status 4 nobody alone/kprobes funcs main -p $theirs
expect "... root may" says "run this as root"
cp hotspots.so unreadable.so
chmod 0 unreadable.so
expect "a module that may not be read" status 4 nobody alone/kprobes load unreadable.so -- true
expect "... says so" says "unreadable.so.*Permission denied"
if [ ! -e /sys/module/kprobes ]; then
	expect "the kernel, without the module" status 3 kprobes enabled
	expect "... says what to do" says "kprobes load PROBE.ko" "-p PID"
	cp object.o object.ko
	expect "... and none to load" status 3 env KPROBES_KO= kprobes load object.ko
fi

# Code.
cp object.o other.o
printf '\267' | dd of=other.o bs=1 seek=18 conv=notrunc 2>/dev/null
expect "another machine's file" status 1 kprobes funcs '*' -b other.o
expect "... is said" says "not for x86-64"
gcc -shared -nostdlib -o none.so -x c - <<<"int none = 1;"
objcopy --remove-section .eh_frame none.so
strip none.so
expect "a file without functions" status 1 kprobes funcs '*' -b none.so
expect "... is said" says "neither symbols nor unwind entries"

# Colours and progress: on a terminal only.
terminal() { env -u NO_COLOR TERM="${1}" script -qec "$2" /dev/null; }
esc=$(printf '\033')
expect "no colours in a pipe" status 0 env -u NO_COLOR TERM=xterm kprobes funcs two_copies -b victim
expect "... none" sh -c "! grep -q '$esc' '$work/said'"
expect "colours on a terminal" status 0 terminal xterm "kprobes funcs two_copies -b victim"
expect "... are there" says "$esc\[3"
expect "none on a dumb one" status 0 terminal dumb "kprobes funcs two_copies -b victim"
expect "... none" sh -c "! grep -q '$esc' '$work/said'"
expect "none with NO_COLOR" status 0 terminal xterm "NO_COLOR=1 kprobes funcs two_copies -b victim"
expect "... none" sh -c "! grep -q '$esc' '$work/said'"
expect "no escapes in JSON" status 0 terminal xterm "kprobes funcs two_copies -b victim --json"
expect "... none" sh -c "! grep -q '$esc' '$work/said'"
cat >slow.c <<'END'
/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <linux/delay.h>
#include <linux/module.h>
static int __init start(void)
{
	msleep(2500);
	return 0;
}
static void __exit stop(void)
{
}
module_init(start);
module_exit(stop);
MODULE_LICENSE("Dual BSD/GPL");
END
gcc -fPIC -shared -I"$root/include" -I"$root/host/linux-user/include" -I"$root/arch/x86/include" \
	-DKBUILD_MODNAME='"slow"' -o slow.so slow.c -L"$build" -lkprobes
expect "what takes long" status 0 terminal xterm "kprobes load slow.so -p $pid"
expect "... shows progress on a terminal" says "waiting for the process"
kprobes unload slow.so -p $pid 2>/dev/null
expect "... again, not on one" status 0 kprobes load slow.so -p $pid
expect "... shows none" silent
expect "all of it out" status 0 kprobes unload -a -p $pid
expect "the process works on" kill -0 $pid
