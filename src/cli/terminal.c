/* terminal.c: what the terminal can show. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* struct winsize */
#endif

#include "cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL = 80, WIDEST = 1000 };

bool cli_is_terminal(int file) {
  return isatty(file) != 0;
}

size_t cli_terminal_width(int file) {
  struct winsize size;
  memset(&size, 0, sizeof size);
  if (ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return USUAL;
  return size.ws_col < WIDEST ? size.ws_col : WIDEST;
}

/* Asked of a locale of its own: the program's stays "C", whose numbers have points. */
bool cli_utf8(void) {
  locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
  if (locale == (locale_t)0) return false;
  const char *codeset = nl_langinfo_l(CODESET, locale);
  bool utf8 = codeset != NULL && strcmp(codeset, "UTF-8") == 0;
  freelocale(locale);
  return utf8;
}
