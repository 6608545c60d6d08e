// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// throw.cc - what only C++ does: exceptions through hooked frames.
#include <cstdlib>
#include <stdexcept>

extern "C" {
int throw_deep(int depth);
int throw_caught(int depth);
}

static int destroyed;

struct local {
	~local() { destroyed++; }
};

extern "C" __attribute__((noinline)) int throw_deep(int depth)
{
	local here;

	__asm__ volatile("" ::: "memory");
	if (!depth)
		throw std::runtime_error("deep");
	int result = throw_deep(depth - 1);
	__asm__ volatile("" ::: "memory");
	return result + 1;
}

// The number of destructors that ran; -1 when nothing was thrown.
extern "C" int throw_caught(int depth)
{
	destroyed = 0;
	try {
		throw_deep(depth);
	} catch (const std::runtime_error &) {
		return destroyed;
	}
	return -1;
}
