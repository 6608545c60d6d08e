#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns Debian's kernel image for arm64, as a file of instructions to decode: prints
# its path.  It is unpacked into the cache of the test kernels and never installed;
# the machine's own package lists are left alone.

set -euo pipefail

cache=${KPROBES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kprobes}/arm64
die() { echo "arm64 kernel: $*" >&2; exit 1; }

image=$(ls "$cache"/boot/vmlinuz-* 2>/dev/null | head -n 1) || true
if [ -n "$image" ]; then
	echo "$image"
	exit
fi

site=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
	'Codename: bookworm' | head -n 1) || true
[ -n "$site" ] || die "where Debian's packages come from is not known: run apt-get update"

apt=$cache/apt
mkdir -p "$apt/lists/partial" "$apt/archives/partial"
: >"$apt/status"
echo "deb $site bookworm main" >"$apt/sources.list"
cat >"$apt/apt.conf" <<-END
	APT::Architecture "arm64";
	APT::Architectures "arm64";
	Dir::Etc::sourcelist "$apt/sources.list";
	Dir::Etc::sourceparts "-";
	Dir::State::lists "$apt/lists";
	Dir::State::status "$apt/status";
	Dir::Cache "$apt";
	APT::Sandbox::User "root";
END
export APT_CONFIG=$apt/apt.conf
apt-get -qq update >&2 || die "the package lists cannot be had"
package=$(apt-cache depends linux-image-arm64 | sed -n 's/.*Depends: //p' | head -n 1) || true

work=$(mktemp -d "$cache/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
(cd "$work" && apt-get -qq download "$package" >&2) || die "$package cannot be had"
dpkg --fsys-tarfile "$work"/*.deb | tar -x -C "$work" ./boot
mv -T "$work/boot" "$cache/boot"
rm -r "$apt"
ls "$cache"/boot/vmlinuz-*
