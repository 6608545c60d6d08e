// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * trace_signals.c - the signals that a trace is ended by, or asked to show its maps.
 *
 * Owns: what has come, the way from the face to the controller, and the actions that the user
 * has left, which a command that is started gets.
 *
 * The terminal's signal reaches the controller twice: the face passes its own on.  So two within
 * a short time are one.
 */
#include "ptracer.h"
#include "tracing.h"

#include <signal.h>

#define AGAIN_MS 500			/* within that two signals are one */

static volatile sig_atomic_t asked;	/* to end: by a signal */
static volatile sig_atomic_t asked_again;
static volatile sig_atomic_t shows;	/* so often SIGUSR1 has asked for the maps */
static volatile pid_t receiver;			/* who gets them, too; 0: nobody */

bool tracing_is_asked_to_end(void)
{
	return asked;
}

bool tracing_is_asked_again(void)
{
	return asked_again;
}

uint32_t tracing_shows(void)
{
	return (uint32_t)shows;
}

void tracing_pass_signals_to(pid_t pid)
{
	receiver = pid;
	/* One that came just before was passed on to nobody. */
	if (pid > 0 && asked)
		kill(pid, SIGTERM);
}

static void on_signal(int number)
{
	static long first;
	long now = thread_now_ms();

	if (!asked)
		first = now;
	else if (now - first > AGAIN_MS)
		asked_again = 1;
	asked = 1;
	if (receiver > 0)
		kill(receiver, number);
}

/* The maps are shown, and it goes on. */
static void on_show(int number)
{
	shows++;
	if (receiver > 0)
		kill(receiver, number);
}

static const int heard[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1 };
#define HEARD_NR (sizeof(heard) / sizeof(heard[0]))

static struct sigaction before[HEARD_NR];	/* what the user's command gets */

void tracing_hear_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	size_t i;

	for (i = 0; i < HEARD_NR; i++) {
		action.sa_handler = heard[i] == SIGPIPE ? SIG_IGN :
				    heard[i] == SIGUSR1 ? on_show : on_signal;
		sigaction(heard[i], &action, &before[i]);
	}
}

void tracing_own_signals(void)
{
	size_t i;

	for (i = 0; i < HEARD_NR; i++)
		sigaction(heard[i], &before[i], NULL);
}
