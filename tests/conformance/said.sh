#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# said.sh HOST LOG COMMAND...: the conformance suite in a process of another processor.
# What it prints has the host's name in front (tools/conformance); and what the engine has to
# say is looked for in its log.
host=$1 log=$2
shift 2
rm -f "$log"
said=$(mktemp)
trap 'rm -f "$said"' EXIT
KPROBES_LOG=3,$log "$@" >"$said"
status=$?
sed "s/^\(ok\|not ok\) /\1 $host: /" "$said"

says()
{
	if grep -q "kprobes: $2" "$log"; then
		echo "ok $host: $1 $2: is said"
	else
		echo "not ok $host: $1 $2: is not said"
		status=1
	fi
}
says K-KNB-26 "Kprobes globally disabled"
says K-KNB-26 "Kprobes globally enabled"
says K-KNB-56 "kprobe jump-optimization is disabled"
says K-KNB-56 "kprobe jump-optimization is enabled"
exit $status
