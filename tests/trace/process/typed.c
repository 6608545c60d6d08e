// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * typed.c - functions that are given and return numbers of each type.
 *
 * Owns: nothing.  The registers hold what a calling convention allows: bits that the
 * type has not are anything.  Called three times each.
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAKED __attribute__((noipa, naked))
#define RETURNS(type, name, bits) \
	type name(void); \
	NAKED type name(void) { __asm__("movabs $" #bits ", %rax; ret"); }

enum color { RED = -3, GREEN, BLUE = 100000 };
enum plain { ZERO, ONE };
typedef int number_t;
struct pair { int a, b; };

RETURNS(signed char, r_schar, 0x1234567800000080)
RETURNS(unsigned char, r_uchar, 0xffffffffffffff80)
RETURNS(char, r_char, 0x7fffffff000001ff)
RETURNS(bool, r_true, 0xabcdef0100000001)
RETURNS(bool, r_false, 0xabcdef0100000000)
RETURNS(short, r_short, 0x12345678abcdfed4)
RETURNS(unsigned short, r_ushort, 0xfffffffffffffed4)
RETURNS(int, r_int, 0x00000000ffffffff)
RETURNS(int, r_dirty, 0xdeadbeef00000007)
RETURNS(unsigned int, r_uint, 0xffffffffffffffff)
RETURNS(long, r_long, 0xfffffffffffffffb)
RETURNS(long, r_4g, 0x00000000ffffffff)
RETURNS(unsigned long, r_ulong, 0xffffffffffffffff)
RETURNS(enum color, r_enum, 0x00000000fffffffd)
RETURNS(enum plain, r_plain, 0x1111111100000001)
RETURNS(number_t, r_typedef, 0x00000000fffffff0)
RETURNS(const volatile int, r_const, 0x00000000fffffff0)
RETURNS(void *, r_pointer, 0xffffffffffffffff)

double r_double(void);
__attribute__((noipa)) double r_double(void) { return 1.5; }
__int128 r_int128(void);
__attribute__((noipa)) __int128 r_int128(void) { return -5; }
struct of_two { int a, b; };
struct of_two r_two(void);
__attribute__((noipa)) struct of_two r_two(void) { return (struct of_two){ 1, -1 }; }
struct of_long { long a; char b; };
struct of_long r_pair(void);
__attribute__((noipa)) struct of_long r_pair(void) { return (struct of_long){ 1, -1 }; }

struct all {
	signed char sc; unsigned char uc; bool b; short s; unsigned short us; int i;
	unsigned int ui; long l; unsigned long ul; enum color e;
	int bits : 3; unsigned int ubits : 3; enum color ebits : 20;
};

int takes(struct all *p, signed char sc, unsigned char uc, bool b, short s, int i);
__attribute__((noipa)) int takes(struct all *p, signed char sc, unsigned char uc, bool b,
				 short s, int i)
{
	__asm__ volatile("" : : "r"(p), "r"(sc), "r"(uc), "r"(b), "r"(s), "r"(i) : "memory");
	return i;
}

int main(void)
{
	static struct all all = {
		-1, 255, true, -2, 65535, -3, 4294967295u, -4, ~0ul, RED, -4, 7, RED,
	};
	int (*volatile parse)(const char *) = atoi;
	char text[8] = "b";
	int i;

	for (i = 0; i < 3; i++) {
		r_schar(); r_uchar(); r_char(); r_true(); r_false(); r_short(); r_ushort();
		r_int(); r_dirty(); r_uint(); r_long(); r_4g(); r_ulong(); r_enum();
		r_plain(); r_typedef(); r_const(); r_pointer(); r_double(); r_int128(); r_two(); r_pair();
		takes(&all, -1, 255, true, -2, -3);
		close(-1);
		connect(-1, NULL, 0);
		access("/no/such", R_OK);
		socket(-1, -1, -1);
		htons((uint16_t)(i - 5));
		(void)inet_addr("255.255.255.255");
		(void)parse("-100000");
		lseek(-1, 0, SEEK_SET);
		(void)(strtoul("4294967295", NULL, 10) + strlen(text));
	}
	return 0;
}
