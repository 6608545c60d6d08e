// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * uid 0 without some capabilities, as in a container: runs a command.
 *
 * usage: uncapable all|NUMBER COMMAND [ARGUMENT...]
 */
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct caps[2] = { { 0 } };
	int i, all = argc > 1 && !strcmp(argv[1], "all");
	int one = argc > 1 ? atoi(argv[1]) : 0;

	if (argc < 3)
		return 2;
	for (i = 0; i < 64; i++)
		if (all || i == one)
			prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	if (syscall(SYS_capget, &head, caps))
		return 2;
	if (all)
		memset(caps, 0, sizeof(caps));
	else
		caps[one / 32].effective &= ~(1u << one % 32);
	for (i = 0; i < 2; i++) {
		caps[i].permitted = caps[i].effective;
		caps[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &head, caps))
		return 2;
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
