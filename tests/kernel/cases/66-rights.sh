# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What tells kernel memory needs what /proc/kcore needs, not only uid 0.
CAP_SYS_RAWIO=17
engine_start

# denied CAPABILITY FILE HOW...: it cannot be opened so without it
denied() {
	capability=$1 file=$2
	shift 2
	if ./uncapable $capability sh -c "$*" 2>/tmp/said; then echo "opened"; return 1; fi
	grep -qiE 'not permitted|permission denied' /tmp/said || { cat /tmp/said; return 1; }
}
for lost in all $CAP_SYS_RAWIO; do
	for file in original memory; do
		expect "$file without capabilities ($lost)" denied $lost $file "dd if=$control/$file bs=1 count=1"
	done
	for how in "<" ">" "<>"; do
		expect "check, opened by $how, without capabilities ($lost)" denied $lost check "true $how$control/check"
	done
done
expect "the list does not need them" ./uncapable $CAP_SYS_RAWIO cat $control/list
# A file position has no highest bit.
position=$((0x7$(awk '$3 == "__put_user_4" { print substr($1, 2); exit }' /proc/kallsyms)))
for file in original memory; do
	expect "root reads $file" test "$(dd if=$control/$file bs=1 count=4 skip=$position 2>/dev/null | wc -c)" = 4
done
expect "the command shows what stands there" kprobes dis __put_user_4
expect "but not without them" sh -c "! ./uncapable all kprobes dis __put_user_4"
engine_stop
