// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * prototypes.c - what functions of the C library return, where no debugging information
 * says so.
 *
 * Owns: those of POSIX and the Linux manual whose numbers are narrower than a register,
 * and those whose numbers may look as if they were.  What is not named here is not known.
 */
#include "own.h"

#include <string.h>

/* Names between blanks. */
static const char ints[] =
	" abs accept accept4 access acct adjtime aio_cancel aio_error alphasort asprintf "
	"atexit atoi bcmp bind brk chdir chmod chown chroot clock_getres clock_gettime "
	"clock_nanosleep clock_settime clone close close_range closedir connect creat daemon "
	"dirfd dl_iterate_phdr dlclose dprintf dup dup2 dup3 epoll_create epoll_create1 "
	"epoll_ctl epoll_pwait epoll_wait eventfd execl execle execlp execv execve execveat "
	"execvp execvpe faccessat fallocate fchdir fchmod fchmodat fchown fchownat fclose fcntl "
	"fcntl64 fdatasync feof ferror fexecve fflush ffs fgetc fgetpos fileno flock fork "
	"fprintf fputc fputs fscanf fseek fseeko fseeko64 fsetpos fstat fstat64 fstatat fstatfs "
	"fstatvfs fsync ftruncate ftruncate64 ftw futimens getaddrinfo getc getchar getdomainname "
	"getentropy getgroups gethostname getitimer getloadavg getnameinfo getopt getopt_long "
	"getpagesize getpeername getpgid getpgrp getpid getppid getpriority getrlimit getrusage "
	"getsockname getsockopt gettid gettimeofday getw grantpt inet_aton inet_pton initgroups "
	"inotify_add_watch inotify_init inotify_init1 inotify_rm_watch ioctl isalnum isalpha "
	"isatty iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit kill "
	"killpg lchown link linkat listen lockf lstat lstat64 madvise memcmp memfd_create "
	"mincore mkdir mkdirat mkfifo mknod mkostemp mkstemp mkstemp64 mlock mlockall mount "
	"mprotect msync munlock munlockall munmap nanosleep nftw open open64 openat openat64 "
	"openpty pause pclose pipe pipe2 poll posix_fadvise posix_fallocate posix_memalign "
	"posix_spawn posix_spawnp ppoll prctl printf pselect pthread_attr_init "
	"pthread_barrier_wait pthread_cancel pthread_cond_broadcast pthread_cond_destroy "
	"pthread_cond_init pthread_cond_signal pthread_cond_timedwait pthread_cond_wait "
	"pthread_create pthread_detach pthread_join pthread_key_create pthread_kill "
	"pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock pthread_mutex_timedlock "
	"pthread_mutex_trylock pthread_mutex_unlock pthread_once pthread_rwlock_rdlock "
	"pthread_rwlock_unlock pthread_rwlock_wrlock pthread_setspecific pthread_sigmask "
	"pthread_spin_lock pthread_spin_trylock pthread_spin_unlock ptsname_r putc putchar "
	"putenv puts raise rand rand_r reboot regexec remove rename renameat renameat2 rmdir "
	"scandir scanf sched_getcpu sched_setaffinity sched_setscheduler sched_yield select "
	"sem_destroy sem_init sem_post sem_timedwait sem_trywait sem_wait semctl semget semop "
	"setegid setenv seteuid setgid setgroups sethostname setitimer setns setpgid setpriority "
	"setregid setresgid setresuid setreuid setrlimit setsid setsockopt settimeofday setuid "
	"setvbuf shm_open shm_unlink shmctl shmdt shmget shutdown sigaction sigaltstack "
	"siginterrupt signalfd sigpending sigprocmask sigqueue sigsuspend sigtimedwait sigwait "
	"sigwaitinfo snprintf socket socketpair sprintf sscanf stat stat64 statfs statvfs statx "
	"stime strcasecmp strcmp strcoll strncasecmp strncmp strverscmp symlink symlinkat "
	"syncfs system tcgetattr tcsetattr tgkill timer_create timer_delete timer_gettime "
	"timer_settime timerfd_create timerfd_gettime timerfd_settime timespec_get toascii "
	"tolower toupper truncate truncate64 ttyname_r umount umount2 uname ungetc unlink "
	"unlinkat unlockpt unsetenv unshare usleep utime utimensat utimes vasprintf vdprintf "
	"vfork vfprintf vprintf vscanf vsnprintf vsprintf vsscanf wait wait3 wait4 waitid waitpid "
	"wcscasecmp wcscmp wcscoll wcsncasecmp wcsncmp wctob wcwidth wmemcmp ";
static const char unsigned_ints[] =
	" alarm arc4random arc4random_uniform getegid geteuid getgid getuid gnu_dev_major "
	"gnu_dev_minor htonl if_nametoindex inet_addr inet_lnaof inet_netof inet_network ntohl "
	"sleep ualarm umask fgetwc fputwc getwc getwchar putwc putwchar towlower towupper "
	"ungetwc btowc ";
static const char longs[] =
	" atol atoll clock ftell ftello ftello64 labs llabs lrand48 lseek lseek64 mktime mrand48 "
	"nrand48 pread pread64 pwrite pwrite64 random read readlink readv recv recvfrom recvmsg "
	"send sendfile sendmsg sendto strtoimax strtol strtoll sysconf syscall telldir time "
	"timegm times write writev ";
static const char unsigned_longs[] =
	" fread fwrite getauxval strlen strnlen strtoul strtoull strtoumax wcslen ";
static const char unsigned_shorts[] = " htons ntohs ";

static bool has(const char *names, const char *name, size_t len)
{
	const char *at = names;

	while (len && (at = strchr(at, ' ')) && *++at)
		if (!strncmp(at, name, len) && at[len] == ' ')
			return true;
	return false;
}

/* "/usr/lib/x86_64-linux-gnu/libc.so.6", "/lib/ld-musl-x86_64.so.1" */
static bool is_c_library(const char *file)
{
	static const char *const begins[] = {
		"libc.so", "libc-2.", "libpthread", "ld-musl-", "libc.musl-",
	};
	const char *name = strrchr(file, '/');
	size_t i;

	name = name ? name + 1 : file;
	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* "__libc_connect", "__GI___close", "__strcmp_avx2": connect, close, strcmp */
static const char *plain(const char *name, size_t *len)
{
	static const char *const begins[] = { "__GI_", "__libc_", "__", "_IO_" };
	static const char *const ends[] = {
		"_avx", "_sse", "_evex", "_sve", "_mte", "_generic",
	};
	const char *end;
	size_t i;

	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			name += strlen(begins[i]);
	*len = strcspn(name, "@");
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		end = strstr(name, ends[i]);
		if (end && (size_t)(end - name) < *len)
			*len = (size_t)(end - name);
	}
	return name;
}

const struct ctype *names_prototype(const char *file, const char *function)
{
	size_t len;

	if (!is_c_library(file))
		return NULL;
	function = plain(function, &len);
	if (has(ints, function, len))
		return names_builtin("int", 3);
	if (has(unsigned_ints, function, len))
		return names_builtin("unsigned int", 12);
	if (has(longs, function, len))
		return names_builtin("long", 4);
	if (has(unsigned_longs, function, len))
		return names_builtin("unsigned long", 13);
	if (has(unsigned_shorts, function, len))
		return names_builtin("unsigned short", 14);
	return NULL;
}
