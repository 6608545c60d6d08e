# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# K-KNB-20 to 28: the global switch.
engine_start
insmod kp_rules.ko only_modules=1 || echo "not ok insmod kp_rules.ko"
insmod kp_victim.ko
work=/sys/module/kp_victim/parameters/work
for word in 2 -1 o " 1"; do
	expect "K-KNB-22 '$word' is refused" sh -c "! echo '$word' >$control/enabled"
done
for word in 0 n no off false; do
	expect "K-KNB-21 '$word' is off" sh -c "echo $word >$control/enabled"
	expect "K-KNB-20 and reads 0" test "$(cat $control/enabled)" = 0
done
expect "K-KNB-11 no tag" sh -c "! grep -q DISABLED $control/list"
for word in 1 y yes on true; do
	expect "K-KNB-21 '$word' is on" sh -c "echo $word >$control/enabled"
	expect "K-KNB-20 and reads 1" test "$(cat $control/enabled)" = 1
done
echo 5 >$work
rmmod kp_victim
rmmod kp_rules
engine_stop
