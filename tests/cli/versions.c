/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A library's function in two versions: V2 is the default, and adds one. */
__asm__(".symver act_1, act@V1");
__asm__(".symver act_2, act@@V2");
__attribute__((noipa)) int act_1(int x) { __asm__ volatile("" : "+r"(x)); return x; }
__attribute__((noipa)) int act_2(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
