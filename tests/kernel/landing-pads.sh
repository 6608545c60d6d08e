#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns one boot on a processor that wants landing pads (IBT), as QEMU emulates none:
# Bochs' Tiger Lake, with hard-6.12, or cfi-6.12, which then checks calls by FineIBT.
#
#     landing-pads.sh BUILD KERNEL
#
# It takes some minutes; output is as run.sh's.

set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/tests/kernel
build=$(realpath "$1")
name=$2
"$root/tools/deps.sh" vm pads
kernel=$("$root/tools/vm/kernel.sh" "$name")
release=$(cat "$kernel/release")
log=$build/landing-pads-$name
"$here/run.sh" "$name" 13- -- --thread single >"$log.log" || { cat "$log.log"; exit 1; }
# The modules; signed, where the kernel wants that.
modules=$build/tests/kernel/$release
places=("$modules/signed" "$build/module/$release" "$modules/sample" "$modules/modules")

work=$(mktemp -d)
bochs=
trap '[ -z "$bochs" ] || kill "$bochs" 2>/dev/null; rm -rf "$work"' EXIT
mkdir -p "$work/iso/boot/grub" "$work/cases"
cp "$here"/cases/13-*.sh "$work/cases/"
cp "$kernel/vmlinuz" "$work/iso/boot/"
files=(/test/cases="$work/cases" /test/known.awk="$here/known.awk" /test/known.list="$here/known.list")
for module in kprobes own_kprobe own_kretprobe own_jprobe; do
	files+=("/test/$module.ko=$(find "${places[@]}" -maxdepth 1 -name "$module.ko" | head -n 1)")
done
python3 "$root/tools/vm/initramfs.py" "$work/iso/boot/initrd" --script "$here/guest.sh" --files "${files[@]}"
# Where calls are checked, they are by FineIBT: it has to be told, as built here.
# The kernel finds more features than its table of their state says, and warns.
cat >"$work/iso/boot/grub/grub.cfg" <<END
set timeout=0
linux /boot/vmlinuz console=ttyS0 loglevel=4 panic=-1 oops=panic lpj=1000000 no_timer_check tsc=reliable cfi=fineibt
initrd /boot/initrd
boot
END
grub-mkrescue -o "$work/image" "$work/iso" >"$work/mkrescue.log" 2>&1
cat >"$work/bochsrc" <<END
cpu: model=tigerlake, count=1, ips=200000000, reset_on_triple_fault=0
memory: guest=512, host=512
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
ata0-master: type=cdrom, path=$work/image, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/console
log: $work/log
display_library: rfb, options="timeout=0"
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
panic: action=fatal
END
# Debian's has a debugger, which waits to be told to go on.
mkfifo "$work/commands"
bochs -q -f "$work/bochsrc" <"$work/commands" >"$work/said" 2>&1 &
bochs=$!
exec 8>"$work/commands"
echo c >&8
for ((i = 0; i < 600; i++)); do
	! grep -qsa "KP-VM-EXIT\|Kernel panic" "$work/console" || break
	kill -0 "$bochs" 2>/dev/null || break
	sleep 1
done
tr -d '\r' <"$work/console" | sed -n "s/^\(ok\|not ok\) /\1 landing-pads $name /p"
tr -d '\r' <"$work/console" >"$log.console"
if grep -qa "^KP-VM-EXIT 0" "$log.console" && grep -qa "^ok 13-.*wants landing pads" "$log.console"; then
	exit 0
fi
echo "not ok landing-pads $name: it ends, on a processor that wants them"
tail -n 40 "$log.console" | sed 's/^/# /'
exit 1
