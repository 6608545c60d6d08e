// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * overrun.c - a program with a defect: after some millions of customers a title is
 * copied that is too long, and what stands behind it is another number.
 *
 * Owns: the case of docs/watching.md.  "late": that it was found out too late.
 */
#include <stdio.h>
#include <string.h>

struct shop {
	char title[32];
	long limit;
};

struct shop shop = { "a shop", 1000 };
long served;

__attribute__((noinline, noclone)) static void retitle(const char *title)
{
	size_t i;

	for (i = 0; title[i]; i++)
		((volatile char *)&shop)[i] = title[i];
}

__attribute__((noinline, noclone)) static void serve(long customer)
{
	served += customer % 7 < shop.limit;
	if (customer % 1000000 == 0)
		retitle("a shop that is open");
	if (customer == 2500000)
		retitle("a shop that is open until midnight");
}

int main(void)
{
	long i;

	for (i = 0; i < 3000000; i++)
		serve(i);
	if (shop.limit != 1000)
		printf("late: the limit is %ld\n", shop.limit);
	return 0;
}
