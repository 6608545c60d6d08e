// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * objects.cc - a C++ program whose names names.py asks for.
 */
#include <string>
#include <vector>

namespace outer {
namespace inner {
enum class Kind : unsigned char { NONE, SOME = 200 };

struct Base {
	virtual ~Base() = default;
	long id = 7;
};

class Derived : public Base {
public:
	explicit Derived(int start) : count(start) {}
	int add(int what, const std::string &text, std::string copy);
	int count;
	Kind kind = Kind::SOME;
	static int instances;
};
}

struct Node {
	struct Link {
		Node *to;
	};
	Link link;
	short depth;
};
}

int outer::inner::Derived::instances = 3;
volatile long sink;

__attribute__((noinline)) int
outer::inner::Derived::add(int what, const std::string &text, std::string copy)
{
	count += what;
	sink += (long)text.size() + (long)copy.size();
	return count;
}

__attribute__((noinline)) std::string large(outer::Node &node, bool flag,
					    std::vector<int> values)
{
	sink += node.depth + (long)values.size();
	return flag ? "a text that is too long to be kept inline" : "";
}

int main(int argc, char **argv)
{
	outer::inner::Derived derived(argc);
	outer::Node node = { { nullptr }, 4 };

	sink += derived.add(5, argv[0], "copied");
	return (int)large(node, argc > 1, { 1, 2, 3 }).size() & 1;
}
