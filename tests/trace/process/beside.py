#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace on a process in which the kernel's uprobes come and go on the same functions.

Owns: functions whose first instructions are of each length, a uprobe on each while a script
counts it, and what has to be: the program computes what it does alone, the script's jump
leaves before the uprobe does, and hits count again when the uprobe has gone.
Prints one "ok" or "not ok" line a test.  Usage: beside.py BUILD
"""
import ctypes
import os
import platform
import re
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from answers import PATIENCE, report
from asking import Trace, Work

SHAPES = {
    "two": (2, "mov %edi, %eax; inc %eax; nop; nop; nop; nop"),
    "four": (4, "mov -8(%rsp), %eax; lea 1(%rdi), %eax; nop"),
    "five": (5, "mov $1, %eax; add %edi, %eax"),
    "seven": (7, "sub $0x1000, %rsp; lea 1(%rdi), %eax; add $0x1000, %rsp"),
}
PROGRAM = r"""
#include <stdio.h>
int two(int), four(int), five(int), seven(int);
int main(void)
{
	int (*all[])(int) = { two, four, five, seven };
	char line[64];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		for (int i = 0; i < 400; i++)
			if (all[i % 4](i) != i + 1)
				return 1;
		puts("done");
		fflush(stdout);
	}
	return 0;
}
"""
EVENT = "/sys/bus/event_source/devices/uprobe/type"
PERF_EVENT_OPEN = 298


def build(path):
    text = PROGRAM + "".join(
        f'__asm__(".text\\n.p2align 4\\n.globl {name}\\n.type {name}, @function\\n{name}: {code}; ret\\n'
        f'.skip 8, 0x90\\n.size {name}, . - {name}\\n");\n' for name, (_, code) in SHAPES.items())
    subprocess.run(["cc", "-O1", "-xc", "-o", path, "-"], input=text, text=True, check=True)


def offset_of(path, name):
    out = subprocess.run(["nm", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(re.search(rf"^(\w+) \w {name}$", out, re.M)[1], 16)


def uprobe(pid, path, offset):
    """Its descriptor; -1 when the kernel has none for us."""
    try:
        with open(EVENT) as file:
            kind = int(file.read())
    except OSError:
        return -1
    name = ctypes.create_string_buffer(path.encode())
    attr = ctypes.create_string_buffer(128)
    # type, size, config; ...; config1, config2 at 56 and 64.
    struct.pack_into("IIQ", attr, 0, kind, 128, 0)
    struct.pack_into("QQ", attr, 56, ctypes.addressof(name), offset)
    return ctypes.CDLL(None, use_errno=True).syscall(PERF_EVENT_OPEN, attr, pid, -1, -1, 0)


def text_at(pid, base, offset):
    with open(f"/proc/{pid}/mem", "rb") as file:
        file.seek(base + offset)
        return file.read(8)


def wait_until(pid, base, offset, what, is_so):
    end = time.time() + PATIENCE
    while not is_so(text_at(pid, base, offset)):
        if time.time() > end:
            raise RuntimeError(f"{what}: {text_at(pid, base, offset).hex()}")
        time.sleep(0.01)


def visit(path, name):
    length, _ = SHAPES[name]
    offset = offset_of(path, name)
    work = Work(path)
    try:
        with open(f"/proc/{work.pid}/maps") as file:
            base = int(file.read().split("-")[0], 16)
        alone = text_at(work.pid, base, offset)
        trace = Trace(f"uprobe:{name} {{ @ = count(); }}", pid=work.pid)
        trace.armed(work)
        wait_until(work.pid, base, offset, "no jump came", lambda now: now[0] == 0xe9)
        work.do("call")
        fd = uprobe(work.pid, path, offset)
        if length >= 5:
            wait_until(work.pid, base, offset, "the jump is left under the uprobe",
                       lambda now: now == b"\xcc" + alone[1:])
        work.do("call", "call")
        os.close(fd)
        wait_until(work.pid, base, offset, "no probe came back",
                   lambda now: now[0] == 0xe9 or now == b"\xcc" + alone[1:])
        # The kernel may be about to take its uprobe out.
        time.sleep(0.2)
        wait_until(work.pid, base, offset, "no probe came back", lambda now: now[0] == 0xe9)
        work.do("call")
        out, status = trace.end()
        count = int((re.search(r"^@: (\d+)$", out, re.M) or [0, 0])[1])
        problem = None
        if status or count < 200:
            problem = f"status {status}: {out}{trace.err}"
        if work.end():
            problem = f"{problem or ''} the target ended badly"
    except (RuntimeError, subprocess.TimeoutExpired, OSError) as error:
        problem = error
        work.process.kill()
    report(f"a uprobe comes and goes on a traced function: {name}", problem)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "prog")
        if platform.machine() != "x86_64":
            print("skip a_uprobe_on_a_traced_function the instructions are x86-64's")
            return
        build(path)
        fd = uprobe(os.getpid(), path, offset_of(path, "two"))
        if fd < 0:
            print("skip a_uprobe_on_a_traced_function this kernel offers us no uprobes")
            return
        os.close(fd)
        for name in SHAPES:
            visit(path, name)


main()
