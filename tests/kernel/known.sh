#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns the proof that what known.list names is the kernel's own, and that no other
# warning passes for it.
#
#     known.sh BUILD
#
# Boots Debian's 6.12, with no module of anybody's, and takes a CPU away until the
# warning comes.  Exit status 0 when it does.

set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/tests/kernel
work=$(realpath "$1")/known
rm -rf "$work"
mkdir -p "$work/cases"
failed=0

# A CPU's fair server stops when that has been idle for as long as its period allows, a
# second; and the CPU when it goes stops it, whether it runs or not.  With a short
# period, and the same share, the former falls between what the CPU does last and the latter.
cat >"$work/cases/82-beside.sh" <<'END'
mount -t debugfs none /sys/kernel/debug 2>/dev/null
cpu=/sys/devices/system/cpu/cpu1/online
server=/sys/kernel/debug/sched/fair_server/cpu1
echo 5000 >$server/runtime && echo 100000 >$server/period || exit
left=200
until dmesg | grep -q "WARNING.* task_non_contending+"; do
	[ $((left -= 1)) -gt 0 ] || exit
	echo 0 >$cpu && sleep 0.05 && echo 1 >$cpu && sleep 0.05 || exit
done
echo "# after $((200 - left)) times, with $(wc -l </proc/modules) modules"
END
"$root/tools/vm/run" --kernel stock-6.12 --script "$here/guest.sh" --log "$work/console" --thread single \
	--files /test/cases="$work/cases" /test/known.awk="$here/known.awk" /test/known.list="$here/known.list" \
	>"$work/said" 2>&1 || :
tr -d '\r' <"$work/console" >"$work/log"
# Of the line that tells running from all bandwidth, not what else so short a period does.
report() {
	awk '/cut here/ { text = ""; of = 1 }
	of { text = text $0 "\n" }
	/---\[ end trace / { of = 0; if (text ~ /WARNING.* task_non_contending\+/) { printf "%s", text; exit } }' "$work/log"
}
report >"$work/report"
if grep -q "^# after .* with 0 modules" "$work/said" && grep -q "Modules linked in: *$" "$work/report"; then
	echo "ok known: the kernel's own warning comes without a module"
	sed -n 's/^# after/# after/p' "$work/said"
else
	echo "not ok known: the kernel's own warning comes without a module"
	tail -n 40 "$work/said" | sed 's/^/# /'
	exit 1
fi

# told WORDS NR CASE RELEASE SED-SCRIPT: of the report, changed so, NR lines are told.
told() {
	sed "$5" "$work/report" >"$work/changed"
	rm -f "$work/known"
	busybox awk -v test="$3" -v release="$4" -v known="$work/known" -f "$here/known.awk" \
		"$here/known.list" "$work/changed" >"$work/left"
	touch "$work/known"
	if [ "$(wc -l <"$work/known")" = "$2" ] && { [ "$2" = 1 ] || cmp -s "$work/changed" "$work/left"; } &&
			{ [ "$2" = 0 ] || [ ! -s "$work/left" ]; }; then
		echo "ok known: $1"
	else
		echo "not ok known: $1"
		failed=1
	fi
}
release=6.12.95+deb12-amd64
told "the report is known" 1 82-beside $release ''
told "not in another case" 0 90-torture $release ''
told "not on another kernel" 0 82-beside 6.120.1 ''
told "not another function's" 0 82-beside $release '/WARNING/s/ task_non_contending+/ task_contending+/'
told "not from another caller" 0 82-beside $release '/\]  sched_cpu_dying+/d'
told "not from what the stack still holds" 0 82-beside $release 's/\]  dl_server_stop+/]  ? dl_server_stop+/'
told "not one that does not end" 0 82-beside $release '/end trace/d'
told "not one with another inside" 0 82-beside $release '/RIP:/a [    1.000000] ------------[ cut here ]------------
/RIP:/a [    1.000000] WARNING: CPU: 0 PID: 1 at kernel/fork.c:1 copy_process+0x1/0x2'

# The console's scan takes the guest's answer for this report, and for no other.
if PYTHONPATH=$root/tools/vm python3 - "$root/tools/vm/run" "$work/report" <<'END'
import importlib.machinery, importlib.util, re, sys
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("run", sys.argv[1])
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)
report = open(sys.argv[2], encoding="utf-8").read().splitlines()
time = re.search(r"\[ *\d+\.\d{6}\]", report[0])[0]
other = [line.replace(time, "[    0.000001]") for line in report]
answer = f"known 82-beside: {time} words"
sys.exit(run.kernel_reports([*report, answer], []) or not run.kernel_reports(report, [])
         or not run.kernel_reports([*report, answer, *other], []))
END
then
	echo "ok known: the console's scan, too"
else
	echo "not ok known: the console's scan, too"
	failed=1
fi
exit $failed
