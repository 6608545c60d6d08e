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

_kprobes() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} i
	local commands="load unload list enable disable enabled optimization blacklist funcs dis help"

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
		_kprobes_words "$(cd /proc && printf '%s ' [0-9]*)"
		return
		;;
	-b | --binary)
		COMPREPLY=($(compgen -f -- "$cur"))
		compopt -o filenames 2>/dev/null
		return
		;;
	esac
	case $command in
	load)
		case $cur in
		-*) _kprobes_words "-p --pid --" ;;
		*)
			COMPREPLY=($(compgen -f -X '!*.so' -- "$cur")
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
	list) _kprobes_words "-p --pid --json" ;;
	blacklist) _kprobes_words "-p --pid" ;;
	funcs) _kprobes_words "-b --binary -p --pid --inlined --json" ;;
	dis)
		case $cur in
		-*) _kprobes_words "-b --binary -p --pid --plan --json" ;;
		*) _kprobes_words "$(_kprobes_places)" ;;
		esac
		;;
	help) _kprobes_words "$commands" ;;
	esac
}
complete -F _kprobes kprobes
