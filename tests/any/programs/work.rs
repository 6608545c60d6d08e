// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//! work.rs - what work.c does, in Rust: panics every third time, which is caught two frames above.

#![allow(non_upper_case_globals)]

use std::panic;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

static STOPPED: AtomicBool = AtomicBool::new(false);
#[no_mangle]
pub static counter: AtomicU64 = AtomicU64::new(0);

extern "C" {
    fn signal(number: i32, handler: usize) -> usize;
}

extern "C" fn stop(_: i32) {
    STOPPED.store(true, Relaxed);
}

#[no_mangle]
#[inline(never)]
pub fn work(n: i32) -> i32 {
    counter.fetch_add(1, Relaxed);
    if n % 3 == 2 {
        panic::resume_unwind(Box::new(n));
    }
    n * 3 + 1
}

#[inline(never)]
fn between(n: i32) -> i32 {
    work(n) + std::hint::black_box(0)
}

fn main() {
    let (mut calls, mut wrong) = (0u64, 0u64);

    unsafe { signal(15, stop as *const () as usize) };
    while !STOPPED.load(Relaxed) {
        let n = (calls % 7) as i32;
        let got = match panic::catch_unwind(|| between(n)) {
            Ok(got) => got,
            Err(thrown) => -*thrown.downcast::<i32>().unwrap(),
        };

        wrong += (got != if n % 3 == 2 { -n } else { n * 3 + 1 }) as u64;
        calls += 1;
        std::thread::sleep(Duration::from_millis(1));
    }
    println!("{} {} {}", calls, counter.load(Relaxed), wrong);
}
