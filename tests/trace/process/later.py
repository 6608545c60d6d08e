#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace on processes: objects that are opened while they are traced.

Owns: a plugin in many copies, and a program that opens them in many ways: once, again, at
another address, in a row, by several threads, in namespaces of their own, in a child.  Each call
counts, from the first constructor to the last destructor; or it is said what was missed.
Prints one "ok" or "not ok" line a test.  Usage: later.py BUILD
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from answers import PATIENCE, report
from asking import KPROBES, Trace

PLUGIN = r"""
__attribute__((noipa)) int plug(int k) { return k + NUMBER; }
__attribute__((noipa)) int plug_two(int k) { return plug(k) + 1; }
static __attribute__((noipa)) int hidden(int k) { return k * 2; }
static __attribute__((constructor)) void begins(void) { hidden(plug(7)); }
static __attribute__((destructor)) void ends(void) { plug_two(8); }
#ifdef NOTE
unsigned short looks __attribute__((section(".probes"), used));
int seen(void) { return looks; }
__attribute__((noipa)) void told(int k)
{
	asm volatile("990: nop\n"
		".pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
		"991: .asciz \"stapsdt\"\n992: .balign 4\n993: " WORD " 990b\n" WORD " 0\n" WORD " looks\n"
		".asciz \"plugs\"\n.asciz \"told\"\n.asciz \"-4@%0\"\n994: .balign 4\n.popsection\n"
		:: "r"(k));
}
#endif
"""
PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *open_it(const char *path, int alone)
{
	return alone ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW) : dlopen(path, RTLD_NOW);
}

static void call(void *h, int nr)
{
	int (*f)(int) = h ? (int (*)(int))dlsym(h, "plug_two") : NULL;

	if (!f) {
		fprintf(stderr, "%s\n", dlerror());
		exit(9);
	}
	while (nr--)
		f(nr);
}

static void use(const char *path, int alone)
{
	void *h = open_it(path, alone);

	call(h, 10);
	dlclose(h);
}

static void *thread(void *path)
{
	for (int i = 0; i < 5; i++)
		use(path, 0);
	return NULL;
}

