/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * start.c - the engine is loaded, and goes, with the program.
 *
 * Owns: the library's constructor and destructor, and what the environment of a program that
 * was started to be probed means for both.
 */
#include "host.h"
#include "sys.h"
#include "process/environment.h"
#include "process/surface.h"
#include "threads/contexts.h"
#include "threads/defer.h"
#include "threads/own_work.h"
#include "signals/follow.h"
#include "modules/load.h"
#include "start/init.h"
#include "attach/attached.h"

#include <kprobes/process.h>

/*
 * The command promised that this program would be probed.  It ends before its
 * main begins, with the status that the command has for that: kprobes(1).
 */
static void give_up(int err)
{
	int status = 1;

	if (err == -ENOENT || err == -ESRCH)
		status = 3;
	else if (err == -EPERM || err == -EACCES)
		status = 4;
	else if (err == -EOPNOTSUPP || err == -EILSEQ)
		status = 5;
	kp_host_log(KP_LOG_ERROR, "kprobes: %s was not run, as it could not be probed",
		    program_invocation_name);
	sys3(SYS_exit_group, status, 0, 0);
}

__attribute__((constructor)) static void on_load(void)
{
	struct kp_user_context *own;
	int err;

	kp_user_attach_loaded();
	if (kp_user_mailbox())
		return;
	err = kp_process_start();
	own = kp_user_own_begin();
	if (!err)
		err = kp_shim_load_all(kp_user_wish("KPROBES_LOAD"));
	if (err && kp_user_wish("KPROBES_ONCE"))
		give_up(err);
	/* So is what it executes in its own place: a shim's module belongs to the program. */
	if (!err && kp_user_wish("KPROBES_AGAIN"))
		kp_user_follow_again(kp_user_wish("KPROBES_LOAD"));
	/* main finds itself alone. */
	if (!err)
		kp_user_defer_now();
	kp_user_wishes_end();
	kp_user_own_end(own);
}

__attribute__((destructor)) static void on_exit_(void)
{
	kp_user_end();
}
