// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// mix_throw.cc - the part of mix.c that throws.

extern "C" {
int mix_throw(int depth);
int mix_caught(int depth);
}

static thread_local int destroyed;

struct local {
	~local() { destroyed++; }
};

extern "C" __attribute__((noinline, noclone)) int mix_throw(int depth)
{
	local here;

	__asm__ volatile("" ::: "memory");
	if (depth == -1)
		return 1;
	if (!depth)
		throw 7;
	int result = mix_throw(depth < 0 ? depth + 1 : depth - 1);
	__asm__ volatile("" ::: "memory");
	return result + 1;
}

// The number of destructors that ran; -1 when nothing was thrown.
extern "C" int mix_caught(int depth)
{
	destroyed = 0;
	try {
		mix_throw(depth);
	} catch (int) {
		return destroyed;
	}
	return -1;
}
