/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * spins.c - three threads that make no system calls, and signals at 5 kHz.  It says
 * "ready", and runs until it is killed.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static volatile long sum, alarms;

__attribute__((noipa)) void spins_work(long n)
{
	sum += n;
}

static void on_alarm(int sig)
{
	alarms += sig;
}

static void *spin(void *arg)
{
	long i;

	(void)arg;
	for (i = 0;; i++)
		spins_work(i);
	return NULL;
}

int main(void)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } };
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	pthread_t thread;
	int i;

	sigaction(SIGALRM, &act, NULL);
	for (i = 0; i < 2; i++)
		pthread_create(&thread, NULL, spin, NULL);
	if (write(1, "ready\n", 6) != 6)
		return 9;
	setitimer(ITIMER_REAL, &often, NULL);
	spin(NULL);
	return 0;
}
