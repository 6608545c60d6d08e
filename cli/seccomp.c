// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * seccomp.c - would a system call that we need kill the process?
 *
 * Owns: an interpreter for the process's seccomp filters.  The kernel gives
 * them to root only; who cannot read them cannot attach to such a process.
 */
#include "attach_cli.h"
#include "cli.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

struct call {
	int number;
	const char *name;
	uint64_t args[6];
};

/*
 * What attaching, the service thread, a breakpoint's arming, a hit and leaving
 * do; and the C library for them.  refuse.py has a process that may do no more.
 */
static const struct call calls[] = {
	{ SYS_mmap, "mmap", { 0, 4096, PROT_READ | PROT_EXEC, 0x22, ~0ull } },
	{ SYS_mmap, "mmap", { 0, 4096, PROT_READ | PROT_WRITE, 0x22, ~0ull } },
	{ SYS_munmap, "munmap", { 0 } },
	{ SYS_mprotect, "mprotect", { 0, 4096, PROT_READ } },
	{ SYS_openat, "openat", { (uint64_t)-100 } },
	{ SYS_openat, "openat for writing", { (uint64_t)-100, 0, 02 } },
	{ SYS_read, "read", { 3 } },
	{ SYS_pread64, "pread64", { 3 } },
	{ SYS_pwrite64, "pwrite64", { 3 } },
	{ SYS_newfstatat, "newfstatat", { 3 } },
	{ SYS_fstat, "fstat", { 3 } },
	{ SYS_close, "close", { 3 } },
	{ SYS_rt_sigaction, "rt_sigaction", { 5 } },
	{ SYS_rt_sigprocmask, "rt_sigprocmask", { 0 } },
	{ SYS_rt_sigreturn, "rt_sigreturn", { 0 } },
	{ SYS_membarrier, "membarrier", { 0x20 } },
	{ SYS_mincore, "mincore", { 0 } },
	{ SYS_madvise, "madvise", { 0, 4096, 18 } },
	{ SYS_brk, "brk", { 0 } },
	{ SYS_getpid, "getpid", { 0 } },
	{ SYS_gettid, "gettid", { 0 } },
	{ SYS_tgkill, "tgkill", { 0 } },
	{ 435, "clone3", { 0 } },
	{ SYS_clone, "clone for a thread", { 0x3d0f00 } },
	{ SYS_set_robust_list, "set_robust_list", { 0 } },
	{ 334, "rseq", { 0 } },
	{ SYS_futex, "futex", { 0 } },
	{ SYS_prctl, "prctl", { 15 } },
	{ SYS_socketpair, "socketpair", { 1, 0x80005 } },
	{ SYS_setsockopt, "setsockopt", { 3, 1, 16 } },
	{ SYS_getsockopt, "getsockopt", { 3, 1, 39 } },
	{ SYS_fcntl, "fcntl", { 3, 1030, 100 } },
	{ SYS_recvmsg, "recvmsg", { 3 } },
	{ SYS_sendmsg, "sendmsg", { 3 } },
	{ SYS_ppoll, "ppoll", { 0, 1 } },
	{ SYS_geteuid, "geteuid", { 0 } },
	{ SYS_nanosleep, "nanosleep", { 0 } },
	{ SYS_sched_yield, "sched_yield", { 0 } },
	{ SYS_exit, "exit", { 0 } },
	{ SYS_write, "write", { 2 } },
	/* The kernel's, of a sleep that a stop interrupts. */
	{ SYS_restart_syscall, "restart_syscall", { 0 } },
	/* The library, where the process cannot see its file. */
	{ SYS_memfd_create, "memfd_create", { 0, 3 } },
	/* A shadow stack?  The other threads; the program's name. */
	{ SYS_arch_prctl, "arch_prctl", { 0x5005 } },
	{ SYS_getdents64, "getdents64", { 3 } },
	{ SYS_readlinkat, "readlinkat", { (uint64_t)-100 } },
	/* In a handler: current->comm, and the time where the vdso has none. */
	{ SYS_prctl, "prctl", { 16 } },
	{ SYS_clock_gettime, "clock_gettime", { 1 } },
	/* Which calls with a return probe were left by longjmp. */
	{ SYS_sigaltstack, "sigaltstack", { 0 } },
	/* A SIGTRAP of the program's own, kept until it is open. */
	{ SYS_rt_tgsigqueueinfo, "rt_tgsigqueueinfo", { 0 } },
	/* malloc and realloc: a first use, a thread's first, large blocks, trim. */
	{ 318, "getrandom", { 0, 8, 1 } },
	{ SYS_sched_getaffinity, "sched_getaffinity", { 0 } },
	{ SYS_mremap, "mremap", { 0, 4096, 8192, 1 } },
	{ SYS_madvise, "madvise", { 0, 4096, 4 } },
};

