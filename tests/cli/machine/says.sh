#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns, for the scripts that are done in a machine (guest.sh, kernel.sh): where they are, and
# how a test's result is said: "ok NAME" or "not ok NAME", with what was said behind "#".
# On this machine all of it is in the folder TEST, and LIBRARIES are the command's.
# Their exit status is $failed.

cd "${TEST:-/test}"
export LD_LIBRARY_PATH=$PWD:${LIBRARIES-}
tmp=${TEST:-}/tmp
said=$tmp/said
failed=0

# result NAME STATUS
result() {
	if [ "$2" = 0 ]; then
		echo "ok $arch command: $1"
	else
		echo "not ok $arch command: $1"
		sed 's/^/# /' $said
		failed=1
	fi
}

# kp WORDS...: the command, which ends.
kp() { timeout 120 ./kprobes "$@" >$said 2>&1; }
