# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Coverage of a VM kernel, proved by execution.

Owns: one boot of the small kernel for each list of groups of offsets.
"""
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))


def directory(cached=True):
    """Where the kernel is, or None when it would have to be built."""
    words = [os.path.join(TOP, "tools/vm/kernel.sh")]
    done = subprocess.run(words + ["--cached"] * cached + ["small"], text=True,
                          stdout=subprocess.PIPE, check=False)
    return done.stdout.strip() if not done.returncode else None


class Guest:
    def __init__(self, build, kernel):
        self.build, self.kernel = build, kernel
        with open(os.path.join(kernel, "release"), encoding="utf-8") as file:
            release = file.read().strip()
        self.module = os.path.join(build, "module", release)
        self.work = os.path.join(build, "bench/coverage-kernel")

    def make(self):
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)
        kdir = os.path.join(self.kernel, "kdir")
        env = {name: value for name, value in os.environ.items()
               if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        for name in ("Kbuild", "kp_sample.c"):
            os.symlink(os.path.join(HERE, "kernel", name),
                       os.path.join(self.work, name))
        subprocess.run(["make", "-C", TOP, "-s", "module", "KDIR=" + kdir],
                       check=True, env=env, stdout=subprocess.DEVNULL)
        subprocess.run(["make", "-s", "-C", kdir, "M=" + self.work,
                        "KPROBES=" + TOP, "KPROBES_SYMVERS=" +
                        os.path.join(self.module, "Module.symvers"), "modules"],
                       check=True, env=env, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def run(self, groups):
        """For each group {"totals", "stays", "hit", "failures"}."""
        listed = os.path.join(self.work, "groups")
        shutil.rmtree(listed, ignore_errors=True)
        os.makedirs(listed)
        for nr, offsets in enumerate(groups):
            with open(os.path.join(listed, f"{nr:03}"), "w",
                      encoding="utf-8") as file:
                file.writelines(f"{offset:x}\n" for offset in offsets)
        done = subprocess.run(
            [os.path.join(TOP, "tools/vm/run"), "--kernel", "small",
             "--timeout", "1200", "--log", os.path.join(self.work, "log"),
             "--script", os.path.join(HERE, "kernel/guest.sh"), "--files",
             "/test/kprobes.ko=" + os.path.join(self.module, "kprobes.ko"),
             "/test/kp_sample.ko=" + os.path.join(self.work, "kp_sample.ko"),
             "/test/groups=" + listed], text=True, stdout=subprocess.PIPE,
            errors="replace", check=False)
        return self.read(done, len(groups))

    def read(self, done, wanted):
        results = []
        for line in done.stdout.splitlines():
            word, _, rest = line.partition(" ")
            if word == "KP-GROUP":
                results.append({"totals": [0] * 5, "stays": [], "hit": [],
                                "failures": ["it did not end"]})
            elif not results:
                continue
            elif word == "totals":
                results[-1]["totals"] = [int(nr) for nr in rest.split()]
                results[-1]["failures"] = []
            elif word in ("stays", "hit"):
                results[-1][word].append(rest)
            elif word == "differ" and rest != "0":
                results[-1]["failures"].append(f"{rest} bytes not restored")
            elif line == "output differs":
                results[-1]["failures"].append("another output")
        if done.returncode or len(results) != wanted:
            results.append({"totals": [0] * 5, "stays": [], "hit": [],
                            "failures": [f"the machine: {done.returncode}, "
                                         f"see {self.work}/log"]})
        return results
