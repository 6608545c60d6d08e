# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What cannot be attached to, and what can although it is confined.
B=$build python3 "$here/process/refuse.py"
