#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""75,000 probes in a process, in and out.

Owns: a generated program of 80,000 functions, and bounds on what probing it
costs the process: processor time, by the kernel's account, which other work on
the machine does not change much; how that grows with the number of probes; and
memory after several rounds, also where some hundred words in its memory look like
addresses of copies.  The program has changed its user where it can
(root), so that /proc/self/mem cannot be had and text is written the slow way.
"""
import os
import re
import struct
import subprocess
import sys
import time

import common
from common import KPROBES, OUT, ROOT, BUILD, kprobes, read, report, said

FUNCTIONS = 80000
MANY, FEW = 75000, 15000
KEPT = 200
TICKS = os.sysconf("SC_CLK_TCK")
BODIES = (
    "\tlea 1(%rdi,%rdi), %eax\n\tret\n",
    "\tpush %rbx\n\tmov %edi, %ebx\n\tlea 7(%rbx), %eax\n\tpop %rbx\n\tret\n",
    "\ttest %edi, %edi\n\tje 1f\n\tadd $1, %edi\n1:\tmov %edi, %eax\n\tret\n",
    "\tmov %edi, %eax\n\txor $0x1234567, %eax\n\tret\n",
)
MAIN = r"""
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
extern int (*const scale_functions[])(int);
volatile unsigned long scale_kept[200];
int main(int argc, char **argv)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	unsigned int sum, nr = (unsigned int)atoi(argv[1]), i;
	char byte;

	if (!geteuid() && (setgid(65534) || setuid(65534)))
		return 1;
	puts("ready");
	fflush(stdout);
	while (poll(&in, 1, -1) == 1 && read(0, &byte, 1) == 1) {
		for (sum = i = 0; i < nr; i++)
			sum += (unsigned int)scale_functions[i]((int)i);
		printf("%u\n", sum);
		fflush(stdout);
	}
}
"""


def generate():
    with open(os.path.join(OUT, "scale.s"), "w", encoding="ascii") as file:
        file.write("\t.text\n")
        for i in range(FUNCTIONS):
            file.write(f"\t.p2align 4, 0xcc\n\t.globl scale_{i}\n"
                       f"\t.type scale_{i}, @function\nscale_{i}:\n"
                       f"{BODIES[i % len(BODIES)]}"
                       f"\t.size scale_{i}, .-scale_{i}\n")
        file.write('\t.section .data.rel.ro, "aw"\n\t.globl scale_functions\n'
                   "scale_functions:\n")
        for i in range(FUNCTIONS):
            file.write(f"\t.quad scale_{i}\n")
        file.write('\t.section .note.GNU-stack, "", @progbits\n')
    with open(os.path.join(OUT, "scale-main.c"), "w",
              encoding="ascii") as file:
        file.write(MAIN)


def build():
    os.makedirs(OUT, exist_ok=True)
    program = os.path.join(OUT, "scale")
    if not (os.path.exists(program) and os.stat(program).st_mtime >
            os.stat(os.path.abspath(__file__)).st_mtime):
        generate()
        subprocess.run(["gcc", "-O1", os.path.join(OUT, "scale-main.c"),
                        os.path.join(OUT, "scale.s"), "-o", program], check=True)
    common.compile_one("scale.so", "scale.c", "-fPIC", "-shared",
                       f"-I{ROOT}/include", f"-I{ROOT}/host/linux-user/include",
                       f"-I{ROOT}/arch/x86/include", f"-L{BUILD}", "-lkprobes",
                       '-DKBUILD_MODNAME="scale"')
    return program


class Target:
    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, str(FUNCTIONS)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.process.stdout.readline()
        self.pid = self.process.pid

    def work(self):
        self.process.stdin.write(b"x")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def seconds(self):
        """Of processor time that it has had."""
        fields = read(f"/proc/{self.pid}/stat").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def text(self):
        """Of the program; its mapping may be in several parts now."""
        spans = [[int(x, 16) for x in line.split()[0].split("-")]
                 for line in read(f"/proc/{self.pid}/maps").splitlines()
                 if line.endswith("/scale") and "r-x" in line]
        with open(f"/proc/{self.pid}/mem", "rb", buffering=0) as mem:
            mem.seek(spans[0][0])
            return mem.read(spans[-1][1] - spans[0][0])

    def kept_at(self):
        """Where the words are that nobody uses."""
        base = min(int(line.split("-")[0], 16)
                   for line in read(f"/proc/{self.pid}/maps").splitlines()
                   if line.endswith("/scale"))
        names = subprocess.run(["nm", os.path.join(OUT, "scale")], text=True,
                               stdout=subprocess.PIPE, check=True).stdout
        return base + int(re.search(r"(\w+) B scale_kept", names)[1], 16)

    def ours(self):
        """Places of eight bytes each in executable memory that has no file."""
        found = []
        for line in read(f"/proc/{self.pid}/maps").splitlines():
            words = line.split()
            if len(words) == 5 and "x" in words[1]:
                start, end = (int(x, 16) for x in words[0].split("-"))
                found += range(start, end, 8)
        return found

    def keep(self, words):
        with open(f"/proc/{self.pid}/mem", "r+b", buffering=0) as mem:
            mem.seek(self.kept_at())
            mem.write(struct.pack(f"{KEPT}Q", *words))

    def memory(self):
        return int(re.search(r"VmRSS:\s*(\d+)",
                             read(f"/proc/{self.pid}/status"))[1])


def spent(target, *words, **options):
    """What the command makes the target spend; None: it failed."""
    before = target.seconds()
    run = kprobes(*words, "-p", target.pid, timeout=300, **options)
    if run.returncode:
        report(" ".join(words[:2]), said(run))
        return None
    return target.seconds() - before


def optimized(target, nr):
    """Wait until the jumps are there; how many probes are listed."""
    for _ in range(600):
        lines = kprobes("list", "-p", target.pid, timeout=300).stdout
        if lines.count("[OPTIMIZED]") >= nr * 0.99:
            break
        time.sleep(0.2)
    else:
        return f"{lines.count('[OPTIMIZED]')} of {nr} are jumps"
    found = len(lines.splitlines())
    return None if found == nr else f"{found} lines for {nr} probes"


def go(target, nr, answer, *words):
    """In and out: the seconds each, or None."""
    before = target.seconds()
    came = spent(target, "load", os.path.join(OUT, "scale.so"), f"nr={nr}",
                 *words)
    if came is None:
        return None
    problem = optimized(target, nr)
    came = target.seconds() - before
    if not problem and target.work() != answer:
        problem = "the program has another result"
    went = spent(target, "unload", "-a")
    if problem:
        report(f"{nr} probes {' '.join(words)}", problem)
    return None if went is None or problem else (came, went)


def kept(target, answer, before):
    """
    Words all over the copies and heads: what they lead to stays, and not what is
    around it.  In a hub nobody can tell who was led there, and all stays.
    """
    for i in range(6):
        problem = None
        if kprobes("load", os.path.join(OUT, "scale.so"), f"nr={MANY}", "-p",
                   target.pid, timeout=300).returncode:
            return report("words like addresses: in", "load failed")
        problem = optimized(target, MANY)
        places = target.ours()
        target.keep([places[(2 * i + 1) * 7 + n * (len(places) - 100) // KEPT]
                     for n in range(KEPT)])
        if kprobes("unload", "-a", "-p", target.pid, timeout=300).returncode:
            problem = problem or "unload failed"
        stays = (target.memory() - before) / 1024
        target.keep([0] * KEPT)
        if problem or stays <= 10:
            break
    print(f"# {KEPT} words like addresses: {stays:.1f} MB stay")
    report(f"{KEPT} words like addresses keep no more than what they lead to",
           problem or (None if stays <= 10 else f"{stays:.1f} MB stay"))
    report("with them, the program has the same result",
           None if target.work() == answer else "another one")


def bound(words, value, most, unit):
    report(f"{words}: at most {most} {unit}",
           None if value <= most else f"{value:.2f} {unit}")


def main():
    target = Target(build())
    answer = target.work()
    text = target.text()
    before = target.memory()
    rounds, memory = [], []
    few = go(target, FEW, answer)
    for i in range(3):
        rounds.append(go(target, MANY, answer, *(["single=y"] * (i == 1))))
        memory.append(target.memory())
    if few is None or None in rounds:
        target.process.kill()
        common.end()
    report(f"{MANY} probes went in and out three times")
    # Several times what was measured, and far from what it was: 44 s for 17,600.
    for name, (came, went) in zip(("a batch", "one by one", "again"), rounds):
        print(f"# {name}: {came:.2f} s of processor time in, {went:.2f} s out")
        bound(f"{name}: in, with their jumps", came, 12, "s of processor time")
        bound(f"{name}: out", went, 6, "s of processor time")
    # Five times as many: a quadratic cost would be 25 times.
    bound("five times as many cost, in", rounds[2][0],
          round(max(few[0], 0.2) * 12, 2), "s")
    bound("five times as many cost, out", rounds[2][1],
          round(max(few[1], 0.2) * 12, 2), "s")
    print(f"# VmRSS before and after each round: {[before, *memory]} kB")
    # Nobody can come back to copies and detours: they go.
    bound("memory that stays", (max(memory) - before) / 1024, 10, "MB")
    kept(target, answer, before)
    report("its text is what it was",
           None if target.text() == text else "it differs")
    target.process.kill()
    target.process.wait()
    common.end()


main()
