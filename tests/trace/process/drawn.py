#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kprobes trace: what its files of stacks are to those who read them.

Owns: --pprof, as "go tool pprof" reads it, and the script in a flame graph, executed by node with
as much of a document as it uses.  Prints one "ok" or "not ok" line a test.  Usage: drawn.py BUILD
"""
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import answers
from answers import PATIENCE, report
from asking import KPROBES

SOURCE = """
#define NI __attribute__((noipa))
NI int leaf(int n) { __asm__ volatile("" : "+r"(n)); return n; }
NI int mid(int n) { return leaf(n) + leaf(n); }
int main(void) { int s = 0; for (int i = 0; i < 50; i++) s += mid(i) + leaf(i); return s == 1; }
"""
# A document that has the elements of a picture, and nothing that draws.
DOCUMENT = r"""
const fs = require("fs");
const text = fs.readFileSync(process.argv[2], "utf8");
const script = text.match(/<script><!\[CDATA\[([^]*?)\]\]><\/script>/)[1];
function element(attributes, content) {
	const e = { listeners: {}, style: {}, textContent: content || "", children: [],
		    getAttribute: n => attributes[n], setAttribute: (n, v) => { attributes[n] = String(v); },
		    addEventListener: (n, f) => { e.listeners[n] = f; },
		    appendChild: c => { e.children.push(c); e.label = c; },
		    querySelector: n => n === "rect" ? e.rect : n === "title" ? e.title : e.label || null };
	return e;
}
function attributes(tag) {
	return Object.fromEntries(Array.from(tag.matchAll(/([\w-]+)="([^"]*)"/g), m => [m[1], m[2]]));
}
const plain = t => t.replace(/&#(\d+);/g, (m, n) => String.fromCharCode(n));
const groups = Array.from(text.matchAll(/<g class="f"><title>([^<]*)<\/title>(<rect[^>]*>)(?:(<text[^>]*>)([^<]*)<\/text>)?<\/g>/g), m => {
	const g = element({});
	g.title = element({}, plain(m[1]));
	g.rect = element(attributes(m[2]));
	g.label = m[3] ? element(attributes(m[3]), plain(m[4])) : null;
	return g;
});
const found = element({}), ground = element({}), keys = {};
let answer = "";
global.window = { prompt: () => answer, addEventListener: (n, f) => { keys[n] = f; } };
global.document = { getElementById: n => n === "found" ? found : ground,
		    querySelectorAll: () => groups, createElementNS: () => element({}) };
eval(script);
const named = n => groups.filter(g => g.title.textContent.startsWith(n + " "));
const width = g => +g.rect.getAttribute("width");
const out = { frames: groups.length, mid: width(named("mid")[0]) };
named("mid")[0].listeners.click();
out.zoomed = { mid: width(named("mid")[0]), main: width(named("main")[0]),
	       hidden: groups.filter(g => g.style.display === "none").length };
ground.listeners.click();
out.back = width(named("mid")[0]);
answer = "^leaf$";
found.listeners.click();
out.leaf = found.textContent;
out.marked = groups.filter(g => g.rect.getAttribute("fill") === "#d050f0").length;
answer = "mid";
keys.keydown({ key: "/", preventDefault: () => {} });
out.found = found.textContent;
answer = "(";
found.listeners.click();
out.wrong = found.textContent;
keys.keydown({ key: "Escape" });
out.end = groups.filter(g => g.rect.getAttribute("fill") === "#d050f0").length;
console.log(JSON.stringify(out));
"""


def trace(*words):
    return subprocess.run([KPROBES, "trace", "uprobe:leaf { @[ustack] = count(); }", *words, "--",
                           "./prog"], capture_output=True, text=True, timeout=PATIENCE)


def pprof():
    run = trace("--pprof", "stacks.pb.gz")
    report("a profile is written", run.returncode and run.stderr)
    with gzip.open("stacks.pb.gz") as profile:
        content = profile.read()
    report("... is gzip's, with each name once", not all(
        content.count(name) == 1 for name in (b"leaf", b"mid", b"count")) and repr(content))
    if not shutil.which("go"):
        print("skip trace: drawn: go tool pprof reads it: go is not installed")
        return
    env = dict(os.environ, HOME=os.getcwd(), PPROF_TMPDIR=os.getcwd())
    read = subprocess.run(["go", "tool", "pprof", "-top", "stacks.pb.gz"], capture_output=True,
                          text=True, env=env, timeout=PATIENCE)
    report("... go tool pprof reads it", not (
        re.search(r"^ +150 +100% +100% +150 +100% +leaf$", read.stdout, re.M) and
        re.search(r"^ +0 .* 100 66\.67% +mid$", read.stdout, re.M)) and read.stdout + read.stderr)
    run = trace("--pprof", "other.pb.gz", "--flame", "other.svg")
    report("... beside a picture it is refused", not (
        run.returncode == 2 and "give one" in run.stderr and not os.path.exists("other.pb.gz")) and
        run.stderr)


def picture():
    run = trace("--flame", "stacks.svg")
    report("a picture is drawn", run.returncode and run.stderr)
    if not shutil.which("node"):
        print("skip trace: drawn: its script searches and zooms: node is not installed")
        return
    with open("document.js", "w", encoding="utf-8") as script:
        script.write(DOCUMENT)
    run = subprocess.run(["node", "document.js", "stacks.svg"], capture_output=True, text=True,
                         timeout=PATIENCE)
    said = run.stdout + run.stderr
    for name, part in (
            ("its script zooms into a frame, with its callers and callees alone",
             r'"zoomed":\{"mid":1180,"main":1180,"hidden":1\}'),
            ("... and back", r'"mid":(\d+[\d.]*),.*"back":\1,'),
            ("... searches, and tells the share", r'"leaf":"\^leaf\$: 100\.00%","marked":2,.*"found":"mid: 66\.6'),
            ("... refuses what is no pattern", r'"wrong":"no pattern: \("'),
            ("... and forgets the search", r'"end":0')):
        report(name, not re.search(part, said) and said)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("prog.c", "w", encoding="utf-8") as source:
            source.write(SOURCE)
        subprocess.run(["gcc", "-O1", "-g", "-o", "prog", "prog.c"], check=True)
        pprof()
        picture()
        os.chdir("/")


main()
sys.exit(answers.failed)
