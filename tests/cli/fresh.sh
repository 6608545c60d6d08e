# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns a fresh Debian in a folder, in which the tests of the packages install: made
# once by debootstrap, kept in the cache folder.  Sourced; needs root and a network.

cache=${KPROBES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kprobes}
failed=0
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive

# expect WORDS COMMAND...: one line for one condition.
expect() {
	local words=$1
	shift
	if "$@" >/tmp/packages.$$ 2>&1; then
		echo "ok packages: $words"
	else
		echo "not ok packages: $words"
		tail -n 20 /tmp/packages.$$ | sed 's/^/# /'
		failed=1
	fi
}

inside() { chroot "$tree" env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

leave() {
	umount "$tree/proc" 2>/dev/null || true
	rm -rf "$tree/packages" /tmp/packages.$$
}

# fresh SUITE DIRECTORY PACKAGE...: $tree, without our packages, with those.
fresh() {
	local suite=$1
	tree=$2
	shift 2
	if [ ! -x "$tree/usr/bin/dpkg" ]; then
		echo "packages: making a fresh Debian, $suite, in $tree" >&2
		rm -rf "$tree.new"
		mkdir -p "$tree.new"
		debootstrap --variant=minbase "$suite" "$tree.new" >"$cache/$suite.log"
		mv "$tree.new" "$tree"
	fi
	trap leave EXIT
	# Where the machine takes lists that are past their time, from a mirror that stands still.
	apt-config dump Acquire::Check-Valid-Until >"$tree/etc/apt/apt.conf.d/90machine"
	mountpoint -q "$tree/proc" || mount -t proc proc "$tree/proc"
	printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
	chmod +x "$tree/usr/sbin/policy-rc.d"
	if ! inside dpkg-query -W "$@" >/dev/null 2>&1; then
		inside apt-get -qq update
		inside apt-get -qq install -y --no-install-recommends "$@" >"$tree.log" 2>&1 ||
			{ tail "$tree.log"; exit 1; }
	fi
	inside dpkg --purge kprobes-dkms kprobes >/dev/null 2>&1 || true
	mkdir -p "$tree/packages"
	release=$(ls "$tree/lib/modules" | sort -V | tail -n 1)
	# As where there is a kernel, not only its headers: dkms runs depmod.
	inside depmod "$release"
}

# dkms_builds VERSION [DPKG-OPTION]: what kprobes-dkms makes for $release.
dkms_builds() {
	local built=/lib/modules/$release/updates/dkms module
	expect "dpkg -i kprobes-dkms builds the module for $release" \
		inside sh -c "dpkg ${2-} -i /packages/kprobes-dkms_*.deb"
	expect "... dkms knows it" \
		inside sh -c "dkms status | grep -q 'kprobes[/,] *$1, $release.*installed'"
	for module in kprobes kprobes_trace; do
		expect "... $module.ko fits that kernel" inside sh -c \
			"modinfo -F vermagic $built/$module.ko* | grep -q '^$release '"
	done
}
