/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kt_libc.h - what the module takes of a C library, where the process has one.
 *
 * Owns: that nothing of it is needed to be loaded.  A module that is attached calls none of it
 * but to make threads; one that was loaded with its program, through the dynamic linker, has
 * a C library.
 */
#ifndef KT_LIBC_H
#define KT_LIBC_H

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma weak close
#pragma weak fstat
#pragma weak mmap
#pragma weak munmap
#pragma weak open
#pragma weak pthread_create
#pragma weak pthread_join
#pragma weak readlink
#pragma weak snprintf
#pragma weak syscall
#pragma weak __rseq_offset
#pragma weak __rseq_size

#endif
