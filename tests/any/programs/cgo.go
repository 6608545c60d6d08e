// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// cgo.go - with work.go: a program that the dynamic linker loads, with the C library.
package main

import "C"
