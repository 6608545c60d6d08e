# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Questions that people have, to programs that they have; samples/trace.

$(B)/tests/trace/shop: tests/trace/questions/shop.cc
	@mkdir -p $(@D)
	@$(CXX) -O2 -g -Wall -Wextra -pthread $< -o $@

.PHONY: check-trace-questions
check-trace-questions: all $(B)/tests/trace/shop
	@$(PYTHON) tests/trace/questions/questions.py $(B)

check-trace: check-trace-questions
