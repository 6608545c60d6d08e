/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * confine.c - a process that can change nothing outside of itself.
 *
 * Owns: what is taken from the process in which a probe module is tried: its capabilities, and
 * the rights to write, make, rename and remove files, to reach other processes (by signals, limits
 * and priorities, too), to execute
 * programs, and to use the network.  Such calls fail with EPERM.  The engine needs none of them
 * except /proc/self/mem.
 */
#include "trial.h"
#include "newer_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* What a slow board or an emulator needs for a first time is a third of it. */
#define CPU_SECONDS 24

static const int refused[] = {
	SYS_creat, SYS_unlink, SYS_unlinkat, SYS_rename, SYS_renameat, SYS_renameat2,
	SYS_truncate, SYS_ftruncate, SYS_fallocate, SYS_mkdir, SYS_mkdirat,
	SYS_rmdir, SYS_link, SYS_linkat, SYS_symlink, SYS_symlinkat,
	SYS_mknod, SYS_mknodat, SYS_chmod, SYS_fchmod, SYS_fchmodat,
	NR_fchmodat2, SYS_chown, SYS_fchown, SYS_lchown, SYS_fchownat,
	SYS_utime, SYS_utimes, SYS_utimensat, SYS_futimesat, SYS_setxattr,
	SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr,
	SYS_fremovexattr, SYS_mount, SYS_umount2, NR_open_tree, NR_move_mount,
	NR_fsopen, NR_mount_setattr, SYS_kill, SYS_rt_sigqueueinfo,
	NR_pidfd_send_signal, SYS_ptrace, SYS_process_vm_writev, SYS_execve,
	SYS_execveat, SYS_fork, SYS_vfork, SYS_connect, SYS_bind, SYS_listen,
	SYS_shmget, SYS_msgget, SYS_semget, SYS_mq_open, SYS_mq_unlink,
	SYS_setns, SYS_unshare, SYS_chroot, SYS_pivot_root, SYS_reboot,
	SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_bpf,
	SYS_perf_event_open, SYS_add_key, SYS_keyctl, SYS_request_key,
	SYS_sethostname, SYS_setdomainname, SYS_settimeofday,
	SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_swapon,
	SYS_swapoff, NR_pidfd_getfd, NR_process_madvise, NR_process_mrelease,
	SYS_migrate_pages, SYS_move_pages, SYS_tkill, CALLS_REFUSED
};
#define REFUSED_NR (sizeof(refused) / sizeof(refused[0]))

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
			     offsetof(struct seccomp_data, field))
#define ANSWER(err) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (err))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/* Unless the number is this one, over that many instructions. */
#define UNLESS(number, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, skip)
#define REFUSE_IF_SET(bits) \
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), ANSWER(EPERM), ALLOW

/*
 * A call on a process, which argument n names: on itself only.  Number 0 names the caller, and
 * a thread of its own has none that is known here.
 */
#define ONLY_ITSELF(number, n) \
	UNLESS(number, 5), LOAD(args[n]), \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 0, 1), ALLOW, ANSWER(EPERM)
/* The same of calls that name groups and users, too, by their first argument. */
#define ONLY_A_PROCESS(number, process) \
	UNLESS(number, 8), LOAD(args[0]), \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, process, 1, 0), ANSWER(EPERM), LOAD(args[1]), \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0), \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 0, 1), ALLOW, ANSWER(EPERM)
/* Who is told by a signal that a file is ready; a key that nobody has pressed. */
#define REFUSE_SECOND(value) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, 1), ANSWER(EPERM)

