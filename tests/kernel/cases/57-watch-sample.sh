# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The sample of watch probes: who changes the kernel's panic_timeout?
engine_start
symbol=panic_timeout
grep -qw $symbol /proc/kallsyms || symbol=
if [ -n "$symbol" ]; then
	insmod own_wprobe.ko symbol=$symbol || echo "not ok insmod own_wprobe.ko"
	expect "K-WAT-18 the list shows it" grep -q "  w  $symbol+0x0 .*\[CHANGED\]\[REGISTERS\]" $control/list
	echo 17 >/proc/sys/kernel/panic
	echo 17 >/proc/sys/kernel/panic
	expect "K-WAT-03 who changes a variable" test \
		"$(dmesg | grep -c "own_wprobe: $symbol+0x0 in .*: [0-9]* became 17, ip")" = 1
	echo 0 >/proc/sys/kernel/panic
	rmmod own_wprobe || echo "not ok rmmod own_wprobe"
	expect "K-WAT-09 and it goes" sh -c 'dmesg | grep -q "is not watched any more; 0 accesses were missed"'
	expect "... from the list, too" sh -c "! grep -q '  w  ' $control/list"
else
	echo "ok the sample of watch probes # skip: no data in the symbol table"
fi
engine_stop
