// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_kernel.c - running a script in the kernel.
 *
 * Owns: the protocol with kprobes_trace.ko (trace/module/kernel_api.h).  Its probes are removed
 * when the last of our processes closes its file.
 */
#include "kernel_api.h"
#include "module.h"
#include "tracing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int cannot(const char *what)
{
	int err = errno;

	if (err == EPERM || err == EACCES)
		cli_error("%s: %s; only root may, and not in a kernel that is locked down",
			  what, strerror(err));
	else
		cli_error("%s: %s", what, strerror(err));
	return cli_status_of(err);
}

bool tracing_kernel_is_there(void)
{
	return !access(KT_KERNEL_FILE, R_OK | W_OK) ||
	       (!geteuid() && cli_module_has_own("kprobes_trace"));
}

int tracing_kernel_open(struct tracing *t)
{
	struct cli_target target;
	int status = CLI_OK;

	if (access(KT_KERNEL_FILE, F_OK)) {
		status = cli_kernel_open(&target, CLI_ATTACH);
		if (!status) {
			cli_close(&target);
			status = cli_module_load_own("kprobes_trace");
		}
	}
	if (status)
		return status;
	t->kernel_file = open(KT_KERNEL_FILE, O_RDWR | O_CLOEXEC);
	return t->kernel_file < 0 ? cannot(KT_KERNEL_FILE) : CLI_OK;
}

/* What the module has to say of it: "NUMBER ERRNO REASON" a line. */
static void take_refusals(struct tracing *t)
{
	ssize_t got = pread(t->kernel_file, t->mail->refusals,
			    sizeof(t->mail->refusals) - 1, 0);

	t->mail->refusals[got > 0 ? got : 0] = 0;
}

int tracing_kernel_load(struct tracing *t)
{
	size_t len = t->len_of[TRACING_KERNEL];

	if (write(t->kernel_file, tracing_piece(t, TRACING_KERNEL), len) ==
	    (ssize_t)len)
		return CLI_OK;
	if (errno == EINVAL) {
		take_refusals(t);
		cli_error("the kernel's module refuses the program: %s",
			  t->mail->refusals);
		return CLI_REFUSED;
	}
	if (errno == ENOMEM) {
		cli_error("the script's maps need %llu MiB of kernel memory: make them smaller with BPFTRACE_MAP_KEYS_MAX",
			  (unsigned long long)t->mail->arena_len >> 20);
		return CLI_REFUSED;
	}
	return cannot("the program");
}

int tracing_kernel_start(struct tracing *t)
{
	if (ioctl(t->kernel_file, KT_KERNEL_START) < 0)
		return cannot("setting probes");
	take_refusals(t);
	return CLI_OK;
}

void tracing_kernel_stop(struct tracing *t)
{
	if (t->kernel_file >= 0)
		ioctl(t->kernel_file, KT_KERNEL_STOP);
}