static bool filter(void)
{
	const uint32_t self = (uint32_t)getpid();
	const struct sock_filter head[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALLS_AUDIT_ARCH, 1, 0),
		ANSWER(EPERM),
		LOAD(nr),
		/* The C library does without these. */
		UNLESS(NR_clone3, 1), ANSWER(ENOSYS),
		UNLESS(NR_openat2, 1), ANSWER(ENOSYS),
		UNLESS(NR_io_uring_setup, 1), ANSWER(ENOSYS),
		UNLESS(SYS_open, 4), LOAD(args[1]), REFUSE_IF_SET(O_CREAT | O_TRUNC),
		UNLESS(SYS_openat, 4), LOAD(args[2]), REFUSE_IF_SET(O_CREAT | O_TRUNC),
		/* A thread may be made, a process not. */
		UNLESS(SYS_clone, 4), LOAD(args[0]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
		ANSWER(EPERM), ALLOW,
		ONLY_ITSELF(SYS_tgkill, 0), ONLY_ITSELF(SYS_rt_tgsigqueueinfo, 0),
		ONLY_ITSELF(SYS_prlimit64, 0), ONLY_ITSELF(SYS_sched_setscheduler, 0),
		ONLY_ITSELF(SYS_sched_setparam, 0), ONLY_ITSELF(SYS_sched_setattr, 0),
		ONLY_ITSELF(SYS_sched_setaffinity, 0), ONLY_A_PROCESS(SYS_setpriority, 0),
		ONLY_A_PROCESS(SYS_ioprio_set, 1),
		UNLESS(SYS_fcntl, 8), LOAD(args[1]), REFUSE_SECOND(F_SETOWN),
		REFUSE_SECOND(F_SETOWN_EX), REFUSE_SECOND(F_SETSIG), ALLOW,
#ifdef SYS_fcntl64
		UNLESS(SYS_fcntl64, 8), LOAD(args[1]), REFUSE_SECOND(F_SETOWN),
		REFUSE_SECOND(F_SETOWN_EX), REFUSE_SECOND(F_SETSIG), ALLOW,
#endif
		UNLESS(SYS_ioctl, 8), LOAD(args[1]), REFUSE_SECOND(FIOSETOWN),
		REFUSE_SECOND(SIOCSPGRP), REFUSE_SECOND(TIOCSTI), ALLOW,
		UNLESS(SYS_socket, 4), LOAD(args[0]),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0),
		ANSWER(EPERM), ALLOW,
	};
	struct sock_filter code[sizeof(head) / sizeof(head[0]) + 2 * REFUSED_NR + 1];
	struct sock_fprog program = { .filter = code };
	size_t i, nr = 0;

	for (i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		code[nr++] = head[i];
	for (i = 0; i < REFUSED_NR; i++) {
		code[nr++] = (struct sock_filter)UNLESS((uint32_t)refused[i], 1);
		code[nr++] = (struct sock_filter)ANSWER(EPERM);
	}
	code[nr++] = (struct sock_filter)ALLOW;
	program.len = (unsigned short)nr;
	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/*
 * Where the kernel has Landlock: files may be written below /proc/self only.
 * That covers devices, which a limit on sizes does not.
 */
static void close_files(void)
{
	struct landlock_ruleset_attr handled = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE,
	};
	struct landlock_path_beneath_attr own = {
		.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE,
	};
	int rules = (int)syscall(SYS_landlock_create_ruleset, &handled,
				 sizeof(handled), 0);

	if (rules < 0)
		return;
	own.parent_fd = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (own.parent_fd >= 0 &&
	    !syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH,
		     &own, 0))
		syscall(SYS_landlock_restrict_self, rules, 0);
	close(own.parent_fd);
	close(rules);
}

/* The caller's own limit may be lower. */
static void limit(__rlimit_resource_t what, rlim_t most)
{
	struct rlimit was;

	if (!getrlimit(what, &was) && was.rlim_cur < most)
		most = was.rlim_cur;
	setrlimit(what, &(struct rlimit){ most, most ? most + 1 : 0 });
}

bool cli_confine(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { 0 };

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CPU_SECONDS);	/* SIGXCPU, or SIGKILL */
	/* What is written to a file fails; memory is none. */
	signal(SIGXFSZ, SIG_IGN);
	limit(RLIMIT_FSIZE, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_capset, &head, none))
		return false;
	close_files();
	return filter();
}
