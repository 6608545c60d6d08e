# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make install, uninstall and dkms; man pages; completion.
make -s -C "$root" install DESTDIR="$PWD/dest" PREFIX=/opt/kp >/dev/null
expect "make install" test -x dest/opt/kp/bin/kprobes
export PKG_CONFIG_PATH=$PWD/dest/opt/kp/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD/dest
flags=$(pkg-config --define-prefix --cflags --libs kprobes 2>/dev/null ||
	echo "-I$PWD/dest/opt/kp/include/kprobes -L$PWD/dest/opt/kp/lib -lkprobes")
expect "a program builds with what is installed" \
	gcc -Wall -Wextra -Werror -o consumer "$here/consumer.c" $flags
expect "... and runs" env LD_LIBRARY_PATH="$PWD/dest/opt/kp/lib" ./consumer
expect "... linked statically too" gcc -Wall -Wextra -Werror -o static "$here/consumer.c" \
	-Idest/opt/kp/include/kprobes -Ldest/opt/kp/lib -l:libkprobes.a
expect "... and runs" ./static
expect "the installed command runs" dest/opt/kp/bin/kprobes --version

# Probe modules come with it, built, and are found by their names.
by_name() { status 0 dest/opt/kp/bin/kprobes load hotspots probes=malloc -- ls && says 'malloc\+0x0/'; }
expect "a module by its name, without a compiler" by_name
for sample in "$root"/samples/*.c; do
	name=$(basename "$sample" .c)
	expect "$name.so is installed" test -f "dest/opt/kp/lib/kprobes/$name.so"
done
by_question() { status 0 dest/opt/kp/bin/kprobes trace 'uprobe:malloc { @ = count(); }' -- ls && says '^@: [0-9]'; }
expect "a question to a process, without a compiler" by_question
for sample in "$root"/samples/trace/*.bt; do
	name=$(basename "$sample")
	expect "$name is installed" test -f "dest/opt/kp/share/kprobes/samples/trace/$name"
done
no_strays() { [ "$(cd dest && find . -type f | grep -v '^./opt/kp/')" = "" ]; }
expect "all is under the prefix" no_strays

for page in "$root"/man/*.[137]; do
	name=$(basename "$page")
	expect "page $name is installed" test -f dest/opt/kp/share/man/man${name##*.}/$name
done
# Links lead to pages; pages have no warnings.
expect "links lead somewhere" sh -c 'cd dest/opt/kp/share/man && sed -n "s/^\.so //p" man3/* | sort -u | xargs ls'
for page in $(grep -L '^\.so' "$root"/man/*.[137]); do
	expect "$(basename "$page") has no warnings" sh -c \
		"LC_ALL=C.UTF-8 man --warnings -l -Tutf8 -Z $page 2>&1 >/dev/null | { ! grep .; }"
done
# Every public function has a page.
for name in $(grep -ohE '\b(un)?register_[jkw][a-z]*(s|e)\(|\b(en|dis)able_[jkw][a-z]*\(' \
		"$root/include/linux/kprobes.h" "$root/include/kprobes/watch.h" |
	tr -d '(' | sort -u); do
	expect "$name has a page" test -f "$root/man/$name.3"
done
for name in $(sed -n 's/.*summary = .*//; s/^\s*\.name = "\([a-z]*\)".*/\1/p' "$root"/cli/commands/*.c); do
	expect "command $name is in kprobes(1)" grep -q "kprobes $name" "$root/man/kprobes.1"
	expect "command $name is completed" grep -q "^	local commands=.*\b$name\b" "$root/cli/completion.bash"
done

# complete WORDS...: what completion offers for the last word.
complete_line() {
	bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kprobes 2>/dev/null; printf "%s\n" "${COMPREPLY[@]}"' \
		"$root/cli/completion.bash" "$@"
}
touch probe.so other.c
expect "completion of commands" sh -c "test '$(complete_line kprobes li)' = list"
expect "completion of values" sh -c "test '$(complete_line kprobes enabled 1)' = 1"
expect "completion of modules" sh -c "test '$(complete_line kprobes load pro)' = probe.so"
expect "... of nothing else" sh -c "test -z '$(complete_line kprobes load oth)'"
expect "completion of processes" sh -c "test '$(complete_line kprobes list -p $$)' = $$"
touch mine.bt
expect "completion of scripts" sh -c "test '$(complete_line kprobes trace mi)' = mine.bt"
expect "completion of functions for top" sh -c \
	"test '$(complete_line kprobes top -p $$ malloc_tri)' = malloc_trim"
expect "completion of control groups" sh -c \
	"mkdir -p cg/shop.slice && test '$(mkdir -p cg/shop.slice; KPROBES_CGROUP_DIR=cg complete_line kprobes trace --cgroup sh)' = shop.slice"
expect "completion of probes" sh -c "test '$(complete_line kprobes trace "'uret")' = uretprobe:"
expect "... of functions in a script" sh -c \
	"test '$(complete_line kprobes trace -p $$ "'uprobe:libc:malloc_tri")' = uprobe:libc:malloc_trim"
expect "... without its quote" sh -c \
	"test '$(complete_line kprobes trace -p $$ uprobe : malloc_tri)' = malloc_trim"
expect "completion of options" sh -c "test '$(complete_line kprobes dis --pl)' = --plan"

make -s -C "$root" uninstall DESTDIR="$PWD/dest" PREFIX=/opt/kp
expect "make uninstall leaves no file" sh -c '! find dest -type f -o -type l | grep .'
expect "... and no directory of its own" sh -c '! find dest -name "*kprobes*" | grep .'

# The tree for DKMS builds as DKMS calls it; always in the same place, for ccache.
place=$build/tests/dkms
rm -rf "$place"
make -s -C "$root" dkms DESTDIR="$place" >/dev/null
tree=$(echo "$place"/usr/src/kprobes-*)
expect "make dkms" test -f "$tree/dkms.conf" -a -f "$tree/Kbuild"
expect "... is a dkms.conf that bash reads" bash -euc "kernelver=1 kernel_source_dir=/k dkms_tree=/d source_tree=/s; . '$tree/dkms.conf'; test \"\$PACKAGE_NAME-\$PACKAGE_VERSION\" = '$(basename "$tree")'"
kernel=$("$root/tools/vm/kernel.sh" stock 2>"$work/kernel.log") ||
	cat "$work/kernel.log"
expect "... builds with plain make" make -s -C "$kernel/kdir" M="$tree" modules
expect "... kprobes.ko" modinfo "$tree/kprobes.ko"
expect "... kprobes_trace.ko, which needs it" sh -c "modinfo -F depends $tree/kprobes_trace.ko | grep -q kprobes"
expect "... and leaves symbols for probe modules" sh -c "cd $tree && ./keep-symvers 6.0 \$PWD && grep -q kp_register_kprobe build/module/6.0/Module.symvers"
