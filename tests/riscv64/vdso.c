/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * vdso.c - the engine's own breakpoint in the kernel's text, where signals return.
 *
 * The kernel does not split that mapping.  Where it lies across a multiple of what is
 * opened at once (host/linux-user/text/unprotect.c, by which all text is written here), it is
 * opened as a whole all the same: the program begins anew until it lies so.
 */
#include "live.h"

#include <sys/personality.h>

#define BLOCK 0x40000ul
#define TRIES 20000

static unsigned long start, end;

static void find_vdso(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[vdso]"))
			sscanf(line, "%lx-%lx", &start, &end);
	if (maps)
		fclose(maps);
}

static void begin_anew(char **argv, int tries)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", tries);
	setenv("T_TRIES", number, 1);
	personality(0);			/* each time elsewhere */
	execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
	int tries = getenv("T_TRIES") ? atoi(getenv("T_TRIES")) : 0;

	(void)argc;
	find_vdso();
	if (tries < TRIES && start / BLOCK == (end - 1) / BLOCK)
		begin_anew(argv, tries + 1);
	EXPECT("the vdso lies across two blocks", start / BLOCK != (end - 1) / BLOCK);
	live_arm();
	EXPECT("the engine starts, and a probe is hit", live_hit());
	unregister_kprobe(&live_probe);
	EXPECT("and not afterwards", !live_hit());
	return live_failed;
}
