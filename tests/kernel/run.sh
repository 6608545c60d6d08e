#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns one boot of a test kernel with the kernel tests.
#
#     run.sh [--seeds "1 2"] [--seconds N] [--args "verbose=1"]
#            [--toggles "lazy=N textual=N"] [--models "MODEL..."] [--with "FILE..."]
#            KERNEL [CASE...] [-- VM-OPTIONS...]
#
# Builds kprobes.ko and the test modules for KERNEL (tools/vm/kernel.sh), runs
# the cases named (default: all) and prints "ok NAME" or "not ok NAME" for each
# test: once, or in a boot for each of QEMU's CPU models, two at a time.  Programs
# and libraries of build/ that a case needs are in /test/with, as they are there.
# Exit status 0 when all passed and the kernel log is clean; a warning that is the
# kernel's own, by known.list, is a line "known NAME: ...".

set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/tests/kernel
seeds=1 seconds=5 torture_args= toggle_args= models= with=
while [ "${1#--}" != "$1" ]; do
	case $1 in
	--seeds) seeds=$2 ;;
	--seconds) seconds=$2 ;;
	--args) torture_args=$2 ;;
	--toggles) toggle_args=$2 ;;
	--models) models=$2 ;;
	--with) with=$2 ;;
	*) echo "run.sh: unknown option $1" >&2; exit 2 ;;
	esac
	shift 2
