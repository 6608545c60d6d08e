# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# One meaning for each way to write a place, whichever command it is given to: uprobe, funcs, dis
# and load of functions, watch of variables, usdt of markers.

for nr in 1 2; do
	cat >part$nr.c <<END2
static int total = $nr * 1000;
static __attribute__((noipa)) int helper(int x) { __asm__ volatile("" : "+r"(x)); return x; }
int part$nr(int x)
{
	for (int i = 0; i < $nr; i++)
		x = helper(x);
	total++;
	__asm__ volatile("" : "+m"(total));
	return x;
}
END2
done
cat >plugged.c <<'END2'
int plugged_nr;
__attribute__((noipa)) int entry(int x) { __asm__ volatile("" : "+r"(x)); plugged_nr++; return x; }
END2
cat >forms.c <<'END2'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
#define NI __attribute__((noipa))
#define KEEP(x) __asm__ volatile("" : "+r"(x))
int part1(int), part2(int), act(int), old(int);
__asm__(".symver old, act@V1");
/* As compilers, linkers and Rust name them. */
#define NAMED(id, name) NI int id(int n) __asm__(name); NI int id(int n) { KEEP(n); return n; }
NAMED(f1, "copied.constprop.0.isra.0") NAMED(f2, "local.lto_priv.0") NAMED(f3, "thin.llvm.1234567")
NAMED(f4, "split") NAMED(f5, "split.part.0") NAMED(f6, "outlined.part.0.cold")
NAMED(f7, "_Z3funi") NAMED(f8, "_Z3funPKc") NAMED(f9, "_ZN2ns5shownEi")
NAMED(f10, "_ZN2ns12_GLOBAL__N_16hiddenEi") NAMED(f11, "_ZNK3box3getEv")
NAMED(f12, "_ZN5crate5older4call17h0123456789abcdefE") NAMED(f13, "_RNvNtCs1234_5crate5newer4call")
NAMED(f14, "_Z6clonedi.constprop.0") NAMED(f15, "split.isra.0")
int var1 __asm__("_ZN2ns3varE") = 1, var2 __asm__("counted.0") = 1, var3 __asm__("moved.lto_priv.0") = 1;
__thread int own;
int main(void)
{
	void *one = dlopen("./plugged.so", RTLD_NOW), *two = dlmopen(LM_ID_NEWLM, "./plugged.so", RTLD_NOW);
	int (*e1)(int) = (int (*)(int))dlsym(one, "entry"), (*e2)(int) = (int (*)(int))dlsym(two, "entry");
	volatile int s = 0;

	for (;; usleep(2000)) {
		s += part1(1) + part2(1) + act(1) + act(1) + old(1) + e1(1) + e2(1) + e2(1);
		s += f1(1) + f2(1) + f3(1) + f4(1) + f5(1) + f6(1) + f7(1) + f8(1) + f9(1) + f10(1);
		s += f11(1) + f12(1) + f13(1) + f14(1) + f15(1);
		var1++, var2++, var3++, own++;
#ifdef __x86_64__
		/* What <sys/sdt.h> leaves, as far as it is read. */
		__asm__ volatile("990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n"
				 ".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"
				 "993: .8byte 990b, 0, 0\n.asciz \"prov\"\n.asciz \"mark\"\n.asciz \"\"\n994: .balign 4\n"
				 ".popsection");
#endif
	}
}
END2
gcc -O1 -g -c part1.c part2.c
gcc -O2 -fPIC -shared -fno-lto -o libforms.so.1.2 "$root/tests/cli/versions.c" -Wl,--version-script="$root/tests/cli/versions.map" -Wl,-soname,libforms.so.1
ln -s libforms.so.1.2 libforms.so.1
ln -s libforms.so.1 libforms.so
ln -s forms linked
gcc -O1 -fPIC -shared -o plugged.so plugged.c
gcc -O1 -g -o forms forms.c part1.o part2.o -L. -lforms -ldl -Wl,-rpath,"$PWD"
./forms &
target=$!
trap 'kill $target' EXIT
expect "a process" wait_for grep -q plugged "/proc/$target/maps"
at=0x$(nm forms | awk '$3 == "part1" { sub("^0*", "", $1); print $1 }')

# How many calls a round of the loop has, and functions; then how it is written.
cat >places <<END2
3 2 helper
3 2 forms:helper
1 1 part1.c:helper
2 1 forms:part2.c:helper
1 1 linked:part1
1 1 ./linked:part1
1 1 $PWD/forms:part1
1 1 forms:$at
1 1 ./forms:$at
1 1 forms+$at
2 1 act
1 1 act@V1
2 1 act@@V2
1 1 libforms:act@V1
2 1 libforms.so.1:act
2 1 ./libforms.so:act
2 1 libforms.so.1.2:act
3 2 entry
3 2 plugged:entry
3 2 ./plugged.so:entry
3 2 plug*:entry
3 2 *:entry
1 1 fun(int)
1 1 fun(const char *)
2 2 fun
1 1 ns::shown
1 1 ns::hidden
1 1 ns::*::hidden
2 2 ns::*
1 1 box::get
1 1 box::get()
1 1 cloned
1 1 cloned(int)
1 1 copied
1 1 copied.constprop.0
1 1 local
1 1 thin
2 2 split
1 1 split.part.0
1 1 outlined
1 1 crate::older::call
1 1 crate::newer::call
END2
while read -r hits nr place; do
	quoted=$place
	case $place in *[\ \(\<]*) quoted="\"$place\"" ;; esac
	echo "uprobe:$quoted { @hits[\"$place\"] = count(); }"
