/* trusted.h: directories whose names mean what they meant when they were looked at; for cache.c.
 *
 * Who may write to a directory may put another one in the place of any directory in it. So it is not enough that a cache
 * belongs to its user: nobody else must be able to change anything on the way to it. */
#ifndef BRINK_NATIVE_TRUSTED_H
#define BRINK_NATIVE_TRUSTED_H

#include <stdbool.h>

/* PATH_MAX of Linux. */
enum { BRINK_PATH = 4096 };

/* Opens a directory of the user that nobody else can write to, if the same holds for every directory on the way to it:
 * they belong to the user or to root, and nobody else may write to them, unless they are sticky (as /tmp is: there each
 * removes only what is his own). Links are followed if they are the user's or root's and where they lead is trusted in the
 * same way. What is missing is made. -1: there is no such directory. */
int brink_trusted_directory(const char *path);

#endif
