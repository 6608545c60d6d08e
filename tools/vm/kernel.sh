#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns the test kernels. `kernel.sh stock|small|debug|stock-6.12|…` provides one and
# prints its directory; progress goes to stderr. `kernel.sh --cached …` fails,
# silently, when it would have to build. Exit status 77: Debian has it no more.
#
#   stock   Debian 12's own kernel, unpacked and never installed
#   stock-5.10, stock-6.12, stock-7.2  those of Debian 11, of the backports to Debian
#           12, which is Debian 13's, and of unstable, with the compiler that it wants
#   rt-6.1, cloud-6.1, …  Debian's other flavours of each of them
#   small   a fast-booting kernel without Kprobes and ftrace (small.config)
#   small-5.10, small-6.12, small-7.2  the same of those kernels' source;
#           small-VERSION.config says what these have under other names
#   bare-6.1, bare-6.12  small and small-6.12 without what boards leave out (bare.config)
#   frames-6.1  small, with stack traces that follow frame pointers (frames.config)
#   hard-6.12, cfi-6.12  small-6.12 with what kernels are hardened with (hard.config),
#           and built by clang with its checks of indirect calls (cfi.config)
#   debug   small plus preemption, lockdep and KASAN (debug.config)
#   stock-arm64, small-arm64  the first two for another processor (small-arm64.config)
#   stock-riscv64, small-riscv64  unstable's for a third, which Debian 12 has not, and the
#           small one (small-riscv64.config)
#   stock-i386, small-i386  the first two in 32-bit mode (small-i386.config)
#   stock-armhf, small-armhf  the first two for arm, of 32 bits (small-armhf.config)
#   stock-mips64el, small-mips64el  Debian's for MIPS of 64 bits, and the small one
#           (small-mips64el.config)
#   stock-mipsel  Debian's for MIPS of 32 bits
#
# What the directory holds:
#   release   the kernel release, as `uname -r` prints it
#   vmlinuz   what QEMU boots
#   vmlinux   the same as ELF; stock's has no symbols (no other of Debian's)
#   config    the kernel's configuration
#   kdir      what external modules build against: make -C $dir/kdir M=...
#   modules   the kernel's own modules (Debian's only)
#   System.map                         (small and debug only)
#   samples   its own samples/kprobes  (small and debug only)
#   certs     the key that signs modules, where the kernel wants that of them
#   busybox   of that processor                (other processors' only)
#   seconds   how long each step took
#
# Kernels live in ${KPROBES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kprobes}, named
# by package version and a hash of their configuration. A directory is built
# under a temporary name and renamed when complete, one builder at a time, so
# what has its final name is whole. The log of a build lies beside it.

set -euo pipefail

RECIPE=1 # raise it when a change to this file makes the cached kernels stale

here=$(cd "$(dirname "$0")" && pwd)
cache=${KPROBES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kprobes}
jobs=${KPROBES_JOBS:-$(nproc)}
export CCACHE_DISABLE=1 # a kernel is kept whole

