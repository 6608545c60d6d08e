// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In the jail (cli/inspect/jail.c): what must not be possible there, and what must.
 * Linked with the command's own files; prints what is wrong; status 0: nothing.
 */
#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int wrong;

static void refused(const char *what, long result)
{
	if (result >= 0) {
		printf("possible: %s\n", what);
		wrong = 1;
	}
}

static void possible(const char *what, long result)
{
	if (result < 0) {
		printf("not possible: %s: %s\n", what, strerror(errno));
		wrong = 1;
	}
}

static void try_all(const struct view *view, const char *file)
{
	char *args[] = { "true", NULL };
	int fd;

	refused("open", open("/etc/passwd", O_RDONLY));
	refused("open for writing", open(file, O_WRONLY | O_CREAT, 0600));
	refused("openat2", syscall(437, AT_FDCWD, "/", NULL, 0));
	refused("readlink", readlink("/proc/self/exe", (char[64]){ 0 }, 64));
	refused("unlink", unlink(file));
	refused("chmod", chmod(file, 0777));
	refused("execve", execv("/bin/true", args));
	refused("fork", fork());
	refused("kill", kill(getppid(), 0));
	refused("ptrace", ptrace(PTRACE_SEIZE, getppid(), 0, 0));
	refused("process_vm_readv", syscall(SYS_process_vm_readv, getppid(),
					    NULL, 0, NULL, 0, 0));
	refused("socket", socket(AF_INET, SOCK_STREAM, 0));
	refused("setuid", setuid(0));
	refused("mount", syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, NULL));
	refused("prctl", syscall(SYS_prctl, 1, 0, 0, 0, 0));
	refused("bpf", syscall(SYS_bpf, 0, NULL, 0));
	refused("io_uring_setup", syscall(425, 1, NULL));
	refused("ioctl", syscall(SYS_ioctl, 1, 0x5412 /* TIOCSTI */, "x"));
	refused("32-bit numbers for x32", syscall(0x40000000 | SYS_getpid));
	refused("executable memory",
		mmap(NULL, 4096, PROT_READ | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
	refused("memory made executable",
		mprotect((void *)((uintptr_t)args & ~4095ul), 4096,
			 PROT_READ | PROT_WRITE | PROT_EXEC));
	refused("a file that is not mapped", jail_mapping(view, 0x1234000));
	refused("a debug file with a way out",
		jail_debuglink(view, 0, "../../../../../../etc/passwd", 0));
	refused("a shared debug file with a way out",
		jail_debuglink(view, 0, "x/.dwz/../../../../etc/passwd", 0));
	refused("an endless build-id", jail_build_id(view, (uint8_t[200]){ 1 }, 200));
	possible("memory", mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
				   ? -1 : 0);
	fd = jail_debuglink(view, 0, "beside", 0);
	possible("a file beside the one that is looked at", fd);
	possible("to read it", read(fd, (char[1]){ 0 }, 1));
	refused("to write it", write(fd, "x", 1));
	refused("a FIFO there", jail_debuglink(view, 0, "fifo", 0));
	refused("a link to a device", jail_debuglink(view, 0, "device", 0));
	refused("a directory", jail_debuglink(view, 0, ".", 0));
}

/* usage: jailed FILE: beside it are the files beside, fifo and device. */
int main(int argc, char **argv)
{
	struct view view;
	int status;

	cli_output_begin();
	if (argc != 2 || view_open(&view, 0, argv[1], NULL))
		return 2;
	if (!jail_begin(&view, NULL, &status))
		return status;
	if (jail_close(false))
		return 3;
	try_all(&view, argv[1]);
	exit(wrong);
}
