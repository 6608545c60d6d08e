# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The engine loads without parameters, shows its files, unloads, many times.
for i in 1 2 3 4 5; do
	engine_start
	expect "the list is there and empty" test -z "$(cat $control/list)"
	expect "probes are enabled" test "$(cat $control/enabled)" = 1
	expect "the blacklist has entries" test "$(wc -l <$control/blacklist)" -gt 70
	[ $i != 1 ] || expect "K-REG-24 no thunk can be probed" awk '
		FNR == NR { split($1, range, "-"); black[substr(range[1], 3)]; next }
		$3 ~ /^__x86_indirect_.*thunk_|^((srso|srso_alias|retbleed|its|call_depth)|__x86)_return_thunk$/ &&
			!($1 in black) { print; bad = 1 }
		END { exit bad }' $control/blacklist /proc/kallsyms
	engine_stop
done
expect "the files are gone" test ! -e $control/blacklist -o $control = /sys/kernel/debug/kprobes -a ! -e $control
# What the build says: a module of 7.2 has all in one section.
expect "K-API-15 every export is for GPL modules only" sh -c '
	grep -q "EXPORT_SYMBOL_GPL" exports && ! grep -v "EXPORT_SYMBOL_GPL" exports'
expect "handlers' faults are seen" sh -c '! dmesg | grep -q "faults in handlers will be an oops"'
# Lockdep takes the other.
case $(uname -r) in *-kp-debug) ;; *) expect "breakpoints take the short way" sh -c '! dmesg | grep -q "take the long way"' ;; esac
# Of 5.10, another compiler than Debian's may write what is read there differently.
case $(uname -r) in *-kp-* | *-arm64) ;; *) expect "jumps take the short way" sh -c '! dmesg | grep -q "takes the long way"' ;; esac
