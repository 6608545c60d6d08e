// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A workload for libstdc++: containers, streams, regular expressions, throws.
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

static int deep(int n)
{
	if (!n)
		throw std::runtime_error("bottom");
	return deep(n - 1) + 1;
}

int main()
{
	std::map<std::string, long> words;
	std::ostringstream text;
	std::regex word("([a-z]+)([0-9]*)");

	for (int i = 0; i < 3000; i++)
		text << "word" << i % 97 << ' ' << i * 0.37 << '\n';
	std::istringstream in(text.str());
	for (std::string s; in >> s;)
		words[s]++;
	long matched = 0;
	for (auto &w : words)
		matched += std::regex_match(w.first, word);
	std::vector<std::string> sorted;
	for (auto &w : words)
		sorted.push_back(w.first);
	std::sort(sorted.rbegin(), sorted.rend());
	int caught = 0;
	for (int i = 0; i < 200; i++)
		try {
			deep(i % 20);
		} catch (const std::exception &e) {
			caught += e.what()[0] == 'b';
		}
	std::cout << words.size() << ' ' << matched << ' ' << sorted[7] << ' '
		  << caught << ' ' << std::hex << text.str().size() << '\n';
}
