# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# bash completion for kprobes(1)
#
# Places are completed from the list of the target that the line names; files,
# processes and options from what the subcommand takes.

# The target's options that are already on the line: "-p PID" or nothing.
_kprobes_target() {
	local i
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-p | --pid) printf -- '-p %s' "${COMP_WORDS[i + 1]}"; return ;;
		-p[0-9]*) printf -- '-p %s' "${COMP_WORDS[i]#-p}"; return ;;
		esac
	done
}

# Where probes are, as the list shows it.
_kprobes_places() {
	kprobes list $(_kprobes_target) 2>/dev/null </dev/null | awk '$3 ~ /\+0x/ { print $3 }'
}

# Words that begin as what was typed.  Not with compgen -W, which expands them as
# the shell does: a name comes from a process or a file, and $(...) in it would be
# run.  For the same reason it is quoted on the line.
_kprobes_words() {
	local word
	COMPREPLY=()
	while IFS= read -r word; do
		[[ -n $word && $word == "$cur"* ]] &&
			COMPREPLY+=("$(printf %q "$word")")
	done < <(printf %s "$1" | tr -s ' ' '\n'; echo)
}

# Processes that this user can attach to: not the kernel's, nor other users'.
_kprobes_processes() {
	local dir
	for dir in /proc/[0-9]*; do
		[ -r "$dir/maps" ] && [ -s "$dir/cmdline" -o "$EUID" = 0 ] &&
			read -r _ <"$dir/maps" && printf '%s ' "${dir#/proc/}"
	done 2>/dev/null
}

# What the line probes, for funcs: "-p PID", "-b FILE" or nothing.
_kprobes_source() {
	local i
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-b | --binary) printf -- '-b\n%s\n' "${COMP_WORDS[i + 1]}"; return ;;
		-p | --pid) printf -- '-p\n%s\n' "${COMP_WORDS[i + 1]}"; return ;;
		esac
	done
}

