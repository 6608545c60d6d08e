// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * alone.c - what a C library would look for in other files, where the command is one file.
 *
 * Owns: dlopen, which finds the C++ demangler that is linked in and nothing else; and the list of
 * users, which is /etc/passwd's, whatever nsswitch.conf says.  The C library's own would load
 * shared objects of whatever version there is.
 */
#include <dlfcn.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>

char *__cxa_demangle(const char *name, char *buf, size_t *len, int *status) __attribute__((weak));

static char demangler[] = "libstdc++.so.6";

void *dlopen(const char *name, int mode)
{
	(void)mode;
	return name && __cxa_demangle && !strcmp(name, demangler) ? demangler : NULL;
}

void *dlsym(void *restrict handle, const char *restrict name)
{
	return handle == demangler && !strcmp(name, "__cxa_demangle") ? (void *)__cxa_demangle : NULL;
}

int dlclose(void *handle)
{
	(void)handle;
	return 0;
}

char *dlerror(void)
{
	static char text[] = "this program is static";

	return text;
}

static FILE *users;

void setpwent(void)
{
	if (users)
		fclose(users);
	users = fopen("/etc/passwd", "re");
}

struct passwd *getpwent(void)
{
	return users ? fgetpwent(users) : NULL;
}

void endpwent(void)
{
	if (users)
		fclose(users);
	users = NULL;
}
