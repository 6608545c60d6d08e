# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The conformance suite in a process on this processor.
export LD_LIBRARY_PATH=/test/with
run_program conformance
