// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * user_toggle.c - a process for kp_toggle.c.
 *
 * Owns: sleeping in /proc/kp_toggle while signals arrive, until it is gone.
 * Exit status 0: signals came, and calls were interrupted.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static void on_alarm(int number)
{
	(void)number;
	signals++;
}

int main(void)
{
	struct itimerval interval = { { 0, 3000 }, { 0, 3000 } };
	struct timespec moment = { 0, 200000 };
	struct sigaction act;
	int file, i;
	char c;

	memset(&act, 0, sizeof(act));
	act.sa_handler = on_alarm;
	sigaction(SIGALRM, &act, NULL);
	for (i = 0; i < 3000 && (file = open("/proc/kp_toggle", O_RDONLY)) < 0; i++)
		usleep(10000);
	if (file < 0)
		return 2;
	setitimer(ITIMER_REAL, &interval, NULL);
	while (read(file, &c, 1)) {
		nanosleep(&moment, NULL);
		if (access("/proc/kp_toggle", F_OK))
			break;
	}
	return signals == 0;
}
