/* A program of someone else: it knows the installed header and library, and nothing of the tree. */
#include <brink/brink.h>
#include <stdio.h>

int main(void) {
  return printf("%s\n", brink_version()) < 0;
}
