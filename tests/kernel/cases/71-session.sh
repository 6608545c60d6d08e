# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kernel's part of docs/session.md is what one sees who types it.
export KPROBES_KO=/test/kprobes.ko
mkdir -p samples
cp hotspots.ko samples/
case $(uname -r) in
*kp-*) ;;
*) expect "docs/session.md, typed" ./typed session.md "#" ;;
esac