usage() { echo "usage: kernel.sh [--cached] small|debug|stock|small-{5.10,6.12,7.2}|
{stock,rt,cloud}-{5.10,6.1,6.12,7.2}|bare-{6.1,6.12}|frames-6.1|{hard,cfi}-6.12|{small,stock}-{arm64,riscv64,i386,armhf,mips64el}|stock-mipsel" >&2; exit 2; }
say() { echo "kernel $flavour: $*" >&2; }
die() { say "$*"; exit 1; }

cached_only=
if [ "${1-}" = --cached ]; then
	cached_only=y
	shift
fi
[ $# = 1 ] || usage
flavour=$1
kind=$flavour
series=6.1
suite= # of the packages; none: the machine's own
foreign= # the suite of what runs there, for another processor
own_programs= # its programs need a newer C library than the machine's
fragments=
exports= # lists of them, of a kernel that drops the others
deps=vm
compiler="CC=gcc-12 HOSTCC=gcc-12"
clang="HOSTCC=gcc-12 CC=clang-19 LD=ld.lld-19 AR=llvm-ar-19 NM=llvm-nm-19 OBJCOPY=llvm-objcopy-19"
architecture=amd64 # Debian's name of the kernel's flavour
packaged=amd64 # and of the processor
machine=x86_64 # the kernel's name of the processor
triplet=x86_64-linux-gnu # the compiler's
image_target=bzImage
case $flavour in
*-[0-9]*) series=${flavour#*-} ;;
stock-riscv64) series=7.2 ;;
esac
case $series in
5.10) suite=bullseye ;;
6.1) ;;
6.12) suite=bookworm-backports ;;
7.2) suite=sid own_programs=y ;;
*) usage ;;
esac
case $flavour in
small) fragments="$here/small.config" ;;
debug) fragments="$here/small.config $here/debug.config" ;;
small-5.10 | small-6.12 | small-7.2)
	kind=small
	fragments=$here/small.config
	[ $series != 7.2 ] || fragments+=" $here/small-6.12.config"
	fragments+=" $here/$flavour.config"
	;;
bare-6.1 | frames-6.1 | bare-6.12 | hard-6.12 | cfi-6.12)
	kind=small
	fragments=$here/small.config
	[ $series != 6.12 ] || fragments+=" $here/small-6.12.config"
	fragments+=" $here/${flavour%-*}.config"
	case $flavour in
	bare-*) exports="$here/../../host/linux-kernel/exports $here/bare.exports" ;;
	hard-*) deps+=" plugins" ;;
	cfi-*) deps+=" clang" compiler=$clang ;;
	esac
	;;
stock) ;;
stock-arm64)
	kind=debian
	;;&
small-arm64)
	kind=small
	fragments="$here/small.config $here/small-arm64.config"
	;;&
stock-riscv64)
	kind=debian
	;;&
small-riscv64)
	kind=small
	fragments="$here/small.config $here/small-riscv64.config"
	;;&
stock-i386)
	kind=debian
	;;&
small-i386)
	kind=small
	fragments="$here/small.config $here/small-i386.config"
	;;&
stock-mips64el)
	kind=debian
	;;&
small-mips64el)
	kind=small
	fragments="$here/small.config $here/small-mips64el.config"
	;;&
stock-mipsel)
	kind=debian
	machine=mips architecture=4kc-malta packaged=mipsel foreign=bookworm triplet=mipsel-linux-gnu
	deps+=" mipsel"
	;;
*-mips64el)
	machine=mips architecture=5kc-malta packaged=mips64el foreign=bookworm triplet=mips64el-linux-gnuabi64 image_target=vmlinux
	deps+=" mips64el"
	;;
stock-armhf)
	kind=debian
	;;&
small-armhf)
	kind=small
	fragments="$here/small.config $here/small-armhf.config"
	;;&
*-armhf)
	machine=arm architecture=armmp packaged=armhf foreign=bookworm triplet=arm-linux-gnueabihf image_target=zImage
	deps+=" armhf"
	;;
*-i386)
	machine=i386 architecture=686-pae packaged=i386 foreign=bookworm triplet=i686-linux-gnu
	deps+=" i386"
	;;
*-riscv64)
	machine=riscv architecture=riscv64 packaged=riscv64 foreign=sid triplet=riscv64-linux-gnu image_target=Image
	deps+=" riscv64"
	;;
*-arm64)
	machine=arm64 architecture=arm64 packaged=arm64 foreign=bookworm triplet=aarch64-linux-gnu image_target=Image
	deps+=" arm64"
	;;
stock-* | rt-* | cloud-*)
	kind=debian
	case $flavour in rt-* | cloud-*) architecture=${flavour%%-*}-amd64 ;; esac
	;;
