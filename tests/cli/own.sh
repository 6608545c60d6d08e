# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the engine does in a process for itself is nobody's hit; and what the program does
# is seen to its last instruction.
cat >sleeps.c <<'END'
#include <unistd.h>
int main(void) { for (int i = 0; i < 400; i++) usleep(20000); return 0; }
END
gcc -O2 sleeps.c -o sleeps
[ -e "$root/samples/hotspots.so" ] || make -s -C "$root/samples" >/dev/null

# quiet SCRIPT: of a program that only sleeps, nothing but its sleeping is told.
quiet() {
	./sleeps &
	local pid=$! got=0
	kprobes trace "$1 interval:s:1 { exit(); }" -p $pid >told 2>&1 || got=1
	kprobes trace "$1 interval:ms:200 { exit(); }" -p $pid >>told 2>&1 || got=1
	kill $pid
	wait $pid 2>/dev/null
	cat told
	[ $got = 0 ] && ! grep '^@' told | grep -v nanosleep | grep -q .
}
expect "threads of the engine" quiet 'uprobe:libc:pthread_create, uprobe:libc:start_thread, uprobe:libc:clone3, uprobe:libc:madvise, uprobe:libc:mmap, uprobe:libc:munmap, uprobe:libc:mprotect, uprobe:libc:pthread_exit { @[probe] = count(); }'
expect "the heap and files" quiet 'uprobe:libc:malloc, uprobe:libc:calloc, uprobe:libc:realloc, uprobe:libc:free, uprobe:libc:open*, uprobe:libc:read, uprobe:libc:close { @[probe] = count(); }'
expect "where functions return" quiet 'uretprobe:libc:pthread_create, uretprobe:libc:free, uretprobe:libc:malloc, uretprobe:libc:dlopen, uretprobe:libc:dlsym, uretprobe:libc:dlclose { @[probe] = count(); }'
expect "system calls" quiet 'syscall:* { @[probe] = count(); } sysret:* { @[probe] = count(); }'
expect "a script that comes and goes beside another one" eval '
	./sleeps & pid=$!
	kprobes trace "uprobe:libc:free, uprobe:libc:malloc, uprobe:libc:pthread_create, uprobe:libc:dl_iterate_phdr { @[probe] = count(); } interval:s:3 { exit(); }" -p $pid >first 2>&1 &
	first=$!
	wait_for grep -q Attached first
	for i in 1 2 3; do
		kprobes trace "uprobe:libc:malloc { @ = count(); } interval:ms:100 { exit(); }" -p $pid >second 2>&1 || cat second
		kprobes list -p $pid >/dev/null
	done
	wait $first
	kill $pid
	cat first second
	! grep "^@" first second'
hits() {
	./sleeps &
	local pid=$!
	kprobes load "$root/samples/hotspots.so" probes=malloc,free,pthread_create -p $pid || return 1
	kprobes list -p $pid >/dev/null
	kprobes list -l -p $pid >/dev/null
	kprobes unload -a -p $pid >told 2>&1
	kill $pid
	wait $pid 2>/dev/null
	cat told
	# Three rows, with neither hits nor missed ones.
	[ "$(grep -c 'libc.*\] *0 *0 *$' told)" = 3 ]
}
expect "a module's probes" hits

itself() {
	./sleeps &
	local pid=$!
	wait_for grep -q 'State:.S' /proc/$pid/status
	kprobes trace 'uprobe:libc:usleep { @[tid == pid] = count(); } interval:ms:500 { exit(); }' -p $pid >told 2>&1
	kill $pid
	wait $pid 2>/dev/null
	cat told
	[ "$(grep '^@' told | cut -d: -f1)" = '@[true]' ]
}
expect "who served for the command is not taken for the thread that was borrowed" itself

cat >last.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
__attribute__((noipa)) int work(int k) { __asm__ volatile(""); return k + 1; }
__attribute__((destructor)) static void last(void) { work(2); }
static void at(void) { work(3); }
static void *thread(void *arg) { work(4); return arg; }
int main(int argc, char **argv)
{
	pthread_t t;

	if (argc > 2)
		usleep(1000 * atoi(argv[2]));
	atexit(at);
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	work(1);
	printf("a line that waits in the buffer\n");
	if (argc > 1 && argv[1][0] == 'q')
		quick_exit(0);
	if (argc > 1 && argv[1][0] == '_')
		_exit(0);
	if (argc > 1 && argv[1][0] == 't')
		pthread_exit(NULL);
	if (argc > 1 && argv[1][0] == 'f' && !fork())
		exit(0);
	while (wait(NULL) > 0)
		;
	return 0;
}
END
gcc -O1 -rdynamic last.c -o last -lpthread
asks='uprobe:libc:_exit, uprobe:libc:write { @[probe] = count(); } syscall:write, syscall:exit_group { @[probe] = count(); } uprobe:work { @work[arg0] = count(); }'
# seen MAPS WORDS...: these lines, and no other
seen() {
	local wanted=$1
	shift
	timeout 60 kprobes trace "$asks" "$@" >told 2>err
	cat told err
	[ "$(grep '^@' told | sed 's/@//' | LC_ALL=C sort | tr '\n' ' ')" = "$wanted " ]
}
all='[syscall:exit_group]: 1 [syscall:write]: 1 [uprobe:libc:_exit]: 1 [uprobe:libc:write]: 1'
expect "the last moment of a new process" seen "$all work[1]: 1 work[2]: 1 work[3]: 1 work[4]: 1" -- ./last
expect "its main thread ends first" seen "$all work[1]: 1 work[2]: 1 work[3]: 1 work[4]: 1" -- ./last t
expect "of a child, too" seen '[syscall:exit_group]: 2 [syscall:write]: 2 [uprobe:libc:_exit]: 2 [uprobe:libc:write]: 2 work[1]: 1 work[2]: 2 work[3]: 2 work[4]: 1' -- ./last f
expect "quick_exit()" seen '[syscall:exit_group]: 1 [uprobe:libc:_exit]: 1 work[1]: 1 work[4]: 1' -- ./last q
expect "_exit()" seen '[syscall:exit_group]: 1 [uprobe:libc:_exit]: 1 work[1]: 1 work[4]: 1' -- ./last _
attached() { ./last x 4000 >/dev/null & sleep 0.1; seen "$1" -p $!; }
expect "of one that was attached to" attached "$all work[1]: 1 work[2]: 1 work[3]: 1 work[4]: 1"
