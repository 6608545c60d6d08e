#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns Debian's kernel image for another processor, as a file of instructions to decode:
# prints its path.  It is unpacked into the cache of the test kernels and never installed;
# the machine's own package lists are left alone.
#
# Usage: kernel.sh ARCH SUITE

set -euo pipefail

arch=$1 suite=$2
cache=${KPROBES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kprobes}/$arch
die() { echo "$arch kernel: $*" >&2; exit 1; }

image=$(ls "$cache"/boot/vmlinu* 2>/dev/null | head -n 1) || true
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
echo "deb $site $suite main" >"$apt/sources.list"
cat >"$apt/apt.conf" <<-END
	APT::Architecture "$arch";
	APT::Architectures "$arch";
	Dir::Etc::sourcelist "$apt/sources.list";
	Dir::Etc::sourceparts "-";
	Dir::State::lists "$apt/lists";
	Dir::State::status "$apt/status";
	Dir::Cache "$apt";
	APT::Sandbox::User "root";
END
export APT_CONFIG=$apt/apt.conf
apt-get -qq update >&2 || die "the package lists cannot be had"
case $arch in
armhf) flavour=armmp ;;
mipsel) flavour=4kc-malta ;;
mips64el) flavour=5kc-malta ;;
*) flavour=$arch ;;
esac
package=$(apt-cache depends "linux-image-$flavour" | sed -n 's/.*Depends: \(linux-image-[0-9]\)/\1/p' |
	head -n 1) || true
[ -n "$package" ] || die "$suite has none"
# Where the image has a package of its own, the other one has nothing but it.
binary=${package/image/binary}
! apt-cache show "$binary" >/dev/null 2>&1 || package=$binary

work=$(mktemp -d "$cache/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
(cd "$work" && apt-get -qq download "$package" >&2) || die "$package cannot be had"
# In /boot, or where newer packages have it.
dpkg --fsys-tarfile "$work"/*.deb | tar -x -C "$work" --wildcards './boot/vmlinu*' \
	'./usr/lib/modules/*/vmlinu*' 2>/dev/null || true
mkdir "$work/images"
find "$work/boot" "$work/usr" -name 'vmlinu*' -type f -exec mv -t "$work/images" {} + 2>/dev/null || true
[ -n "$(ls "$work/images")" ] || die "$package has no image"
# What a boot loader starts may have the kernel in it, compressed: then that is the image.
for file in "$work"/images/vmlinuz*; do
	for at in $(LC_ALL=C grep -abo -P '\xfd7zXZ\x00' "$file" | cut -d: -f1); do
		# What stands behind its end is no error.
		tail -c +$((at + 1)) "$file" | xz -dc --single-stream >"$work/kernel" 2>/dev/null || true
		[ ! -s "$work/kernel" ] || mv "$work/kernel" "$file"
	done
done
rm -rf "$cache/boot"
mv -T "$work/images" "$cache/boot"
rm -r "$apt"
ls "$cache"/boot/vmlinu* | head -n 1
