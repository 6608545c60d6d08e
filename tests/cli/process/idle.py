# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What a process pays for being attached to, while no probe is hit.

Owns: a measurement, not a test: python3 idle.py [PAIRS].  A busy process is
left alone and attached to in turns, with a probe on a function that it does
not call; its rounds a second of its own CPU time are compared.
"""
import os
import statistics
import struct
import subprocess
import sys
import time

from common import COUNTER, OUT, Victim, compile_all, kprobes, read, threads_of

PAIRS = int(sys.argv[1]) if sys.argv[1:] else 20
SECONDS = 0.5


def address_of_rounds(pid):
    names = subprocess.run(["nm", os.path.join(OUT, "victim")], check=True,
                           text=True, stdout=subprocess.PIPE).stdout
    offset = [line.split()[0] for line in names.splitlines()
              if line.endswith(" rounds")][0]
    return int(read(f"/proc/{pid}/maps").split("-")[0], 16) + int(offset, 16)


def cpu_ns(pid):
    return sum(int(read(f"/proc/{pid}/task/{tid}/schedstat").split()[0])
               for tid in threads_of(pid))


def speed(pid, address):
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as mem:
        def rounds():
            mem.seek(address)
            return struct.unpack("q", mem.read(8))[0]
        first, cpu = rounds(), cpu_ns(pid)
        time.sleep(SECONDS)
        return (rounds() - first) * 1e9 / (cpu_ns(pid) - cpu)


def main():
    compile_all()
    alone, attached = [], []
    with Victim("busy") as victim:
        address = address_of_rounds(victim.pid)
        for _ in range(PAIRS):
            alone.append(speed(victim.pid, address))
            run = kprobes("load", COUNTER, "symbol=victim_wait", "-p",
                          victim.pid)
            assert not run.returncode, run.stderr
            time.sleep(0.1)
            attached.append(speed(victim.pid, address))
            kprobes("unload", "-a", "-p", victim.pid)
    ratios = [b / a for a, b in zip(alone, attached)]
    again = [b / a for a, b in zip(alone, alone[1:])]
    print(f"alone     {statistics.median(alone):.0f} rounds a CPU second")
    print(f"attached  {statistics.median(attached):.0f}")
    print(f"attached against alone  median {statistics.median(ratios):.4f}, "
          f"spread {min(ratios):.3f} to {max(ratios):.3f}")
    print(f"alone against alone     median {statistics.median(again):.4f}, "
          f"spread {min(again):.3f} to {max(again):.3f}")


main()
