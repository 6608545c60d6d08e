# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Processes and files that whoever looks at them must be safe from.
objects=("$build"/cli/inspect/{jail,view,remote,open}.o "$build"/cli/terminal/{printable,output}.o)
expect "the jail's test is built" gcc -D_GNU_SOURCE -O1 -Wall -I"$root/cli" -I"$root/cli/inspect" $SANITIZE_FLAGS \
	"$here/jailed.c" "${objects[@]}" -o jailed
: >looked-at
echo >beside
mkfifo fifo
ln -s /dev/zero device
expect "nothing but reading is possible in the jail" timeout 120 ./jailed looked-at

# ---- files
# Nesting, and siblings that lead back; gas writes the bytes as they are said.
dwarf() {
	cat >"$1.s" <<-END
		.text
		.globl main
		.type main,@function
		main: ret
		.size main,.-main
		.section .debug_abbrev,"",@progbits
		.uleb128 1; .uleb128 0x11; .byte 1; .byte 0,0
		.uleb128 2; .uleb128 0x0b; .byte 1; .byte 0,0
		.uleb128 3; .uleb128 0x0b; .byte 1; .byte 1,0x13; .byte 0,0
		.byte 0
		.section .debug_info,"",@progbits
		.long e-s
		s: .value 4
		.long 0
		.byte 8
		.uleb128 1
		$2
		e:
	END
	gcc -shared -nostdlib -o "$1" "$1.s"
}
# survives FILE: the command ends by itself, and by no signal
survives() {
	local got=0
	timeout 120 kprobes funcs --inlined foo -b "$1" >"$work/said" 2>&1 || got=$?
	[ $got -lt 6 ] && return 0
	echo "status $got"
	cat "$work/said"
	return 1
}
dwarf deep.so ".fill 300000,1,2; .fill 300001,1,0"
dwarf wide.so ".rept 100000; .byte 2,0; .endr; .byte 0"
dwarf back.so ".byte 3; .long 11; .byte 2,0,0,3; .long 11; .byte 0,0"
dwarf cut.so ".byte 2,2,2"
for file in deep wide back cut; do
	expect "debugging information that is $file" survives $file.so
done

gcc -g -O1 -o plain "$here/inlined.c"
printf 'fifo\0\0\0\0\1\2\3\4' >link
objcopy --add-section .gnu_debuglink=link plain linked
expect "a debug link to a FIFO" survives linked
printf '%s/fifo\0%s' "$PWD" 01234567890123456789 >alt
objcopy --add-section .gnu_debugaltlink=alt plain shared
expect "a shared debug file that is a FIFO" survives shared
printf '../../../../../../../../..%s/fifo\0%s' "$PWD" 01234567890123456789 >alt
objcopy --add-section .gnu_debugaltlink=alt plain shared
expect "... by another way" survives shared
gcc -g -O1 -gsplit-dwarf -c -o split.o "$here/inlined.c"
rm -f split.dwo
mkfifo split.dwo
gcc -o split split.o
expect "debugging information in a FIFO" survives split
expect "a FIFO" status 1 timeout 120 kprobes funcs x -b fifo
expect "... is said" says "fifo: not a regular file"
expect "a device" status 1 timeout 120 kprobes funcs x -b device
expect "a directory" status 1 timeout 120 kprobes funcs x -b .

# Names.
escape=$'\e[31m'
objcopy --redefine-sym one_copy="${escape}evil"$'\nkprobes: fine' plain named
expect "a name with an escape sequence" status 0 kprobes funcs '*evil*' -b named
expect "... is shown harmless" says '\\x1b\[31mevil\\x0akprobes: fine'
expect "... nothing of it arrives" sh -c "! grep -q '$escape' '$work/said'"
expect "... in JSON" status 0 kprobes funcs '*evil*' -b named --json
expect "... is one name" json 'len(d) == 1 and "evil" in d[0]["name"] and "\n" not in d[0]["name"]'
unset NO_COLOR
TERM=xterm script -qec "kprobes funcs '*evil*' -b named" /dev/null >"$work/said" 2>&1 </dev/null
export NO_COLOR=1
expect "on a terminal our colours are there" grep -q $'\e\\[32mjump' "$work/said"
expect "... not the file's" sh -c "! grep -q '${escape/\[/\\[}evil' '$work/said'"

# Completion: the shell runs nothing of a name.
complete_names() {
	kprobes() { printf '0000000000000000  k  %s+0x0    \n' '$(touch${IFS}run)' '`touch${IFS}run`' 'malloc;touch'; }
	. "$root/cli/completion.bash"
	COMP_WORDS=(kprobes disable "") COMP_CWORD=2
	_kprobes
	eval "set -- ${COMPREPLY[*]}"
	[ ! -e run ] && [ $# = 3 ] && [ "$1" = '$(touch${IFS}run)+0x0' ]
}
expect "completion of names that are commands" complete_names

# ---- processes
B=$build python3 "$here/process/hostile.py"
