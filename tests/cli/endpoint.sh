# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Clients of the endpoint that are malformed, hostile or another user's (make
# fuzz: more of them).
B=$build python3 "$here/process/endpoint.py" "${KPROBES_CLIENTS:-300}"
