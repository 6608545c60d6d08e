# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The process host on this processor: what depends on its state, and attaching.
echo "# $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1):" \
	$(sed -n 's/^flags.*: //p' /proc/cpuinfo | head -n 1 | tr ' ' '\n' | grep -E '^(fxsr|xsave.*|xgetbv1|avx.*|amx.*|pku|smap)$')
export LD_LIBRARY_PATH=/test/with KPROBES_LIBRARY=/test/with/libkprobes.so

run_program live/wide
run_program live/flags
run_program live/jprobe
run_program live/jprobe breakpoints

# A program whose only thread has all of the processor's state in use.
mkfifo /tmp/in
with/tests/models/victim units </tmp/in >/tmp/victim 2>&1 &
victim=$!
exec 3>/tmp/in
for i in $(seq 200); do grep -q ready /tmp/victim && break; sleep 0.1; done
expect "attach" kprobes load with/tests/models/counter.so -p $victim
expect "its probe is listed" sh -c "kprobes list -p $victim | grep victim_target"
expect "detach" kprobes unload -a -p $victim
exec 3>&-
wait $victim
expect "the program is undisturbed" grep -q fine /tmp/victim
