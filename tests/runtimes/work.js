// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Stack overflows, traps of compiled code, workers, garbage and children, until
// the file that is named is gone.
const fs = require('fs'), zlib = require('zlib'), child = require('child_process');
const { Worker, isMainThread } = require('worker_threads');
const file = process.argv[2];
// (module (memory 1) (func (export "f") (result i32) i32.const -1 i32.load))
const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1,
	0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 102, 0, 0, 10, 10, 1, 8, 0, 65, 127, 40, 0, 0, 11]);
let outside = null;
try { outside = new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports.f; } catch (e) { }
let rounds = 0, wrong = 0;
function forever() { return forever() + 1; }
function throws(fn) { try { fn(); } catch (e) { return true; } return false; }
function round() {
	if (!fs.existsSync(file)) {
		if (isMainThread) console.log('done ' + (rounds > 0 && !wrong));
		return;
	}
	rounds++;
	if (!throws(forever) || (outside && !throws(outside))) wrong++;
	const data = Buffer.alloc(20000, rounds);
	if (!zlib.gunzipSync(zlib.gzipSync(data)).equals(data)) wrong++;
	if (isMainThread && rounds % 50 === 0 && child.spawnSync('/bin/true').status !== 0) wrong++;
	setImmediate(round);
}
if (isMainThread) {
	console.log('ready');
	new Worker(__filename, { argv: [file] });
}
round();
