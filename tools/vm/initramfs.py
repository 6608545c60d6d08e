#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Owns what the virtual machine boots into: a busybox initramfs.

    initramfs.py OUT --script FILE [--files DEST=SRC ...]

The archive holds busybox with its applets in /bin, the caller's files, the
caller's script as /test/run.sh, and /init, which mounts the usual file systems,
runs the script in /test and ends the machine (a reboot, which QEMU turns into its exit). What goes over the serial
console, each marker on a line of its own:

    KP-VM-BEGIN         the script starts; its output follows
    KP-VM-EXIT <n>      it ended with this status
    KP-VM-LOG-BEGIN     the kernel log follows
    KP-VM-LOG-END
"""

import argparse
import gzip
import os
import stat
import subprocess
import sys

BEGIN = "KP-VM-BEGIN"
EXIT = "KP-VM-EXIT"
LOG_BEGIN = "KP-VM-LOG-BEGIN"
LOG_END = "KP-VM-LOG-END"

# The console is silenced before the last markers, so that no message of the
# kernel can land inside one.
INIT = f"""#!/bin/sh
export PATH=/bin HOME=/test
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t debugfs debug /sys/kernel/debug
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
ip link set lo up 2>/dev/null
cd /test
echo; echo {BEGIN}
setsid sh /test/run.sh </dev/null 2>&1
status=$?
dmesg -n 1
echo; echo {EXIT} $status
echo {LOG_BEGIN}
dmesg
echo {LOG_END}
reboot -f
"""

# By the class and the machine that an ELF file is of.
EMULATORS = {(1, 8): "qemu-mipsel-static", (2, 8): "qemu-mips64el-static",
             (1, 40): "qemu-arm-static", (2, 183): "qemu-aarch64-static",
             (2, 243): "qemu-riscv64-static"}
DIRECTORIES = "bin dev proc sys tmp test lib etc".split()


class Archive:
    """A cpio archive in the 'newc' format, which the kernel unpacks."""

    def __init__(self):
        self.parts = []
        self.names = set()

    def _add(self, name, mode, data=b"", device=(0, 0)):
        self.names.add(name)
        path = name.encode() + b"\0"
        fields = [len(self.names), mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0]
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        self.parts += [_padded(header + path), _padded(data)]

    def directory(self, name):
        parent = os.path.dirname(name)
        if parent and parent not in self.names:
            self.directory(parent)
        if name not in self.names:
            self._add(name, stat.S_IFDIR | 0o755)

    def file(self, name, data, mode):
        self.directory(os.path.dirname(name))
        self._add(name, stat.S_IFREG | mode, data)

    def link(self, name, target):
        self.directory(os.path.dirname(name))
        self._add(name, stat.S_IFLNK | 0o777, target.encode())

    def character_device(self, name, major, minor):
        self._add(name, stat.S_IFCHR | 0o600, device=(major, minor))

    def copy(self, name, source):
        """A file with its mode, or a directory with all that it holds."""
        if os.path.isdir(source):
            for entry in sorted(os.listdir(source)):
                self.copy(f"{name}/{entry}", os.path.join(source, entry))
            return
        with open(source, "rb") as file:
            self.file(name, file.read(), stat.S_IMODE(os.stat(source).st_mode) | 0o400)

    def data(self):
        self._add("TRAILER!!!", 0)
        return b"".join(self.parts)


def _padded(data):
    return data + b"\0" * (-len(data) % 4)


def applets(busybox):
    """What it can do; one of another processor is asked through QEMU."""
    with open(busybox, "rb") as file:
        start = file.read(20)
    emulator = EMULATORS.get((start[4], start[18]))
    return subprocess.check_output([*filter(None, [emulator]), busybox, "--list"], text=True).split()


def build(out, script, files, busybox="/bin/busybox"):
    """Writes the archive; `files` is a list of (destination, source)."""
    archive = Archive()
    for name in DIRECTORIES:
        archive.directory(name)
    archive.character_device("dev/console", 5, 1)
    archive.character_device("dev/null", 1, 3)
    archive.copy("bin/busybox", busybox)
    for applet in applets(busybox):
        if applet != "busybox":
            archive.link(f"bin/{applet}", "busybox")
    archive.file("init", INIT.encode(), 0o755)
    for destination, source in files:
        archive.copy(destination.strip("/"), source)
    archive.copy("test/run.sh", script)
    with gzip.open(out, "wb", compresslevel=1) as file:
        file.write(archive.data())


def file_argument(text):
    """DEST=SRC, for argparse."""
    destination, separator, source = text.partition("=")
    if not (destination and separator and os.path.exists(source)):
        raise argparse.ArgumentTypeError(f"'{text}' is not DEST=SRC with a SRC that exists")
    return destination, source


def main():
    parser = argparse.ArgumentParser(description="Build the initramfs of a test VM.")
    parser.add_argument("out")
    parser.add_argument("--script", required=True, help="becomes /test/run.sh")
    parser.add_argument("--files", nargs="*", default=[], type=file_argument, metavar="DEST=SRC")
    arguments = parser.parse_args()
    build(arguments.out, arguments.script, arguments.files)


if __name__ == "__main__":
    sys.exit(main())