int main(int argc, char **argv)
{
	static char path[64][64];
	pthread_t threads[8];
	void *first, *second;
	void (*told)(int);
	int i;

	for (; *++argv;) {
		if (!strcmp(*argv, "wait")) {
			puts("ready");
			fflush(stdout);
			getchar();
		} else if (!strcmp(*argv, "once")) {
			use("./libplug.so", 0);
		} else if (!strcmp(*argv, "moved")) {
			for (i = 0; i < 5; i++) {
				use("./libplug.so", 0);
				mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			}
		} else if (!strcmp(*argv, "alone")) {
			for (i = 0; i < 5; i++)
				use("./libplug.so", 1);
		} else if (!strcmp(*argv, "twice")) {
			first = open_it("./libplug.so", 0);
			second = open_it("./libplug.so", 1);
			call(first, 10);
			call(second, 10);
			dlclose(first);
			call(second, 10);
			dlclose(second);
		} else if (!strcmp(*argv, "keep")) {
			call(open_it("./libplug.so", 0), 10);
		} else if (!strcmp(*argv, "row")) {
			for (i = 0; i < 20; i++) {
				sprintf(path[i], "./plug%d.so", i);
				use(path[i], 0);
			}
		} else if (!strcmp(*argv, "threads")) {
			for (i = 0; i < 8; i++) {
				sprintf(path[i], "./plug%d.so", i);
				pthread_create(&threads[i], NULL, thread, path[i]);
			}
			for (i = 0; i < 8; i++)
				pthread_join(threads[i], NULL);
		} else if (!strcmp(*argv, "child")) {
			if (!fork()) {
				use("./libplug.so", 0);
				exit(0);
			}
			wait(NULL);
		} else if (!strcmp(*argv, "upgrade")) {
			if (rename("new.so", "libplug.so"))
				exit(9);
		} else if (!strcmp(*argv, "told")) {
			first = dlopen("./noted.so", RTLD_NOW);
			told = (void (*)(int))dlsym(first, "told");
			for (i = 0; i < 10; i++)
				if (((int (*)(void))dlsym(first, "seen"))())
					told(i);
			dlclose(first);
		}
	}
	return 0;
}
"""


def compiled(name, source, *words):
    subprocess.run(["gcc", "-O2", "-g", "-w", "-o", name, "-x", "c", "-", "-x", "none", *words],
                   input=source, text=True, check=True)


def plugin(name, number, *words):
    compiled(name, PLUGIN, "-shared", "-fPIC", f"-DNUMBER={number}", *words)


def maps(text):
    return dict(re.findall(r"^(@\w*(?:\[.*?\])?): (.*)$", text, re.M))


def traced(script, *jobs, options=(), program="./prog"):
    run = subprocess.run([KPROBES, "trace", *options, script, "--", program, *jobs],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         timeout=PATIENCE, check=False)
    return maps(run.stdout), run.stdout


def counts(words, wanted, script, *jobs, says=None, **more):
    """says: a text that must be there; without one nothing may be said."""
    got, said = traced(script, *jobs, **more)
    wrong = {name: got.get(name) for name in wanted if got.get(name) != str(wanted[name])}
    silent = "kprobes:" not in said and "Lost" not in said and "Not seen" not in said
    good = not wrong and (says in said if says else silent)
    report(f"later: {words}", None if good else f"{wrong} of {wanted}: {said}")


def ways():
    """A use is a constructor's call, ten, and a destructor's."""
    whole = ("uprobe:./libplug.so:plug { @plug = count(); @arg = sum(arg0); } "
             "uretprobe:./libplug.so:plug_two { @two = count(); @ret = sum(retval); } "
             "uprobe:./libplug.so:begins { @begins = count(); } "
             "uprobe:./libplug.so:hidden { @hidden = count(); } "
             "uprobe:./libplug.so:ends { @ends = count(); }")
    for jobs, uses in ((["once"], 1), (["moved"], 5), (["alone"], 5), (["once", "child"], 2),
                       (["moved", "alone", "moved"], 15)):
        counts(f"opened as {' '.join(jobs)}", {
            "@plug": 12 * uses, "@arg": 60 * uses, "@two": 11 * uses, "@ret": 75 * uses,
            "@begins": uses, "@hidden": uses, "@ends": uses}, whole, *jobs)
    counts("in two namespaces at a time", {"@plug": 34, "@two": 32, "@begins": 2, "@ends": 2},
           whole, "twice")
    counts("... with -f", {"@plug": 24, "@ends": 2}, whole, "once", "child", options=["-f"])


def names():
    row = {"@n": 20 * 23, "@r": 10 * 12}
    counts("twenty in a row, by wildcards", row,
           "uprobe:./plug*.so:plug* { @n = count(); } uretprobe:plug?.so:plug { @r = count(); }",
           "row")
    got, said = traced("uprobe:./plug*.so:plug* { @n = count(); }", "threads")
    report("later: by threads at the same time",
           None if got.get("@n") == str(8 * 5 * 23) else said)
    counts("by a name without a folder", {"@n": 12}, "uprobe:libplug:plug { @n = count(); }", "once")
    counts("a function by its address", {"@n": 12},
           f"uprobe:./libplug.so:{address('libplug.so', 'plug'):#x} {{ @n = count(); }}", "once")
    os.symlink("libplug.so", "link.so")
    counts("by a link", {"@n": 12}, "uprobe:./link.so:plug { @n = count(); }", "once")
    counts("types of an argument", {"@n[9]": 1},
           "uprobe:./libplug.so:plug /args.k > 8/ { @n[args.k] = count(); }", "keep")
    counts("stacks have its names", {"@n": 12},
           'uprobe:./libplug.so:plug { @n = count(); @[ustack(2)] = count(); }', "once")
    said = traced('uprobe:./libplug.so:plug { @[ustack(2)] = count(); }', "alone")[1]
    report("later: ... in each namespace",
           None if re.search(r"plug\+0\n\s+plug_two\+\d+\n\]: 55", said) else said)


def address(file, name):
    for line in subprocess.run(["nm", file], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.splitlines():
        if line.endswith(f" {name}"):
            return int(line.split()[0], 16)
    raise RuntimeError(f"{file} has no {name}")


def marks():
    """It does nothing unless somebody is counted who looks."""
    counts("a probe of its own, and who looks is counted", {"@n": 20, "@sum": 90},
           "usdt:./noted.so:plugs:told { @n = count(); @sum = sum(arg0); }", "told", "told")


def attached():
    for jobs, wanted in ((["wait", "moved"], 60), (["keep", "wait", "alone"], 60),
                         (["once", "wait", "once"], 12)):
        with subprocess.Popen(["./prog", *jobs], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as target:
            target.stdout.readline()
            trace = Trace("uprobe:./libplug.so:plug { @n = count(); }", pid=target.pid)
            trace.wait_for("Attached 1 probe\n")
            # It is said before the module is in: of an own clause the first hit says more.
            subprocess.run([KPROBES, "list", "-p", str(target.pid)], check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_until_loaded(target.pid)
            target.stdin.close()
            target.wait(PATIENCE)
            out, status = trace.end(how=None)
            # What is kept runs its destructor when the process ends.
            wanted += jobs[0] == "keep"
            report(f"later: attached, then {' '.join(jobs)}",
                   None if not status and maps(out).get("@n") == str(wanted)
                   else f"{status} {wanted} {out} {trace.err}")


def wait_until_loaded(pid):
    import time
    end = time.time() + PATIENCE
    while time.time() < end:
        with open(f"/proc/{pid}/maps") as file:
            if "trace.so" in file.read():
                break
        time.sleep(0.02)
    time.sleep(0.3)


def said():
    shutil.copy("libplug.so", "kept.so")
    shutil.copy("another.so", "new.so")
    counts("a file that changes meanwhile is told of", {"@n": 12},
           "uprobe:./libplug.so:plug { @n = count(); }", "once", "upgrade", "once",
           says="1 object with a name as in the script was opened from a file that was not there")
    os.rename("kept.so", "libplug.so")
    counts("a file that nobody opens is told of", {},
           "uprobe:./another.so:plug { @n = count(); }", "once",
           says="another.so was not opened while it was traced")
    for place, text in (("./nosuch.so:plug", "no object that is loaded is called nosuch.so"),
                        ("./libplug.so:nosuch", "no such function"),
                        ("./libplug.so:0x7ffff000", "no file of that name has an address")):
        counts(f"what is not there is refused: {place}", {},
               f"uprobe:{place} {{ @n = count(); }}", "once", says=text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        compiled("prog", PROGRAM, "-pthread", "-ldl")
        plugin("libplug.so", 1)
        plugin("another.so", 2, "-Wl,-soname,another")
        plugin("noted.so", 1, "-DNOTE", '-DWORD=".8byte"' if sys.maxsize > 2**32 else '-DWORD=".4byte"')
        for i in range(20):
            plugin(f"plug{i}.so", i, f"-Wl,-soname,plug{i}")
        ways()
        names()
        marks()
        attached()
        said()


main()
