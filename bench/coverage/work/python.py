# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A workload for python3 and libc: strings, files, threads, numbers."""
import decimal
import hashlib
import json
import os
import re
import tempfile
import threading

data = {str(i): [i * 0.5, "x" * (i % 50), {"n": i}] for i in range(2000)}
text = json.dumps(data, sort_keys=True)
assert json.loads(text) == data
digest = hashlib.sha256(text.encode()).hexdigest()
words = re.findall(r"\d+\.\d", text)
results = []


def count(k):
    results.append(sum(float(w) for w in words) * k)


threads = [threading.Thread(target=count, args=(k,)) for k in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
with tempfile.NamedTemporaryFile("w+") as f:
    for line in sorted(text.split(","), reverse=True):
        f.write(line + "\n")
    f.flush()
    size = os.stat(f.name).st_size
try:
    [][1]
except IndexError as e:
    message = str(e)
print(digest, len(words), sum(sorted(results)), size, message,
      decimal.Decimal(2).sqrt(), "%.17g %s" % (2 ** 0.5, sorted(map(hex, range(20)))))
