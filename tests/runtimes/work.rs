// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Panics that are caught, threads, memory and children, until the file that is
// named is gone.
use std::{panic, path::Path, process::Command, thread};

#[inline(never)]
fn deep(n: u64) -> u64 {
    if n == 0 { std::process::id() as u64 & 1 } else { deep(n - 1) + 1 }
}

fn round(n: u64) -> bool {
    let v: Vec<u64> = (0..1000).map(|x| x * n).collect();
    std::hint::black_box(&v);
    let caught = panic::catch_unwind(|| if deep(50) < 1000 { panic!("x") }).is_err();
    let inside = thread::spawn(|| deep(1000)).join();
    caught && inside.unwrap() >= 1000
}

fn main() {
    let file = std::env::args().nth(1).unwrap();
    panic::set_hook(Box::new(|_| {}));
    println!("ready");
    let threads: Vec<_> = (0..3).map(|_| {
        let file = file.clone();
        thread::spawn(move || {
            let mut rounds = 0;
            while Path::new(&file).exists() {
                rounds += 1;
                if !round(rounds) { return false; }
            }
            rounds > 0
        })
    }).collect();
    let right = threads.into_iter().all(|t| t.join().unwrap());
    println!("done {}", right && Command::new("/bin/true").status().unwrap().success());
}
