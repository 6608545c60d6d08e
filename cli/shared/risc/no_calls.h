/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * no_calls.h - system calls that a processor with Linux's common list of them has not.
 *
 * Owns: numbers for what the command's lists name all the same: each another one, and no
 * call's.
 */
#ifndef KP_CLI_NO_CALLS_H
#define KP_CLI_NO_CALLS_H

#include <sys/syscall.h>

#define SYS_open (-1001)
#define SYS_creat (-1002)
#define SYS_unlink (-1003)
#define SYS_rename (-1004)
#define SYS_mkdir (-1005)
#define SYS_rmdir (-1006)
#define SYS_link (-1007)
#define SYS_symlink (-1008)
#define SYS_mknod (-1009)
#define SYS_chmod (-1010)
#define SYS_chown (-1011)
#define SYS_lchown (-1012)
#define SYS_utime (-1013)
#define SYS_utimes (-1014)
#define SYS_futimesat (-1015)
#define SYS_fork (-1016)
#define SYS_vfork (-1017)
#define SYS_poll (-1018)
#define SYS_select (-1019)
#define SYS_epoll_wait (-1020)
#define SYS_pause (-1021)
#define SYS_alarm (-1022)
#define SYS_arch_prctl (-1023)

#endif
