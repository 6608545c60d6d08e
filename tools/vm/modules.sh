# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Owns, for the scripts that read it: how modules are built for a test kernel.
# Wants: root, kernel; after built_for, build and the machine's make options (for_machine), machine
# and the prefix of its compiler (cross) are set:
#
#     built_for                the kernel is there, and what is built for it goes to $build
#     build_engine ARGUMENT... make's further arguments; kprobes.ko
#     kbuild DIRECTORY ARGUMENT...  modules of DIRECTORY, which use the engine

built_for() {
	machine=x86 cross=
	case $kernel in
	*-arm64) machine=arm64 cross=aarch64-linux-gnu- ;;
	*-riscv64) machine=riscv64 cross=riscv64-linux-gnu- ;;
	*-mips64el) machine=mips cross=mips64el-linux-gnuabi64- ;;
	*-mipsel) machine=mips cross=mipsel-linux-gnu- ;;
	*-armhf) machine=arm cross=arm-linux-gnueabihf- ;;
	*-i386) machine=i386 cross=i686-linux-gnu- ;;
	esac
	build=${B:-$root/build}
	case $build in /*) ;; *) build=$root/$build ;; esac
	for_machine=
	if [ $machine != x86 ]; then
		build=$build/$machine
		case $kernel in *-mipsel) build+=32 ;; esac
		for_machine="ARCH=$machine CROSS_COMPILE=$cross"
	fi
	directory=$("$root/tools/vm/kernel.sh" "$kernel")
	release=$(cat "$directory/release")
}

build_engine() { make -C "$root" -s B="$build" $for_machine module KDIR="$directory/kdir" "$@"; }

# Whether pahole is there: as host/linux-kernel/kernel.mk has it.
kbuild() {
	local where=$1
	shift
	make -s -C "$directory/kdir" M="$where" KPROBES="$root" $for_machine \
		KPROBES_SYMVERS="$build/module/$release/Module.symvers" \
		$(command -v pahole >/dev/null || echo CONFIG_DEBUG_INFO_BTF_MODULES=) "$@" modules
}
