# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Clients of the endpoint that are malformed, hostile or another user's (make
# fuzz: more of them).  Of a process that never rests: while all its threads sleep one
# may ask for what only the command does next, to leave, as if it was killed behind that.
B=$build env -u VICTIM_RESTS python3 "$here/process/endpoint.py" "${KPROBES_CLIENTS:-120}"
