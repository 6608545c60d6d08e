/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * engine.h - the engine's image in a process that loads nothing itself.
 *
 * Owns: the prototypes of engine_image.c, placed.c and engine.c.
 */
#ifndef KP_CLI_ENGINE_H
#define KP_CLI_ENGINE_H

#include "attach_cli.h"
#include "image.h"

/* The name of its memory, as the process's map shows it. */
#define ENGINE_NAME "libkprobes.so.image"
#define ENGINE_PATH "/memfd:" ENGINE_NAME " (deleted)"

/* ---- engine_image.c --------------------------------------------------------------- */

/* The image as its file has it, not relocated; NULL: there is none. */
const struct image *engine_image(void);
/* Where one begins in the process that nothing is known of yet; 0: there is none. */
uint64_t engine_begin(const struct remote *remote);
/* Is all of it mapped there, as it should be? */
bool engine_is_whole(const struct remote *remote);

/* ---- placed.c ---------------------------------------------------------------------- */

/* The image into the process, whose remains of a killed command go.  A status, printed. */
int engine_place(struct process *process, struct injection *in);
/* Out of it again: nothing of it has run. */
void engine_unplace(struct process *process, struct injection *in);

/* ---- engine.c ---------------------------------------------------------------------- */

/*
 * Let a thread of the engine's do that (enum kp_engine_call); it is made if there is none.
 * A status, printed; the engine's own answer is in the mailbox.
 */
int engine_start(struct process *process, struct injection *in);	/* it alone */
int engine_call(struct process *process, struct injection *in, int call);
/* Its end, before the mailbox goes. */
void engine_end(struct injection *in);

#endif
