# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# docs/session.md is what one sees who types it.
server=$(command -v redis-server || command -v redis-check-rdb) || {
	echo "not ok session: redis is not installed; tools/deps.sh check"
	exit 1
}
mkdir bin
ln -s "$(readlink -f "$server")" bin/redis-server
cp -r "$root/samples" .
rm -f samples/*.so
trap '[ ! -e redis.pid ] || kill "$(cat redis.pid)"' EXIT
export PATH=$PWD/bin:$PATH KPROBES=$root
expect "docs/session.md, typed" "$here/typed" "$root/docs/session.md" "$"
trap - EXIT
expect "redis has ended" test ! -e redis.pid
