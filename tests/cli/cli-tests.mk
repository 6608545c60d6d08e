# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests of the kprobes command, as a person would use it.

## make check-cli   the command on files and processes; installation
.PHONY: check-cli
check-cli: all
	@VICTIM_RESTS=1 tests/cli/run

# In a machine of its own: it takes tools/vm and Debian's kernel.
## make check-arm64-cli the command on processes of Debian's arm64 kernel (QEMU)
.PHONY: check-arm64-cli
check-arm64-cli:
	@$(ARM64_MAKE) all
	@tests/cli/machine/run arm64 build/arm64

## make check-riscv64-cli the command on processes of Debian's riscv64 kernel (QEMU)
.PHONY: check-riscv64-cli
check-riscv64-cli:
	+@$(RV_MAKE) all >/dev/null
	@tests/cli/machine/run riscv64 build/riscv64

## make check-arm-cli the command on processes of Debian's armhf kernel (QEMU)
.PHONY: check-arm-cli
check-arm-cli:
	+@$(ARM_MAKE) all >/dev/null
	@tests/cli/machine/run arm build/arm

## make check-mips-cli the command on processes of Debian's mips64el kernel (QEMU)
.PHONY: check-mips-cli
check-mips-cli:
	+@$(call mips_make,mips64el) all >/dev/null
	@tests/cli/machine/run mips build/mips64el

# Of 32 bits.
## make check-mips32-cli the command on processes of Debian's mipsel kernel (QEMU)
.PHONY: check-mips32-cli
check-mips32-cli:
	+@$(call mips_make,mipsel) all >/dev/null
	@tests/cli/machine/run mipsel build/mips

## make check-i386-cli the command on i386 processes, which this kernel executes
.PHONY: check-i386-cli
check-i386-cli:
	+@$(I386_MAKE) all >/dev/null
	@tests/cli/machine/run i386 build/i386

# 200 kills of the command, and 400 times in and out, of processes that never rest.
.PHONY: check-torture-cli fuzz-endpoint
check-torture-cli: all
	@KPROBES_KILLS=200 KPROBES_ROUNDS=400 tests/cli/run kill attach odd release visits

FUZZ_CLIENTS ?= 20000

# A part of make fuzz: clients of the endpoint in a process.
fuzz-endpoint: all
	@KPROBES_CLIENTS=$(FUZZ_CLIENTS) tests/cli/run endpoint
fuzz: fuzz-endpoint

## make check-packages   the Debian packages, in a fresh Debian (root, network)
.PHONY: check-packages
check-packages: deb
	@tools/deps.sh packages
	@tests/cli/packages $(B)

# The kernels of the Debians that are not this one: 5.10, 6.12 and what unstable has.
DKMS_SUITES ?= bullseye trixie sid
## make check-dkms       kprobes-dkms for other Debians' kernels (root, network, 3 GB)
.PHONY: check-dkms
check-dkms: deb
	@tools/deps.sh packages
	@tests/cli/dkms $(B) $(DKMS_SUITES)
