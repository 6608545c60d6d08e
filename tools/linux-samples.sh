#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns Debian's copy of the kernel's Kprobes samples, and of its nolibc, which are not ours
# and never enter the tree: taken from the linux-source-6.1 package, installed or
# downloaded, into the cache. Prints their directory.
#
# Usage: linux-samples.sh [nolibc]

set -euo pipefail

cache=${KPROBES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kprobes}
version=$(apt-cache show --no-all-versions linux-source-6.1 | sed -n 's/^Version: //p')
case ${1:-samples} in
samples) dir=$cache/samples-$version from='samples/kprobes' depth=3 ;;
nolibc) dir=$cache/nolibc-$version from='tools/include/nolibc' depth=4 ;;
*) echo "samples: there is no $1" >&2; exit 1 ;;
esac
mkdir -p "$cache"

if [ ! -d "$dir" ]; then
	work=$(mktemp -d "$cache/samples.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	tarball=/usr/src/linux-source-6.1.tar.xz
	if [ ! -e "$tarball" ]; then
		echo "samples: downloading linux-source-6.1 $version" >&2
		(cd "$work" && apt-get -qq -o APT::Sandbox::User=root download linux-source-6.1 >&2 &&
			dpkg -x linux-source-6.1_*.deb .)
		tarball=$work/usr/src/linux-source-6.1.tar.xz
	fi
	mkdir "$work/samples"
	tar --use-compress-program='xz -d -T0' -xf "$tarball" -C "$work/samples" \
		--strip-components=$depth --wildcards "*/$from/*"
	mv -T "$work/samples" "$dir" 2>/dev/null || [ -d "$dir" ]
fi
echo "$dir"
