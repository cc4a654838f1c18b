/* tree.h: models from texts, and syntax trees as texts, for the tests of the front end. */
#ifndef BRINK_TESTS_TREE_H
#define BRINK_TESTS_TREE_H

#include "lang/ast.h"

/* Files that exist in memory only; the first is the main one. */
typedef struct tree_file {
  const char *path, *text;
  size_t length; /* 0: that of the text */
} tree_file;

typedef struct tree_files {
  const tree_file *file;
  size_t count;
  size_t reads; /* how often one was read */
} tree_files;

/* The unit of some files, or of one text called "m.hsml"; NULL: out of memory, or not readable. */
brink_unit *tree_parse_files(tree_files *files, const brink_allocator *allocator);
brink_unit *tree_parse(const char *text);
brink_unit *tree_parse_bytes(const char *text, size_t length, const brink_allocator *allocator);

/* The whole tree, one thing a line, without places and without what the checker writes: two texts
 * with the same meaning have the same tree. The caller frees the text. */
void tree_dump(const brink_unit *unit, brink_text *text);

/* One expression: "(+ a (* 2 b))". */
void tree_dump_expression(const brink_ast_expr *expr, brink_text *text);

/* All diagnostics in order, as the program shows them. The caller frees the text. */
void tree_diagnostics(brink_unit *unit, brink_text *text);

#endif