*) usage ;;
esac
[ $packaged = amd64 ] || compiler="CROSS_COMPILE=$triplet- CC=$triplet-gcc-12 HOSTCC=gcc-12"

# step WORDS -- COMMAND...: runs one step of the build, timed and logged.
step() {
	local words=$1 start=$SECONDS
	shift 2
	say "$words"
	"$@" >>"$log" 2>&1 || { tail -n 15 "$log" >&2; die "failed to $words; see $log"; }
	echo "$((SECONDS - start)) $words" >>"$work/seconds"
}

# --- packages ---------------------------------------------------------------

# source_of CODENAME: where the machine has that suite from.
source_of() {
	local site
	site=$(env -u APT_CONFIG apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $1" | head -n 1)
	[ -n "$site" ] || die "where Debian's packages come from is not known: run apt-get update"
	echo "$site"
}

# Another suite's lists, or another processor's, beside the machine's own, from where
# that has its own.
use_suite() {
	[ -z "$suite$1" ] || use_lists "${suite:-$1}" $packaged
}

# use_lists SUITE PROCESSOR
use_lists() {
	local apt=$cache/apt-$1 source
	[ "$2" = amd64 ] || apt=$cache/apt-$2
	[ "${APT_CONFIG-}" != "$apt/apt.conf" ] || return 0
	source="deb $(source_of bookworm) $1 main"
	[ "$1" != bookworm ] || source+=$'\n'"deb $(source_of bookworm-security) bookworm-security main"
	# What is old is kept up there.
	[ "$1" != bullseye ] ||
		source+=$'\n'"deb $(source_of bookworm-security) bullseye-security main"
	mkdir -p "$apt/lists/partial" "$apt/archives/partial"
	export APT_CONFIG=$apt/apt.conf
	# One at a time: another kernel's may be on its way to the same.
	(
		flock 8
		echo "$source" >"$apt/sources.list.new"
		cat >"$apt/apt.conf.new" <<-END
			Dir::Etc::sourcelist "$apt/sources.list";
			Dir::Etc::sourceparts "-";
			Dir::State::lists "$apt/lists";
			Dir::Cache "$apt";
			APT::Sandbox::User "root";
		END
		[ "$2" = amd64 ] ||
			printf 'APT::Architecture "%s"; APT::Architectures { "%s"; };\n' "$2" "$2" >>"$apt/apt.conf.new"
		mv "$apt/sources.list.new" "$apt/sources.list"
		mv "$apt/apt.conf.new" "$apt/apt.conf"
		# Some machines keep them compressed.
		[ -n "$(ls "$apt"/lists/*_Packages* 2>/dev/null)" ] || refresh_lists
	) 8>"$apt/lock"
}

refresh_lists() {
	apt-get -qq update >&2 ||
		{ ls "${APT_CONFIG%/*}"/lists/*_Packages* >/dev/null 2>&1 && say "goes on without some package lists"; } ||
		die "the package lists of ${suite:-$foreign} cannot be had"
}

# package_field PACKAGE FIELD: what the package lists say of its newest version.
package_field() {
	{ apt-cache show --no-all-versions "$1" 2>/dev/null || :; } | sed -n "s/^$2: //p"
}

# download_and_unpack PACKAGE=VERSION...: into $work/root
download_and_unpack() {
	local deb
	mkdir -p "$work/deb" "$work/root"
	(cd "$work/deb" && apt-get -qq -o APT::Sandbox::User=root download "$@") || return
	for deb in "$work"/deb/*.deb; do
		dpkg -x "$deb" "$work/root"
	done
	rm -r "$work/deb"
}

# --- Debian's ----------------------------------------------------------------

# linux-image-amd64 depends on one image, of one version; in time, of a later series.
# Of 5.10's rt the lists name three newer images, whose files are gone.
name_debian() {
	use_suite "$foreign"
	image=$(package_field "linux-image-$architecture" Depends |
		grep -o 'linux-image-[0-9][^ ,]*' | head -n 1) || :
	[ "$flavour" != rt-5.10 ] || image=linux-image-5.10.0-43-rt-amd64
	version=$(package_field "$image" Version | grep "^${series//./\\.}\.") || :
	release=${image#linux-image-}
	name=$flavour-$version-$RECIPE
}
name_stock() { name_debian; }

# What runs in a machine with another processor, of which nothing is installed.
unpack_busybox() {
	[ $machine != x86_64 ] || return 0
	step "download busybox" -- take_busybox
}
take_busybox() (
	kept=$work
	use_suite $foreign
	work=$(mktemp -d "$work/busybox.XXXXXX")
	download_and_unpack busybox-static &&
		cp "$(find "$work/root" -path '*bin/busybox')" "$kept/busybox" && rm -r "$work"
)

# The headers name their other half by an absolute path: make it relative, so
# that they work where they are unpacked.  And the compiler is the machine's.
arrange_debian() {
	local headers=$work/root/usr/src/linux-headers-$release modules=lib/modules/$release

	sed -i 's|/usr/src/|$(realpath $(dir $(lastword $(MAKEFILE_LIST)))..)/|' "$headers/Makefile"
	if [ "$own_programs" ]; then
		wrap_programs
		sed -i -e '1i wrapped := $(realpath $(dir $(lastword $(MAKEFILE_LIST)))../../wrapped)' \
			-e 's|^override CROSS_COMPILE = |&$(wrapped)/|' \
			-e '$a override PAHOLE = $(wrapped)/pahole' "$headers/.kernelvariables"
	else
		sed -i 's/gcc-[0-9]\+$/gcc-12/' "$headers/.kernelvariables"
	fi
	[ $packaged = amd64 ] || [ "$own_programs" ] ||
		sed -i "\$a override CROSS_COMPILE = $triplet-" "$headers/.kernelvariables"
	[ -d "$work/root/$modules" ] || modules=usr/$modules
	mv "$work/root/boot/vmlinuz-$release" "$work/vmlinuz" 2>/dev/null ||
		mv "$work/root/$modules/vmlinuz" "$work/vmlinuz"
	cp "$headers/.config" "$work/config"
	ln -s "root/usr/src/linux-headers-$release" "$work/kdir"
	ln -s "root/$modules" "$work/modules"
	ln -sfnr "$headers" "$work/root/$modules/build"
	echo "$release" >"$work/release"
}

# The boot protocol says where in vmlinuz the compressed ELF image lies.
extract_vmlinux() {
	python3 - "$work/vmlinuz" "$work/vmlinux" <<'PYTHON'
import lzma, struct, sys
image = open(sys.argv[1], "rb").read()
setup_sectors = image[0x1F1] or 4
payload_offset, payload_len = struct.unpack_from("<II", image, 0x248)
start = (setup_sectors + 1) * 512 + payload_offset
elf = lzma.LZMADecompressor().decompress(image[start:start + payload_len])
assert elf[:4] == b"\x7fELF"
open(sys.argv[2], "wb").write(elf)
PYTHON
}

# The headers' other half and the programs that they build with (5.10's images share one
# package of these, as old as the headers or newer), and the image, which newer kernels
# have in parts.
unpack_debian() {
	local depends packages part kbuild
	depends=$(package_field "linux-headers-$release" Depends)
	packages="$image linux-headers-$release $(grep -oE 'linux-headers-[^ ,]*-common[^ ,]*' <<<"$depends")"
	for part in binary modules; do
		[ -z "$(package_field "linux-$part-$release" Version)" ] || packages+=" linux-$part-$release"
	done
	download_and_unpack $(printf "%s=$version " $packages) || return
	# Programs are the machine's, but where they need a newer C library.
	kbuild=$(grep -oE 'linux-kbuild-[^ ,]*' <<<"$depends")
	(
		if [ "$own_programs" ]; then
			use_lists "$suite" amd64
			download_and_unpack $(needed_to_build) || exit
		elif [ $packaged != amd64 ]; then
			unset APT_CONFIG
		fi
		download_and_unpack "$kbuild"
	)
}

# The compiler that the headers name, the C library and so on, as for a machine that
# has nothing yet.
needed_to_build() {
	local with="linux-headers-$release"
	[ $packaged = amd64 ] || with="$kbuild $(grep -oE 'gcc-[0-9]+' <<<"$depends" | head -n 1)-$triplet"
	apt-get -qq -s -o Dir::State::status=/dev/null --no-install-recommends install $with |
		awk '$1 == "Inst" && $2 !~ /^(linux-|debconf)/ { print $2 }'
}

# wrap PROGRAM SCRIPT [OPTIONS]: a script that runs the program with the C library of its
# suite, wherever the tree lies.
wrap() {
	cat >"$2" <<-END
		#!/bin/sh
		root=\${0%/*}/$(realpath --relative-to="${2%/*}" "$work/root")
		with="\$root/usr/lib64/ld-linux-x86-64.so.2 --library-path \$root/usr/lib/x86_64-linux-gnu"
		exec \$with --argv0 "\$0" "\$root/${1#"$work/root/"}" ${3-} "\$@"
	END
	chmod +x "$2"
}

# The compiler starts others, which need the same.
wrap_programs() {
	local program options
	mkdir "$work/root/usr/wrapped"
	for program in "$work"/root/usr/bin/{$triplet-*,pahole}; do
		options=
		case $program in
		*-gcc-[0-9]*) options='-B "$root/usr/bin/'$triplet'-" -wrapper "$(echo $with | tr " " ,)"' ;;
		esac
		wrap "$program" "$work/root/usr/wrapped/${program##*/}" "$options"
	done
	find "$work"/root/usr/lib/linux-kbuild-* -type f -perm /111 | while read -r program; do
		[ "$(head -c 4 "$program")" = $'\x7fELF' ] || continue
		mv "$program" "$program.elf"
		wrap "$program.elf" "$program"
	done
}

build_debian() {
	step "download and unpack $image $version" -- unpack_debian
	step "make the headers relocatable" -- arrange_debian
	unpack_busybox
}
build_stock() {
	build_debian
	step "extract vmlinux" -- extract_vmlinux
}

# --- small and debug --------------------------------------------------------

name_small() {
	local hash
	use_suite ""
	version=$(package_field "linux-source-$series" Version)
	hash=$(cat $fragments $exports | sha256sum | cut -c1-12)
	name=$flavour-$version-$RECIPE-$hash
}
name_debug() { name_small; }

unpack_source() {
	tar -C "$work" --use-compress-program='xz -d -T0' -xf "$work/root/usr/src/linux-source-$series.tar.xz"
	mv "$work/linux-source-$series" "$work/source"
	rm -r "$work/root"
}

# What the fragments say, one line an option: a later fragment overrides, or says that
# its kernel has no such option.
merged_fragments() {
	awk '{
		if ($0 ~ /^CONFIG_/) option = substr($0, 1, index($0, "=") - 1)
		else if ($0 ~ /^# CONFIG_.* is not set$/) option = $2
		else if ($0 ~ /^# CONFIG_.* is not known$/) { delete line[$2]; next }
		else next
		line[option] = $0
	}
	END { for (option in line) print line[option] }' $fragments
}

# Everything that the fragments do not name is off.
configure() {
	local lost
	[ -z "$exports" ] || sed '/^#/d' $exports >"$work/source/exports"
	merged_fragments >"$work/fragment"
	kernel_make KCONFIG_ALLCONFIG="$work/fragment" allnoconfig
	lost=$(grep -vxFf "$work/source/.config" "$work/fragment" || true)
	rm "$work/fragment"
	[ -z "$lost" ] || { echo "these lines took no effect:"; echo "$lost"; return 1; }
}

# User, host and time are fixed: the same input gives the same kernel.
kernel_make() {
	nice -n 10 make -s -C "$work/source" -j"$jobs" \
		ARCH=$machine $compiler LOCALVERSION="-kp-$flavour" \
		KBUILD_BUILD_USER=kprobes KBUILD_BUILD_HOST=vm \
		KBUILD_BUILD_TIMESTAMP='2000-01-01' "$@"
}

# Keeps what an external module's build reads, and drops the sources and objects.
keep_kdir() {
	local source=$work/source arch image
	arch=$(sed 's/x86_64\|i386/x86/' <<<$machine)
	image=$source/arch/$arch/boot/$image_target
	[ -e "$image" ] || image=$source/$image_target
	cp "$image" "$work/vmlinuz"
	cp "$source/vmlinux" "$source/System.map" "$work"
	cp "$source/.config" "$work/config"
	cp "$source/include/config/kernel.release" "$work/release"
	cp -r "$source/samples/kprobes" "$work/samples"
	if [ -e "$source/certs/signing_key.pem" ]; then
		mkdir "$work/certs"
		cp "$source"/certs/signing_key.{pem,x509} "$work/certs"
	fi
	mkdir "$work/kdir"
	printf '%s\n' $compiler | sed 's/=/ = /' >"$work/kdir/.kernelvariables"
	[ $machine = x86_64 ] || printf '%s\n' "override ARCH = $machine" >>"$work/kdir/.kernelvariables"
	(
		cd "$source"
		{
			echo .config
			echo Module.symvers
			find . -maxdepth 1 -name 'Makefile*' -o -maxdepth 1 -name 'Kbuild*'
			find arch/$arch -maxdepth 1 -name 'Makefile*'
			find arch/$arch -maxdepth 2 \( -name Platform -o -name Kbuild.platforms \) # MIPS' boards
			find include arch/$arch/include scripts $(ls -d tools/objtool/objtool 2>/dev/null) \( -type f -o -type l \) ! -name '*.o' ! -name '*.cmd'
		} | cpio -pdm --quiet "$work/kdir"
	)
	rm -rf "$source"
}

build_small() {
	unpack_busybox # first: what may fail
	step "download linux-source-$series $version" -- download_and_unpack "linux-source-$series=$version"
	step "unpack the source" -- unpack_source
	step "configure" -- configure
	step "build with $jobs jobs" -- kernel_make $image_target modules
	step "keep what modules need" -- keep_kdir
}
build_debug() { build_small; }

# --- the cache --------------------------------------------------------------

main() {
	"name_$kind"
	kernel=$cache/$name
	if [ -z "$version" ] || [ ! -d "$kernel" ]; then
		[ -z "$cached_only" ] || exit 1
		env -u APT_CONFIG "$here/../deps.sh" $deps
		[ -z "$suite" ] || refresh_lists
		"name_$kind"
		[ -n "$version" ] || { say "${suite:-this Debian} has no such kernel, or not any more"; exit 77; }
		kernel=$cache/$name
		mkdir -p "$cache"
		exec 9>"$cache/$name.lock"
		flock -n 9 || { say "waiting for another build of $name"; flock 9; }
		if [ ! -d "$kernel" ]; then
			log=$cache/$name.log
			: >"$log"
			rm -rf "$cache/.$name".* # what a killed builder left
			work=$(mktemp -d "$cache/.$name.XXXXXX")
			trap 'rm -rf "$work"' EXIT
			chmod 755 "$work"
			"build_$kind"
			[ -s "$work/vmlinuz" ] && [ -s "$work/kdir/Module.symvers" ] || die "is not whole; see $log"
			mv -T "$work" "$kernel"
			say "ready: $kernel"
		fi
	fi
	echo "$kernel"
}

# On one line, so that bash reads nothing more of a file that may change under a
# long build.
main; exit
