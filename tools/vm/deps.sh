#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns the list of Debian packages that the test kernels and their virtual
# machine need. Installs what is missing, and makes sure that the package lists
# know the kernels that kernel.sh downloads. Does nothing when all is there.
#
# Kernels themselves are never installed: see kernel.sh.

set -eu

PACKAGES="qemu-system-x86 busybox-static
	gcc-12 make flex bison bc libelf-dev libssl-dev
	xz-utils lz4 cpio kmod"

# The packages that kernel.sh downloads and unpacks.
KERNEL_PACKAGES="linux-image-amd64 linux-headers-amd64 linux-source-6.1"

say() { echo "deps: $*" >&2; }
die() { say "$*"; exit 1; }

# The packages of $* that are not installed.
not_installed() {
	for package; do
		[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
			printf ' %s' "$package"
	done
}

# The packages of $* that the package lists do not offer.
not_offered() {
	offered=$(apt-cache policy "$@" 2>/dev/null | grep -c '^  Candidate: [0-9]') || true
	[ "$offered" = $# ] || printf ' %s' "$@"
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi
}

# Waits for another apt rather than failing on its lock.
apt() {
	as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -qq -o DPkg::Lock::Timeout=600 "$@"
}

command -v apt-get >/dev/null || die "this is not a Debian system: install by hand:" $PACKAGES

missing=$(not_installed $PACKAGES)
stale=$(not_offered $KERNEL_PACKAGES)
[ -n "$missing$stale" ] || exit 0

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed() { tail -n 5 "$log" >&2; die "$*"; }

say "updating the package lists"
apt update >"$log" 2>&1 || failed "apt-get update failed (root and a network are needed)"
if [ -n "$missing" ]; then
	say "installing$missing"
	apt install -y --no-install-recommends $missing >"$log" 2>&1 ||
		failed "could not install:$missing"
fi
stale=$(not_offered $KERNEL_PACKAGES)
[ -z "$stale" ] || die "the test kernels need Debian 12, which has$stale"
