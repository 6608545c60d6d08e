#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns the list of Debian packages that building, testing and running need, by
# purpose. Installs what is missing; does nothing when all is there. Kernels
# are never installed: see vm/kernel.sh.
#
# Never removes a package: where one stands in the way, it says which, and ends.
#
# Usage: deps.sh GROUP...      groups: check vm arm64 riscv64 i386 armhf mips64el mipsel plugins clang pads run bench
#        static deb programs runtimes tools packages

set -eu

# What the programs are built with.
BUILD="gcc make libc6-dev libdw-dev libelf-dev libzydis-dev"
# The parts of the command as one static file.
STATIC="$BUILD g++ libcapstone-dev liblzma-dev libbz2-dev zlib1g-dev"
CHECK="$STATIC ccache busybox-static libcmocka-dev spin binutils g++ gdb valgrind redis-tools
	man-db bsdutils pkg-config libsqlite3-0 systemtap-sdt-dev golang-go musl-tools
	protobuf-compiler
	gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
	gcc-riscv64-linux-gnu g++-riscv64-linux-gnu libc6-dev-riscv64-cross libstdc++6-riscv64-cross
	gcc-arm-linux-gnueabihf g++-arm-linux-gnueabihf libc6-dev-armhf-cross
	libllvm15
	gcc-mipsel-linux-gnu libc6-dev-mipsel-cross gcc-mips-linux-gnu libc6-dev-mips-cross
	gcc-mips64el-linux-gnuabi64 g++-mips64el-linux-gnuabi64 libc6-dev-mips64el-cross
	gcc-mips64-linux-gnuabi64 libc6-dev-mips64-cross
	gcc-i686-linux-gnu g++-i686-linux-gnu libc6-dev-i386-cross libc6-i386 lib32stdc++6"
VM="qemu-system-x86 busybox-static
	gcc-12 make flex bison bc libelf-dev libssl-dev
	xz-utils lz4 cpio kmod"
# Kernels of other processors.
ARM64="qemu-system-arm qemu-user-static gcc-12-aarch64-linux-gnu gcc-aarch64-linux-gnu
	libc6-dev-arm64-cross"
RISCV64="qemu-system-misc opensbi qemu-user-static gcc-12-riscv64-linux-gnu
	gcc-riscv64-linux-gnu libc6-dev-riscv64-cross"
ARMHF="qemu-system-arm qemu-user-static gcc-12-arm-linux-gnueabihf gcc-arm-linux-gnueabihf
	libc6-dev-armhf-cross"
I386="gcc-12-i686-linux-gnu gcc-i686-linux-gnu libc6-dev-i386-cross"
MIPS64EL="qemu-system-mips gcc-12-mips64el-linux-gnuabi64 gcc-mips64el-linux-gnuabi64
	libc6-dev-mips64el-cross"
MIPSEL="qemu-system-mips gcc-12-mipsel-linux-gnu gcc-mipsel-linux-gnu libc6-dev-mipsel-cross"
# What some of the test kernels are built with besides.
PLUGINS="gcc-12-plugin-dev"
CLANG="clang-19 lld-19 llvm-19"
# A processor that wants landing pads, and what boots on it.
PADS="bochs bochsbios vgabios grub-pc-bin grub-common xorriso mtools"
# redis-tools has the server as well (redis-check-rdb), and starts no service.
RUN="redis-tools gcc make libc6-dev"
# What is measured, and peers to compare with.
BENCH="$BUILD g++ python3 python3-dbg valgrind gdb gdbserver uftrace lttng-tools
	liblttng-ust-dev sqlite3 openssl"

# What tools/install/deb calls.
DEB="$STATIC dpkg-dev"

# Real programs, to be probed under load: tests/programs.
PROGRAMS="nginx-light postgresql memcached nodejs default-jdk-headless
	python3 golang-go rustc qemu-system-x86 chromium"
# Another tracer's scripts, and a library that they look into.
TOOLS="bpftrace libssl-dev"
# A fresh Debian, to install our packages in.
PACKAGES="debootstrap"
# Programs that a runtime looks after, for the long runs.
RUNTIMES="$BUILD golang-go rustc nodejs default-jdk-headless luajit"

# What vm/kernel.sh downloads and unpacks.
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
	[ $# -gt 0 ] || return 0
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
	as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
		apt-get -qq -o DPkg::Lock::Timeout=600 "$@"
}

# The installed packages that apt would remove to install $*.
would_remove() {
	apt -s install --no-install-recommends "$@" 2>/dev/null |
		sed -n 's/^Remv \([^ ]*\).*/\1/p' | tr '\n' ' ' | sed 's/ $//'
}

packages=
offered_too=
for group; do
	case $group in
	check) packages="$packages $CHECK" ;;
	vm) packages="$packages $VM"; offered_too=$KERNEL_PACKAGES ;;
	arm64) packages="$packages $ARM64" ;;
	riscv64) packages="$packages $RISCV64" ;;
	i386) packages="$packages $I386" ;;
	armhf) packages="$packages $ARMHF" ;;
	mips64el) packages="$packages $MIPS64EL" ;;
	mipsel) packages="$packages $MIPSEL" ;;
	plugins) packages="$packages $PLUGINS" ;;
	clang) packages="$packages $CLANG" ;;
	pads) packages="$packages $PADS" ;;
	run) packages="$packages $RUN" ;;
	bench) packages="$packages $BENCH" ;;
	static) packages="$packages $STATIC" ;;
	deb) packages="$packages $DEB" ;;
	programs) packages="$packages $PROGRAMS" ;;
	runtimes) packages="$packages $RUNTIMES" ;;
	tools) packages="$packages $TOOLS" ;;
	packages) packages="$packages $PACKAGES" ;;
	*) die "unknown group $group: use check, vm, arm64, riscv64, i386, armhf, mips64el, mipsel, plugins, clang, pads, run, bench, static, deb, programs, runtimes, tools or packages" ;;
	esac
done

command -v apt-get >/dev/null || die "this is not a Debian system: install by hand:" $packages

missing=$(not_installed $packages)
stale=$(not_offered $offered_too)
[ -n "$missing$stale" ] || exit 0

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed() { tail -n 5 "$log" >&2; die "$*"; }

say "updating the package lists"
apt update >"$log" 2>&1 || failed "apt-get update failed (root and a network are needed)"
if [ -n "$missing" ]; then
	say "installing$missing"
	if ! apt install -y --no-remove --no-install-recommends $missing >"$log" 2>&1; then
		in_the_way=$(would_remove $missing)
		[ -z "$in_the_way" ] || die "these packages conflict with what is needed, and are" \
			"left installed: $in_the_way. Remove them by hand, or build elsewhere;" \
			"needed:$missing"
		failed "could not install:$missing"
	fi
fi
stale=$(not_offered $offered_too)
[ -z "$stale" ] || die "the test kernels need Debian 12, which has$stale"
