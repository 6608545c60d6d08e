#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns libraries for the architecture of a cross-compiled program. Prints the
# folder that holds include/ and lib/ of the packages named; downloads them from
# Debian into the cache the first time: of the machine's own release, or where
# that has nothing for the architecture (riscv64), of unstable. Nothing is installed
# for the other architecture.
#
# Usage: cross-packages.sh arm64|riscv64|i386|armhf|mips64el NAME PACKAGE...

set -eu

arch=$1 name=$2
shift 2
cache=${KPROBES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kprobes}
dir=$cache/$name-$arch

if [ ! -d "$dir" ]; then
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/$name.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root"
	# A private apt: the machine's own package lists stay as they are.
	if [ "$arch" = riscv64 ]; then
		site=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' | head -n 1)
		[ -n "$site" ] || { echo "cross: where Debian's packages come from is not known: run apt-get update" >&2; exit 1; }
		echo "deb $site sid main" >"$work/sources.list"
		printf '%s\n' "Dir::Etc::sourcelist \"$work/sources.list\";" 'Dir::Etc::sourceparts "-";' >"$work/apt.conf"
		export APT_CONFIG="$work/apt.conf"
	fi
	apt() {
		apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
			-o Dir::State="$work/state" -o Dir::State::status=/dev/null \
			-o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
	}
	echo "cross: fetching $name for $arch: $*" >&2
	# A list that could not be had may be another suite's: what is asked for decides.
	apt update >"$work/log" 2>&1 || true
	(cd "$work" && apt download "$@") >>"$work/log" 2>&1 ||
		{ tail -n 5 "$work/log" >&2
		  echo "cross: $name for $arch cannot be had from Debian" >&2; exit 1; }
	for deb in "$work"/*.deb; do
		dpkg -x "$deb" "$work/root"
	done
	# Libraries are in /lib and in /usr/lib, and links lead from one to the other.
	mkdir -p "$work/out/lib"
	mv "$work/root/usr/include" "$work/out/include"
	find "$work/root/lib" "$work/root/usr/lib" -path '*-linux-gnu*' -name 'lib*' \
		! -type d -exec mv -t "$work/out/lib" {} + 2>/dev/null || true
	for link in "$work"/out/lib/*.so; do
		[ ! -L "$link" ] || ln -sfn "$(basename "$(readlink "$link")")" "$link"
		# Where the library itself is not there its archive is meant.
		[ -e "$link" ] || rm "$link"
	done
	mv "$work/out" "$dir"
fi
echo "$dir"