done <places >all.bt
echo 'uprobe:part1 { @rounds = count(); if (@rounds == 40) { exit(); } }' >>all.bt
expect "one script with a place in each form" status 0 kprobes trace -p $target all.bt
cp "$work/said" counted

# counted PLACE HITS: within a tenth, since places are not all set at once.
counted() {
	awk -v want="$2" -v key="@hits[$1]: " '
		index($0, "@rounds: ") == 1 { rounds = $2 + 0 }
		index($0, key) == 1 { hits = substr($0, length(key) + 1) + 0 }
		END { print key hits, "of", want * rounds; exit !(hits >= want * rounds * 0.8 && hits <= want * rounds * 1.2) }' counted
}
# Each function once, whichever names it has.
listed() { status 0 kprobes funcs "$1" -p $target && [ "$(awk 'NR > 1 { print $1 }' "$work/said" | sort -u | wc -l)" -ge "$2" ]; }
shown() {
	status 0 kprobes dis "$1" -p $target || return 1
	if [ "$2" = 1 ]; then ! says several; else says 'several functions'; fi
}
while read -r hits nr place; do
	expect "uprobe:$place" counted "$place" "$hits"
	expect "funcs $place" listed "$place" "$nr"
	expect "dis $place" shown "$place" "$nr"
done <places

# A parameter takes one function; of several it is said how each is named.
[ -e "$root/samples/kprobe_example.so" ] || make -s -C "$root/samples" >/dev/null
loaded() {
	status "$1" kprobes load "$root/samples/kprobe_example.so" "symbol=@$2" -p $target && says "$3" || return 1
	[ "$1" != 0 ] || { status 0 kprobes list -p $target && says "$4" && kprobes unload -a -p $target; }
}
expect "load @part1.c:helper" loaded 0 part1.c:helper . helper
expect "load @copied" loaded 0 copied . copied.constprop.0.isra.0
expect "load @./libforms.so:act@V1" loaded 0 ./libforms.so:act@V1 . act
expect "load @crate::newer::call" loaded 0 crate::newer::call . _RNvNtCs1234_5crate5newer4call
expect "load @helper" loaded 5 helper 'several functions have this name.*forms\+0x'

# watched NAME LABEL
watched() {
	timeout -s INT 10 kprobes trace "watchpoint:$1:w { @n = count(); if (@n == 5) { exit(); } }" -p $target >"$work/said" 2>&1
	says '@n: ([5-9]|[1-9][0-9])'
}
for name in ns::var counted moved forms:total part1.c:total forms:part2.c:total plugged:plugged_nr; do
	expect "watch $name" watched $name
done
both() { timeout -s INT 10 kprobes watch plugged_nr -p $target >"$work/said" 2>&1 & wait_for says 'all 2 are watched'; kill -INT $!; wait $!; says 'all 2 are watched'; }
expect "a variable of a library that is loaded twice is watched twice" both
each() { status 2 kprobes watch own -p $target && says thread-local; }
expect "a thread-local variable is refused with the reason" each
nobody() { status 2 kprobes watch part2.c:totl -p $target && says 'no variable of that object, or file of the source'; }
expect "a variable that the file has not is said" nobody

# ---- names of any length ---------------------------------------------------------
long=$(printf 'n%.0s' $(seq 1500))
cat >long.c <<END2
#include <unistd.h>
int v$long;
__attribute__((noipa)) int $long(int x) { __asm__ volatile("" : "+r"(x)); v$long++; return x; }
int main(void) { for (;; usleep(2000)) $long(1); }
END2
gcc -O1 -o long long.c
./long &
long_target=$!
asked() {
	timeout -s INT 10 kprobes trace "$1 { @n = count(); if (@n == 5) { exit(); } }" -p $long_target >"$work/said" 2>&1
	says '@n: ([5-9]|[1-9][0-9])'
}
expect "uprobe of a name of 1,500 letters" asked "uprobe:long:$long"
expect "watch of one" asked "watchpoint:v$long:w"
expect "funcs of one" status 0 kprobes funcs "$long" -b long
expect "dis of one" status 0 kprobes dis "$long" -p $long_target
kill $long_target

if [ "$(uname -m)" = x86_64 ]; then
	marked() {
		timeout -s INT 10 kprobes trace "usdt:$1 { @n = count(); if (@n == 5) { exit(); } }" -p $target >"$work/said" 2>&1
		says '@n: ([5-9]|[1-9][0-9])'
	}
	for name in prov:mark forms:mark forms:prov:mark ./linked:prov:mark "$PWD/forms:mark" '*:prov:mark' 'for*:*:ma*'; do
		expect "usdt:$name" marked "$name"
	done
fi
kill $target
trap - EXIT