# Functions that begin as what was typed; not before two letters are.
_kprobes_functions() {
	local word=${1##*,} source
	[ "${#word}" -ge 2 ] || return
	mapfile -t source < <(_kprobes_source)
	kprobes funcs "$word*" "${source[@]}" 2>/dev/null </dev/null |
		awk -v head="${1%"$word"}" '$1 ~ /^[0-9a-f]+$/ { print head $5 }' | head -200
}

# A script's probes: their kinds, then functions.  The word may begin with the
# script's quote, or be what is behind a colon: bash makes words of that.
_kprobes_probes() {
	local kind word
	cur=${cur#[\'\"]}
	if [[ $prev = : ]]; then
		kind=${COMP_WORDS[COMP_CWORD - 2]} word=$cur
	elif [[ $cur = *:* ]]; then
		kind=${cur%%:*} word=${cur#*:}
	else
		_kprobes_words "uprobe: uretprobe: usdt: syscall: sysret: watchpoint: kwatchpoint: kprobe: kretprobe: tracepoint: tracepoint:syscalls:sys_enter_ profile:hz:99 interval:s:1"
		compopt -o nospace 2>/dev/null
		return
	fi
	case ${kind#[\'\"]} in
	# The kernel's, also where the line has a process.
	kprobe | kretprobe | k | kr) word=$(COMP_CWORD=0; _kprobes_functions "$word") ;;
	uprobe | uretprobe | u | ur)
		[ -n "$(_kprobes_source)" ] && word=$(_kprobes_functions "$word") || return
		;;
	*) return ;;
	esac
	_kprobes_words "$(sort -u <<<"$word" | sed "/./s|^|${cur%"${cur##*:}"}|")"
}

# Modules that came with the command.
_kprobes_modules() {
	local at dir
	at=$(command -v kprobes) || return
	at=$(dirname "$(readlink -f "$at")")
	for dir in "$at/../lib/kprobes" "$at"/../lib/*/kprobes "$at/../samples"; do
		[ -d "$dir" ] && (cd "$dir" && printf '%s\n' *.so | sed -n 's/\.so$//p' | grep -v '^\*')
	done
}

_kprobes() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} i
	local commands="trace top watch load unload list enable disable enabled optimization blacklist funcs dis log help"

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		_kprobes_words "$commands --help --version"
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [ "${COMP_WORDS[i]}" = -- ]; then
			COMPREPLY=($(compgen -c -f -- "$cur"))
			return
		fi
	done
	case $prev in
	-p | --pid)
		_kprobes_words "$(_kprobes_processes)"
		return
		;;
	-b | --binary)
		COMPREPLY=($(compgen -f -- "$cur"))
		compopt -o filenames 2>/dev/null
		return
		;;
	--cgroup)
		COMPREPLY=($(cd "${KPROBES_CGROUP_DIR:-/sys/fs/cgroup}" && compgen -d -- "$cur"))
		compopt -o filenames 2>/dev/null
		return
		;;
	esac
	case $command in
	trace)
		case $cur in
		-*) _kprobes_words "-p --pid --cgroup --container --follow -e --execute -l -f --format -v --verbose -c -o -q --quiet --no-warnings --dry-run --folded --calls --flame --pprof --perfetto --" ;;
		*)
			case $prev in
			-f | --format) _kprobes_words "text json"; return ;;
			--flame | --pprof | --perfetto) COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames 2>/dev/null; return ;;
			esac
			_kprobes_probes
			COMPREPLY+=($(compgen -f -X '!*.bt' -- "$cur") $(compgen -d -- "$cur"))
			;;
		esac
		;;
	top)
		case $cur in
		-*) _kprobes_words "-p --pid --cgroup --container --follow -d --delay -n --rounds --by --latency -e --execute -v --verbose --" ;;
		*)
			case $prev in
			--by) _kprobes_words "probe thread process"; return ;;
			-d | --delay | -n | --rounds) return ;;
			esac
			_kprobes_words "$(_kprobes_functions "$cur")"
			[ -n "$COMPREPLY" ] || _kprobes_probes
			COMPREPLY+=($(compgen -f -X '!*.bt' -- "$cur"))
			;;
		esac
		;;
	watch)
		case $cur in
		-*) _kprobes_words "-k --kernel -p --pid --cgroup --container --thread --on-return --until --where -v --verbose --" ;;
		esac
		;;
	load)
		case $cur in
		-*) _kprobes_words "-p --pid --" ;;
		# bash makes words of what is around '='.
		*) if [[ $prev = = && ${COMP_WORDS[COMP_CWORD - 2]} =~ ^(probes|symbol)$ ]]; then
				_kprobes_words "$(_kprobes_functions "$cur")"
				return
			fi ;;&
		probes=* | symbol=*)
			_kprobes_words "$(_kprobes_functions "${cur#*=}" | sed "s|^|${cur%%=*}=|")"
			;;
		*)
			_kprobes_words "$(_kprobes_modules)"
			COMPREPLY+=($(compgen -f -X '!*.so' -- "$cur")
				$(compgen -f -X '!*.ko' -- "$cur")
				$(compgen -d -- "$cur"))
			compopt -o filenames 2>/dev/null
			;;
		esac
		;;
	unload)
		case $cur in
		-*) _kprobes_words "-a --all -p --pid" ;;
		*)
			COMPREPLY=($(compgen -f -X '!*.so' -- "$cur")
				$(compgen -f -X '!*.ko' -- "$cur")
				$(compgen -d -- "$cur")
				$(ls /sys/module/kprobes/holders 2>/dev/null | grep -F -- "$cur"))
			compopt -o filenames 2>/dev/null
			;;
		esac
		;;
	enable | disable)
		case $cur in
		-*) _kprobes_words "-p --pid" ;;
		*) _kprobes_words "$(_kprobes_places)" ;;
		esac
		;;
	enabled | optimization) _kprobes_words "0 1 -p --pid" ;;
	list) _kprobes_words "-p --pid -l --long --json" ;;
	blacklist) _kprobes_words "-p --pid" ;;
	funcs)
		case $cur in
		-*) _kprobes_words "-b --binary -p --pid --inlined --json" ;;
		*) _kprobes_words "$(_kprobes_functions "$cur")" ;;
		esac
		;;
	dis)
		case $cur in
		-*) _kprobes_words "-b --binary -p --pid --plan --json" ;;
		*) _kprobes_words "$(_kprobes_places) $(_kprobes_functions "$cur")" ;;
		esac
		;;
	log) _kprobes_words "-p --pid -f --follow" ;;
	help) _kprobes_words "$commands" ;;
	esac
}
complete -F _kprobes kprobes
