/* terminal.h: what the terminal can show. */
#ifndef BRINK_CLI_TERMINAL_H
#define BRINK_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

bool cli_is_terminal(int file);

/* Characters in a line; 80 where nobody knows. */
size_t cli_terminal_width(int file);

/* Does the locale (LC_ALL, LC_CTYPE, LANG) have characters beyond ASCII, as UTF-8? */
bool cli_utf8(void);

#endif