done
kernel=$1
shift
cases=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do cases+=("$1"); shift; done
[ $# = 0 ] || shift

# The caller's job server is not for what is made here.
unset MAKEFLAGS MFLAGS MAKELEVEL
. "$root/tools/vm/modules.sh"
built_for
work=$build/tests/kernel/$release
mkdir -p "$work/modules" "$work/cases"
# One at a time for each kernel: the directory is shared.
exec 9>"$work/lock"
flock 9

# What a kernel that drops exports is told to keep is all that we import.
build_exports() {
	local unlisted
	unlisted=$(nm -u "$build/module/$release"/*.ko | awk 'NF == 2 { print $2 }' | sort -u |
		grep -vxF -f <(make -C "$root" -s exports; awk '{ print $2 }' "$build/module/$release/Module.symvers"))
	[ -z "$unlisted" ] || { echo "error: host/linux-kernel/exports lacks" $unlisted; return 1; }
}

build_command() {
	case $machine in
	x86) make -C "$root" -s command kernel-trace ;;
	*)
		[ ! -e "$build/module/$release/kprobes_trace.ko" ] ||
			make -C "$root" -s $for_machine B="$build" "$build/tests/kernel/trace"
		;;
	esac
}

build_rules() {
	local program livepatch= watches=
	ln -sf "$here"/modules/{Kbuild,*.[ch],unchecked.list} "$here"/modules/$machine/*.h "$work/modules/"
	if [ $machine != x86 ]; then
		for program in user_breakpoint user_toggle uncapable integrity_work; do
			${cross}gcc -O1 -static -o "$work/$program" "$here/$program.c"
		done
		case $machine in riscv64 | mips | arm) ;; *) watches=kp_watches.o ;; esac
		kbuild "$work/modules" OBJECTS="kp_rules.o kp_victim.o kp_own.o kp_torture.o kp_beside.o kp_thief.o kp_mix.o \
			kp_toggle.o kp_rests.o kp_forgets.o kp_asleep.o kp_integrity.o $watches $([ $machine != i386 ] || echo kp_traced.o)"
		return
	fi
	! grep -q '^CONFIG_LIVEPATCH=y' "$directory/config" || livepatch=kp_livepatch.o
	kbuild "$work/modules" OBJECTS="kp_rules.o kp_victim.o kp_torture.o kp_own.o kp_traced.o kp_toggle.o kp_beside.o kp_mix.o kp_rests.o kp_forgets.o kp_asleep.o kp_integrity.o kp_level.o kp_thief.o kp_overrun.o kp_watches.o $livepatch" ||
		return
	for program in user_breakpoint user_toggle uncapable integrity_work trampolines; do
		${CC:-gcc} -O1 -static -o "$work/$program" "$here/$program.c"
	done
}

build_conformance() {
	local objects= source name
	ln -sf "$here"/modules/{Kbuild,harness_kernel.c,unchecked.list} "$root"/tests/conformance/*.h \
		"$root"/tests/conformance/$machine/*.h "$work/conformance/"
	for source in "$root"/tests/conformance/*.c "$root"/tests/conformance/$machine/*.[cS]; do
		name=$(basename "$source")
		case $machine/$name in
		*_user.c | arm64/intact.c | riscv64/intact.c | arm/intact.c) continue ;;	# lacking.c stands in
		mips/intact.c | mips/optimize.c) continue ;;
		# A .c of the same name would make the same object.
		*.S) name=${name%.S}_asm.S ;;
		esac
		ln -sf "$source" "$work/conformance/$name"
		objects="$objects ${name%.[cS]}.o"
	done
	kbuild "$work/conformance" OBJECTS=kp_conformance.o CONFORMANCE="$objects"
}

# The kernel's unmodified, or else those of Debian 12's, and our own under other
# names; by links, so that only what has changed is built again.
build_sample() {
	local kernels=$directory/samples kind
	[ -d "$kernels" ] || kernels=$("$root/tools/linux-samples.sh")
	ln -sf "$kernels"/k{,ret}probe_example.c "$root/samples/hotspots.c" "$work/sample/"
	for kind in kprobe kretprobe jprobe wprobe; do
		ln -sf "$root/samples/${kind}_example.c" "$work/sample/own_$kind.c"
	done
	printf 'include $(KPROBES)/consumer.mk\nobj-m := %s %s %s\n' \
		"kprobe_example.o kretprobe_example.o" "own_kprobe.o own_kretprobe.o own_jprobe.o own_wprobe.o" \
		"$([ $machine != x86 ] || echo hotspots.o)" >"$work/sample/Kbuild"
	kbuild "$work/sample"
}

# Where objtool looks at a module as a whole, also at what the suite is to probe, whose
# instructions are the ones written; but it has to come to its end.
as_written="kp_conformance.o: warning: objtool: .*\\(redundant CLD\\|'naked' return\\|indirect [a-z]* found\\|modified stack frame\\|missing int3\\|ELF size\\)"

# bpftrace's tools, as Debian has them; the structures that they look into, of a
# kernel that does not show its own; and what they see at work.
build_tools() {
	"$root/tools/deps.sh" tools
	mkdir -p "$work/tools/bt"
	cp $(dpkg -L bpftrace | grep '\.bt$') "$work/tools/bt/"
	ln -sf "$here/tool_types.c" "$work/tools/"
	echo 'obj-m := tool_types.o' >"$work/tools/Kbuild"
	make -s -C "$directory/kdir" M="$work/tools" KCFLAGS=-g tool_types.o
	${CC:-gcc} -O1 -o "$work/tools/tool_work" "$here/tool_work.c" -lssl -lcrypto
	make -C "$root" -s all
}

# build NAME: a failure costs the cases that need it, not the others.  What a compiler
# newer than the kernel says of that one's headers is not ours.
build() {
	local log=$work/$1.log
	mkdir -p "$work/$1"
	if ! "build_$1" >"$log" 2>&1; then
		echo "not ok build $1 for $kernel"
		grep -E "error|Error" "$log" | head -n 10 | sed 's/^/# /'
		failed=1
	elif grep -v -e "compiler differs" -e "^\./include/" -e "kp_.*relocation to !ENDBR" \
			-e "$as_written" "$log" | grep -E "warning:" | sed 's/^/# /' | grep .; then
		echo "not ok build $1 for $kernel without warnings"
		failed=1
	else
		echo "ok build $1 for $kernel"
	fi
}
failed=0
build engine
if [ $machine = x86 ]; then
	build exports
fi
build command
build rules
build conformance
build sample

rm -f "$work"/cases/*
if [ ${#cases[@]} = 0 ]; then
	cp "$here"/cases/*.sh "$work/cases/"
else
	for name in "${cases[@]}"; do cp "$here"/cases/*"$name"*.sh "$work/cases/"; done
fi
tools=
if ls "$work"/cases/47-* >/dev/null 2>&1; then
	tools=$work/tools
	build tools
fi
cat >"$work/torture.conf" <<-END
	SEEDS="$seeds"
	SECONDS_EACH=$seconds
	TORTURE_ARGS="$torture_args"
	TOGGLE_ARGS="$toggle_args"
END
# All kernels of the machine have it, with nothing of ftrace at its entry.
sample_symbol=__put_user_4
case $machine in x86 | i386) ;; *) sample_symbol=single_open ;; esac
echo $sample_symbol >"$work/sample_symbol"

# Where what a kernel's table of names may leave out is, without randomization.
: >"$work/unnamed"
[ ! -e "$directory/System.map" ] ||
	grep -E ' __(start|stop)___(jump|ex)_table$' "$directory/System.map" >"$work/unnamed"

# signed FILE: the module as this kernel takes it.
mkdir -p "$work/signed"
signed() {
	local certs=$directory/certs to=$work/signed/${1##*/}
	[ -d "$certs" ] || { echo "$1"; return; }
	"$directory/kdir/scripts/sign-file" sha256 "$certs/signing_key.pem" "$certs/signing_key.x509" "$1" "$to"
	echo "$to"
}

files=(/test/kprobes.ko="$(signed "$build/module/$release/kprobes.ko")"
	/test/exports="$build/module/$release/Module.symvers"
	/test/known.awk="$here/known.awk" /test/known.list="$here/known.list"
	/test/unnamed="$work/unnamed" /test/cases="$work/cases" /test/torture.conf="$work/torture.conf"
	/test/scripts="$root/samples/trace" /test/session.md="$root/docs/session.md" /test/typed="$root/tests/cli/typed"
	/test/sample_symbol="$work/sample_symbol" /test/user_breakpoint="$work/user_breakpoint"
	/test/user_toggle="$work/user_toggle" /test/integrity_work="$work/integrity_work")
for module in "$work"/{modules,conformance,sample}/*.ko; do
	[ -e "$module" ] || continue
	files+=("/test/$(basename "$module")=$(signed "$module")")
done

# The command, what a case wants of build/, and the libraries of the system that
# they are linked with.
programs=()
files+=(/test/uncapable="$work/uncapable")
if [ -e "$build/module/$release/kprobes_trace.ko" ]; then
	files+=(/test/kprobes_trace.ko="$(signed "$build/module/$release/kprobes_trace.ko")"
		/test/trace="$build/tests/kernel/trace")
fi
if [ $machine = x86 ]; then
	files+=(/test/trampolines="$work/trampolines" /bin/kprobes="$build/kprobes")
	programs=("$build/kprobes")
fi
for file in $with; do
	files+=("/test/with/$file=$build/$file")
	programs+=("$build/$file")
done
if [ "$tools" ]; then
	files+=(/test/tools="$tools/bt" /test/tool_work="$tools/tool_work"
		/test/tool_types.o="$tools/tool_types.o" /bin/bash=/bin/bash
		/test/recorded="$root/tests/trace/recorded/tools"
		/lib/libkprobes.so="$build/libkprobes.so"
		/lib/kprobes/trace.so="$build/modules/trace.so")
	programs+=("$tools/tool_work" /bin/bash)
fi
while read -r library; do
	files+=("$library=$(readlink -f "$library")")
done < <([ ${#programs[@]} = 0 ] || ldd "${programs[@]}" | grep -oE '/[^ ]+' | grep -v -e "^$build/" -e ':$' | sort -u)

# boot NAME VM-OPTIONS...
# An abandoned handler and a faulting copy are what some cases are about, and one
# makes a mismatched return; guest.sh finds those that no test asked for.
boot() {
	local name=$1
	shift
	"$root/tools/vm/run" --kernel "$kernel" --files "${files[@]}" --script "$here/guest.sh" \
		--allow 'kretprobe BUG!: Processing kretprobe' --log "$work/console${name#"$kernel"}.log" "$@" |
		grep --line-buffered -vE '^\[ *[0-9]+\.[0-9]+\]' |
		sed -u -E "s/^(ok|not ok|skip|known) /\\1 $name /"
}
# As vm/run says.
ended() {
	case $1 in
	123) echo "not ok $kernel: the kernel's log is clean" ;;
	124) echo "not ok $kernel: it ends in time" ;;
	125) echo "not ok $kernel: the machine lives" ;;
	esac
}
status=0
if [ -z "$models" ]; then
	boot "$kernel" "$@" || status=$?
	ended "$status"
fi
for model in $models; do
	[ "$(jobs -pr | wc -l)" -lt 2 ] || wait -n || :
	# QEMU says what of the model it leaves out.
	{ boot "$kernel $model" --cpu "$model" "$@" && echo "status 0" || echo "status 1"; } 2>&1 |
		grep -v "TCG doesn't support" >"$work/$model.out" &
done
wait
for model in $models; do
	[ "$(tail -n 1 "$work/$model.out")" = "status 0" ] || status=1
	sed '$d' "$work/$model.out"
	rm "$work/$model.out"
done
[ "$failed" = 0 ] || exit 1
exit "$status"
