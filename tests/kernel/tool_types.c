// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * tool_types.c - the structures that bpftrace's tools look into.
 *
 * Owns: their layouts in a kernel that shows no types, as this file's debugging
 * information.  KPROBES_VMLINUX names what is compiled of it.
 */
#include <linux/fs.h>
#include <linux/namei.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/sock.h>

/* It begins so in fs/namei.c, which no header shows. */
struct nameidata {
	struct path path;
	struct qstr last;
};

struct tool_types {
	struct nameidata *nameidata;
	struct oom_control *oom_control;
	struct sk_buff *sk_buff;
	struct task_struct *task_struct;
	struct tcp_sock *tcp_sock;
	struct __kernel_timespec *timespec;
};

const struct tool_types tool_types;
const int tool_states[] = { TCP_ESTABLISHED };
