# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A command that is started to be traced: nothing of it runs before the script is
# understood, and it never outlives a tracer that has not let it go.
cat >mark.c <<'END'
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void early(void) { close(open("began", O_CREAT | O_WRONLY, 0600)); }
__attribute__((noipa)) int work(int a) { __asm__ volatile(""); return a; }
int main(void)
{
	struct sigaction pipe, term, hup;

	sigaction(SIGPIPE, NULL, &pipe);
	sigaction(SIGTERM, NULL, &term);
	sigaction(SIGHUP, NULL, &hup);
	printf("ran%s%s%s\n", pipe.sa_handler == SIG_DFL ? "" : " no-sigpipe",
	       term.sa_handler == SIG_DFL ? "" : " no-sigterm",
	       hup.sa_handler == SIG_DFL ? "" : " no-sighup");
	return work(0);
}
END
gcc -O1 -rdynamic mark.c -o mark
printf 'exit 0\n' >plain
printf '#!/nosuch/interpreter\n' >lost
printf 'no program\n' >data
chmod 755 plain lost
mkdir folder

# unrun REGEX STATUS SCRIPT: refused, and nothing of the command has run.
unrun() {
	local regex=$1 wanted=$2
	rm -f began
	status "$wanted" kprobes trace "$3" -- ./mark && says "$regex" && [ ! -e began ]
}
expect "a script with a wrong word" unrun "ERROR.*" 2 'BEGIN { @n = oops }'
expect "one that ends too soon" unrun "the script ends here" 2 'BEGIN { @n = '
expect "a place that is not there" unrun "no such function" 2 'uprobe:nosuch { @n = count(); }'
expect "exit() in BEGIN" unrun "Attached" 0 'BEGIN { exit(); }'

# absent STATUS REGEX COMMAND: each subcommand says why it cannot be run.
absent() {
	local wanted=$1 regex=$2 what=$3 words
	for words in "trace BEGIN{print(1)}" "trace interval:ms:9{exit()}" "trace uprobe:malloc{@=count()}" \
		"trace -f uprobe:malloc{@=count()}" "top malloc" "watch total" "load $root/samples/hotspots.so probes=main"; do
		# shellcheck disable=SC2086
		status "$wanted" timeout 20 kprobes $words -- "$what" && says "$regex" || return 1
	done
}
[ -e "$root/samples/hotspots.so" ] || make -s -C "$root/samples" >/dev/null
expect "a command that is not there" absent 3 "No such file" ./nosuch
expect "one that is nowhere in PATH" absent 3 "No such file" nosuch-command
expect "a folder" absent 4 "Permission denied" ./folder
expect "a file that may not be executed" absent 4 "Permission denied" ./data
expect "a script whose interpreter is not there" status 3 kprobes trace 'BEGIN { print(1) }' -- ./lost
expect "a script without a first line is the shell's" status 0 kprobes trace 'BEGIN { print(1) }' -- ./plain
# Whoever runs the tests may ignore it, as nohup does.
signals() { status 0 env --default-signal=HUP kprobes trace "$1" -- ./mark && says '^ran$'; }
expect "its signals are the user's" signals 'BEGIN { print(1) }'
expect "with probes, too" signals 'uprobe:work { @n = count(); }'
ignored() { (trap '' HUP; status 0 kprobes trace 'BEGIN { print(1) }' -- ./mark && says '^ran no-sighup$'); }
expect "and those that he ignores" ignored

ends() {
	local i
	for i in $(seq 40); do
		status 0 timeout 20 kprobes trace 'BEGIN { @n = 1; }' -- /bin/true || return 1
	done
}
expect "a command that ends at once ends the script" ends

# Whoever is left behind has this folder as its own.
left() {
	local p found=1
	for p in /proc/[0-9]*; do
		[ "$(readlink "$p/exe")" = "$(command -v kprobes)" ] && [ "$(readlink "$p/cwd")" = "$PWD" ] &&
			echo "${p#/proc/} $(tr '\0' ' ' <"$p/cmdline") $(cat "$p/wchan")" && found=0
		[ "$(readlink "$p/exe")" = "$PWD/sleeper" ] && echo "${p#/proc/} sleeper" && found=0
	done
	return $found
}
# At any moment of its start: all of it, or the controller alone, is killed.
cp "$(command -v sleep)" sleeper
killed() {
	local script=$1 whom=$2 i face
	for i in $(seq 24); do
		setsid timeout --foreground 20 kprobes trace "$script" -- ./sleeper 0.2 >told 2>&1 &
		face=$!
		sleep "0.0$((i % 4))$((i * 7 % 10))"
		if [ "$whom" = all ]; then
			kill -9 -- "-$face" 2>/dev/null
		else
			for p in $(pgrep -P "$face" | head -1); do
				kill -9 $(pgrep -P "$p") 2>/dev/null
			done
		fi
		wait "$face" 2>/dev/null
	done
	for i in $(seq 100); do
		left >told || return 0
		sleep 0.1
	done
	cat told
	return 1
}
expect "all killed: nothing is left" killed 'interval:s:9 { exit(); }' all
expect "with probes: nothing is left" killed 'uprobe:malloc { @n = count(); }' all
expect "the controller killed: nothing is left" killed 'interval:s:9 { exit(); }' controller
expect "with probes: nothing is left of it" killed 'uprobe:malloc { @n = count(); }' controller