static bool load(const struct seccomp_data *data, uint32_t at, uint32_t *value)
{
	if (at > sizeof(*data) - 4 || (at & 3))
		return false;
	memcpy(value, (const char *)data + at, 4);
	return true;
}

static uint32_t compute(uint16_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return b < 32 ? a << b : 0;
	case BPF_RSH:
		return b < 32 ? a >> b : 0;
	case BPF_NEG:
		return -a;
	}
	return a;
}

static bool holds(uint16_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JSET:
		return a & b;
	}
	return false;
}

/* The filter's verdict; what cannot be understood kills. */
static uint32_t evaluate(const struct sock_filter *code, size_t nr,
			 const struct seccomp_data *data)
{
	uint32_t a = 0, x = 0, mem[16] = { 0 };
	size_t pc;

	for (pc = 0; pc < nr; pc++) {
		const struct sock_filter *i = &code[pc];
		uint32_t operand = BPF_SRC(i->code) == BPF_X ? x : i->k;

		switch (BPF_CLASS(i->code)) {
		case BPF_LD:
			if (BPF_MODE(i->code) == BPF_IMM)
				a = i->k;
			else if (BPF_MODE(i->code) == BPF_MEM)
				a = mem[i->k & 15];
			else if (BPF_MODE(i->code) == BPF_LEN)
				a = sizeof(*data);
			else if (!load(data, i->k, &a))
				return SECCOMP_RET_KILL_PROCESS;
			break;
		case BPF_LDX:
			x = BPF_MODE(i->code) == BPF_MEM ? mem[i->k & 15] :
			    BPF_MODE(i->code) == BPF_IMM ? i->k : sizeof(*data);
			break;
		case BPF_ST:
			mem[i->k & 15] = a;
			break;
		case BPF_STX:
			mem[i->k & 15] = x;
			break;
		case BPF_ALU:
			a = compute(BPF_OP(i->code), a, operand);
			break;
		case BPF_JMP:
			if (BPF_OP(i->code) == BPF_JA)
				pc += i->k;
			else
				pc += holds(BPF_OP(i->code), a, operand)
					      ? i->jt : i->jf;
			break;
		case BPF_RET:
			return BPF_RVAL(i->code) == BPF_A ? a : i->k;
		case BPF_MISC:
			if (BPF_MISCOP(i->code) == BPF_TAX)
				x = a;
			else
				a = x;
			break;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

static bool harms(uint32_t verdict)
{
	switch (verdict & SECCOMP_RET_ACTION_FULL) {
	case SECCOMP_RET_ALLOW:
	case SECCOMP_RET_LOG:
	case SECCOMP_RET_ERRNO:
	case SECCOMP_RET_TRACE:
		return false;
	}
	return true;
}

static const char *first_harm(const struct sock_filter *code, size_t nr)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct seccomp_data data = {
			.nr = calls[i].number, .arch = AUDIT_ARCH_X86_64,
		};

		memcpy(data.args, calls[i].args, sizeof(data.args));
		if (harms(evaluate(code, nr, &data)))
			return calls[i].name;
	}
	return NULL;
}

int cli_seccomp_check(pid_t pid, pid_t tid)
{
	long mode = remote_status_number(pid, tid, "Seccomp", 10), nr, i;
	struct sock_filter *code;
	const char *harm = NULL;
	int err;

	if (mode == 1)
		return process_failed(
			pid, CLI_REFUSED,
			" is in strict seccomp mode: it may only read, write and exit; start it with \"kprobes load ... -- COMMAND\" instead");
	if (mode <= 0)
		return CLI_OK;
	for (i = 0; !harm; i++) {
		nr = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, NULL);
		if (nr < 0)
			break;
		code = calloc((size_t)nr + 1, sizeof(*code));
		if (!code || ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, code) < 0)
			harm = "(cannot be read)";
		else
			harm = first_harm(code, (size_t)nr);
		free(code);
	}
	if (harm)
		return process_failed(
			pid, CLI_REFUSED,
			": its seccomp filter would kill it for the system call %s, which probing needs; start it with \"kprobes load ... -- COMMAND\" so that the probes are in before the filter",
			harm);
	if (i)
		return CLI_OK;
	err = errno;
	return process_failed(
		pid, err == EACCES || err == EPERM ? CLI_DENIED : CLI_REFUSED,
		" has a seccomp filter, which only root can read (%s); run as root, so that no system call kills it",
		strerror(err));
}
