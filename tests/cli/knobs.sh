# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The switches and lists of a process, as an engineer's scripts use them.
cat >victim.c <<'END'
#include <linux/kprobes.h>
#include <unistd.h>

__attribute__((noinline)) int work(int a)
{
	__asm__ volatile("");
	return a * 5 + 1;
}

static int nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

int main(void)
{
	static struct kprobe p = { .symbol_name = "work", .pre_handler = nothing };

	if (register_kprobe(&p) || write(1, "ready\n", 6) != 6)
		return 1;
	for (;;) {
		work(1);
		usleep(1000);
	}
}
END
gcc -O1 -rdynamic -I"$root/include" -I"$root/host/linux-user/include" \
	-I"$root/arch/x86/include" victim.c -o victim -L"$build" \
	-Wl,-rpath,"$build" -lkprobes
KPROBES_LOG=3,$PWD/said.log ./victim >said.ready &
victim=$!
expect "a process with a probe" wait_for grep -q ready said.ready

# reads COMMAND VALUE, takes COMMAND WORD VALUE, refuses COMMAND WORD
reads() { status 0 kprobes "$1" -p $victim && [ "$(cat "$work/said")" = "$2" ]; }
takes() { status 0 kprobes "$1" "$2" -p $victim && reads "$1" "$3"; }
refuses() {
	local was
	was=$(kprobes "$1" -p $victim)
	status 2 kprobes "$1" "$2" -p $victim && reads "$1" "$was"
}
# said N WORDS: the process did, so often
said() { [ "$(grep -c "^kprobes: $2\$" said.log)" = "$1" ] || { cat said.log; return 1; }; }

expect "K-KNB-20 enabled is on at first" reads enabled 1
for word in 0 n N no f F false of off OFF 0x1; do
	expect "K-KNB-21 on" takes enabled 1 1
	expect "K-KNB-21 enabled takes '$word'" takes enabled "$word" 0
done
for word in 1 y Y yes t T true on ON oN 1garbage; do
	expect "K-KNB-21 off" takes enabled 0 0
	expect "K-KNB-21 enabled takes '$word'" takes enabled "$word" 1
done
for was in 0 1; do
	kprobes enabled $was -p $victim >/dev/null 2>&1
	for word in 2 o x " 1" "$(printf '%01000d' 2)"; do
		expect "K-KNB-22 enabled refuses '${word:0:8}'" refuses enabled "$word"
	done
done
on='Kprobes globally enabled' off='Kprobes globally disabled'
turns=$(grep -c "$off" said.log)
expect "K-KNB-26 K-KNB-25 each turn is said" said $turns "$on"
for word in 1 0 0 1 1; do kprobes enabled $word -p $victim >/dev/null 2>&1; done
expect "K-KNB-25 the present state is nothing to say, off" said $((turns + 1)) "$off"
expect "K-KNB-25 nor on" said $((turns + 1)) "$on"

expect "K-KNB-51 optimization is on at first" reads optimization 1
for word in 0 n N; do
	expect "K-KNB-52 on" takes optimization 1 1
	expect "K-KNB-52 K-KNB-53 optimization takes '$word'" takes optimization "$word" 0
done
for word in 1 y Y; do
	expect "K-KNB-52 off" takes optimization 0 0
	expect "K-KNB-52 K-KNB-53 optimization takes '$word'" takes optimization "$word" 1
done
for was in 0 1; do
	kprobes optimization $was -p $victim >/dev/null 2>&1
	for word in 2 10 x yes nn "1 2" "$(printf '%01000d' 1)"; do
		expect "K-KNB-52 optimization refuses '${word:0:8}'" refuses optimization "$word"
	done
done
on='kprobe jump-optimization is enabled. All kprobes are optimized if possible.'
off='kprobe jump-optimization is disabled. All kprobes are based on software breakpoint.'
turns=$(grep -c "$off" said.log)
before=$(grep -c "$on" said.log)
for word in 1 0 0 1 1; do kprobes optimization $word -p $victim >/dev/null 2>&1; done
expect "K-KNB-56 each change is said once, off" said $((turns + 1)) "$off"
expect "K-KNB-56 and on" said $((before + 1)) "$on"

listed() { status 0 kprobes list -p $victim && says "$1"; }
line='^[0-9a-f]{16}  k  work\+0x0    '
expect "K-KNB-55 the tag is there" listed "$line\[OPTIMIZED\]\$"
kprobes optimization 0 -p $victim >/dev/null 2>&1
expect "K-KNB-02 K-KNB-54 a line without tags ends in four blanks" listed "$line\$"
kprobes disable work -p $victim >/dev/null 2>&1
expect "K-KNB-07 K-KNB-08 a disabled one" listed "$line\[DISABLED\]\$"
kill $victim
wait $victim 2>/dev/null || true
