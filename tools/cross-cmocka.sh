#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns the cmocka library for the architecture of a cross-compiled test run.
# Prints the folder that holds include/ and lib/; downloads Debian's package
# into the cache the first time. Nothing is installed for the other
# architecture.
#
# Usage: cross-cmocka.sh arm64

set -eu

arch=$1
cache=${KPROBES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kprobes}
dir=$cache/cmocka-$arch

if [ ! -d "$dir" ]; then
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/cmocka.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
	# A private apt: the machine's own package lists stay as they are.
	apt() {
		apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
			-o Dir::State="$work/state" -o Dir::State::status=/dev/null \
			-o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
	}
	echo "cross: fetching cmocka for $arch" >&2
	apt update >"$work/log" 2>&1 &&
		(cd "$work" && apt download libcmocka0 libcmocka-dev) >>"$work/log" 2>&1 ||
		{ tail -n 5 "$work/log" >&2; exit 1; }
	for deb in "$work"/*.deb; do
		dpkg -x "$deb" "$work/root"
	done
	mkdir "$work/out"
	mv "$work/root/usr/include" "$work/out/include"
	mv "$work/root/usr/lib/"*-linux-gnu* "$work/out/lib"
	mv "$work/out" "$dir"
fi
echo "$dir"
