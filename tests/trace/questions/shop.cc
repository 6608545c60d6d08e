// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * shop.cc - a program to ask questions of: "shop ROUNDS" sells, in two threads.
 *
 * Owns: what questions.py expects.  Of five orders one is for too much, and throws;
 * a round in ten keeps what it allocated, and opens a file that is not there.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

struct Item {
	int id;
	char name[16];
};

struct Order {
	int number;
	Item *item;
	unsigned quantity;
};

namespace shop {

class Desk {
public:
	int take(Order *order);
	int total = 0;
	int refused = 0;

private:
	int check(const Order *order, int depth);
	void keep(int number);
	void note(const Order *order);
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
};

/* Deep in its own frames it throws through them. */
NOINLINE int Desk::check(const Order *order, int depth)
{
	if (depth)
		return check(order, depth - 1) + (order->quantity > 100);
	if (order->quantity > 3)
		throw std::runtime_error("so many are not there");
	return (int)order->quantity;
}

NOINLINE void Desk::keep(int number)
{
	static char *volatile kept;

	kept = (char *)malloc(3000);
	snprintf(kept, 3000, "%d", number);
	close(open("/nonexistent/shop.conf", O_RDONLY));
}

NOINLINE void Desk::note(const Order *order)
{
	static const int out = open("/dev/null", O_WRONLY);
	char line[64];
	int len = snprintf(line, sizeof(line), "order %d\n", order->number);

	if (write(out, line, (size_t)len) != len)	/* questions.py: LINE */
		abort();
}

NOINLINE int Desk::take(Order *order)
{
	int sold = 0;

	pthread_mutex_lock(&lock);
	try {
		sold = check(order, 2);
		total += sold;
	} catch (const std::exception &) {
		refused++;
	}
	note(order);
	if (order->number % 10 == 0)
		keep(order->number);
	pthread_mutex_unlock(&lock);
	return sold;
}

}

static int rounds;
static shop::Desk desk;

static void *sell(void *)
{
	Item kettle = { 7, "kettle" };
	void *paper;

	for (int i = 0; i < rounds; i++) {
		Order order = { i, &kettle, (unsigned)i % 5 };

		paper = malloc(100 + (size_t)i % 2 * 1000);
		__asm__ volatile("" : : "r"(paper) : "memory");
		desk.take(&order);
		free(paper);
		if (i % 50 == 0)
			usleep(1000);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	rounds = argc > 1 ? atoi(argv[1]) : 100;
	if (getenv("SHOP_IS_CLOSED"))
		return 1;
	for (pthread_t &thread : threads)
		pthread_create(&thread, NULL, sell, NULL);
	for (pthread_t &thread : threads)
		pthread_join(thread, NULL);
	/* Not between answers. */
	fprintf(stderr, "sold %d, refused %d\n", desk.total, desk.refused);
	return 0;
}
