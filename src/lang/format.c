/* format.c: the canonical layout of a model.
 *
 * The layout is made from the tokens of the file, so that nothing can get lost, and from what the
 * parser noted about them (brink_layout_mark): which ones begin a line, and how deep. One statement
 * a line, two spaces a level, keywords in lower case, blanks around + - and relations but not
 * around * / ^. Lines longer than 100 characters are broken after a comma or before an operator.
 * Comments stay: on their line after the same token, or on lines of their own; after short
 * neighbouring lines they are aligned. Of blank lines between statements one stays.
 *
 * All of this depends on tokens, comments and blank lines only: a second pass changes nothing. */
#include <string.h>

#include "lang/lex.h"

#define WIDTH 100      /* characters of a line */
#define STEP 2         /* spaces a level */
#define CONTINUATION 4 /* more, for the rest of a broken statement */
#define ALIGN_WIDTH 60 /* comments after longer lines are not aligned */
#define DEEPEST 40     /* levels that are shown as such */

/* A comment after code, in the unaligned output. */
typedef struct tail {
  size_t offset; /* where the code ends */
  size_t width;  /* of the code */
  size_t line;   /* number of the line */
} tail;

typedef struct printer {
  const brink_file *file;
  const brink_layout_mark *mark, *last_mark;
  brink_lexer lexer;
  brink_token previous, token;
  bool begins, lowers, spaced; /* the current token's marks, */
  size_t mark_depth;           /* its depth where it begins a line, */
  bool previous_spaced, unary; /* and what the one before says about the space between them */
  size_t depth;                /* of the current statement */
  size_t last_depth;           /* of the line or comment printed last */
  bool first, force_blank;     /* nothing printed yet; a component has just ended */
  bool after_comment;          /* on a line of its own */
  bool line_over;              /* a comment ended it: nothing more fits */
  brink_text line;             /* the current line, not yet in `out` */
  size_t split;                /* where it may be broken; 0: nowhere */
  size_t lines;                /* in `out` */
  brink_text out;
  brink_text tails; /* of type tail */
} printer;

/* ---- lines ---- */

static size_t width_of(const char *text, size_t length) {
  size_t width = 0;
  for (size_t i = 0; i < length; i++) width += ((unsigned char)text[i] & 0xc0) != 0x80;
  return width;
}

static void indent(brink_text *text, size_t columns) {
  for (size_t i = 0; i < columns; i++) brink_text_append(text, " ", 1);
}

static size_t columns_of(size_t depth) {
  return STEP * (depth < DEEPEST ? depth : DEEPEST);
}

static void new_line(printer *pr) {
  brink_text_append(&pr->out, "\n", 1);
  pr->lines++;
}

/* The current line goes out. */
static void flush(printer *pr) {
  if (pr->line.length == 0) return;
  if (!pr->line_over) brink_text_append(&pr->out, pr->line.data, pr->line.length);
  new_line(pr);
  pr->line.length = 0;
  pr->split = 0;
  pr->line_over = false;
}

/* Breaks the current line at its split, if it got too long. */
static void wrap(printer *pr) {
  if (pr->split == 0 || pr->line.failed) return;
  if (width_of(pr->line.data, pr->line.length) <= WIDTH) return;
  brink_text rest = {.allocator = pr->line.allocator};
  indent(&rest, columns_of(pr->depth) + CONTINUATION);
  brink_text_append(&rest, pr->line.data + pr->split + 1, pr->line.length - pr->split - 1);
  pr->line.length = pr->split;
  flush(pr);
  brink_text_free(&pr->line);
  pr->line = rest;
}

/* ---- comments and blank lines ---- */

/* A blank line before something at this depth, if the source has one and it may have one here. */
static void separate(printer *pr, size_t depth, bool blank, bool closes) {
  bool opened = depth > pr->last_depth;
  if (pr->force_blank || (blank && !pr->first && !opened && !closes)) new_line(pr);
  pr->first = pr->force_blank = false;
  pr->last_depth = depth;
}

static void add_trailing(printer *pr, const char *comment, size_t length) {
  tail t = {.offset = pr->out.length + pr->line.length,
            .width = width_of(pr->line.data, pr->line.length),
            .line = pr->lines};
  brink_text_append(&pr->tails, (const char *)&t, sizeof t);
  brink_text_append(&pr->out, pr->line.data, pr->line.length);
  brink_text_append(&pr->out, "  ", 2);
  brink_text_append(&pr->out, comment, length);
  pr->line_over = true;
}

static bool is_closer(brink_token_kind kind) {
  return kind == BRINK_TOKEN_END || kind == BRINK_TOKEN_ELSE || kind == BRINK_TOKEN_ELSIF;
}

static void add_own_line(printer *pr, const char *comment, size_t length, bool blank) {
  bool inside = !pr->begins && pr->token.kind != BRINK_TOKEN_EOF;
  size_t depth = 0;
  if (pr->begins) depth = pr->mark_depth + (size_t)is_closer(pr->token.kind);
  flush(pr);
  if (!inside) separate(pr, depth, blank, false);
  indent(&pr->out, inside ? columns_of(pr->depth) + CONTINUATION : columns_of(depth));
  brink_text_append(&pr->out, comment, length);
  new_line(pr);
  pr->after_comment = true;
}

static size_t trimmed(const char *text, size_t length) {
  while (length > 0 &&
         (text[length - 1] == ' ' || text[length - 1] == '\t' || text[length - 1] == '\r' ||
          text[length - 1] == '\f' || text[length - 1] == '\v'))
    length--;
  return length;
}

/* What stands between two tokens: comments and ends of lines. True: a blank line, at last. */
static bool add_gap(printer *pr, const char *from, const char *to) {
  size_t newlines = 0;
  for (const char *at = from; at < to; at++) {
    if (*at == '\n') newlines++;
    if (*at != '%') continue;
    const char *end = memchr(at, '\n', (size_t)(to - at));
    if (end == NULL) end = to;
    size_t length = trimmed(at, (size_t)(end - at));
    if (newlines == 0 && pr->line.length > 0)
      add_trailing(pr, at, length);
    else
      add_own_line(pr, at, length, newlines > 1);
    newlines = 0;
    at = end - 1;
  }
  return newlines > 1;
}

/* ---- tokens ---- */

static bool ends_operand(const printer *pr) {
  switch (pr->previous.kind) {
  case BRINK_TOKEN_NAME:
    return !pr->previous_spaced;
  case BRINK_TOKEN_NUMBER:
  case BRINK_TOKEN_STRING:
  case BRINK_TOKEN_RPAREN:
  case BRINK_TOKEN_RBRACKET:
  case BRINK_TOKEN_RBRACE:
  case BRINK_TOKEN_PRIME:
    return true;
  default:
    return false;
  }
}

/* Signs that stand close to what is before them, or after. */
static bool is_close_before(brink_token_kind kind) {
  return kind == BRINK_TOKEN_COMMA || kind == BRINK_TOKEN_SEMICOLON || kind == BRINK_TOKEN_RPAREN ||
         kind == BRINK_TOKEN_RBRACKET || kind == BRINK_TOKEN_RBRACE || kind == BRINK_TOKEN_PRIME ||
         kind == BRINK_TOKEN_DOT || kind == BRINK_TOKEN_DOTDOT || kind == BRINK_TOKEN_STAR ||
         kind == BRINK_TOKEN_SLASH || kind == BRINK_TOKEN_CARET;
}

static bool is_close_behind(brink_token_kind kind) {
  return kind == BRINK_TOKEN_LPAREN || kind == BRINK_TOKEN_LBRACKET || kind == BRINK_TOKEN_LBRACE ||
         kind == BRINK_TOKEN_DOT || kind == BRINK_TOKEN_DOTDOT || kind == BRINK_TOKEN_STAR ||
         kind == BRINK_TOKEN_SLASH || kind == BRINK_TOKEN_CARET;
}

static bool needs_space(const printer *pr) {
  brink_token_kind before = pr->previous.kind, kind = pr->token.kind;
  if (pr->unary || is_close_before(kind) || is_close_behind(before)) return false;
  if (kind == BRINK_TOKEN_LPAREN || kind == BRINK_TOKEN_LBRACKET)
    return before != BRINK_TOKEN_NAME || pr->previous_spaced;
  return true;
}

/* May a line be broken at the space before the current token? */
static bool may_break(const printer *pr) {
  switch (pr->token.kind) {
  case BRINK_TOKEN_PLUS:
  case BRINK_TOKEN_MINUS:
    if (ends_operand(pr)) return true;
    break;
  case BRINK_TOKEN_AND:
  case BRINK_TOKEN_OR:
  case BRINK_TOKEN_LT:
  case BRINK_TOKEN_LE:
  case BRINK_TOKEN_GT:
  case BRINK_TOKEN_GE:
  case BRINK_TOKEN_NE:
  case BRINK_TOKEN_ELSE:
  case BRINK_TOKEN_ELSIF:
    return true;
  default:
    break;
  }
  return pr->previous.kind == BRINK_TOKEN_COMMA || pr->previous.kind == BRINK_TOKEN_EQ ||
         pr->previous.kind == BRINK_TOKEN_ASSIGN || pr->previous.kind == BRINK_TOKEN_COLON ||
         pr->previous.kind == BRINK_TOKEN_THEN || pr->previous.kind == BRINK_TOKEN_ELSE;
}

static bool is_keyword(const printer *pr) {
  return pr->lowers ||
         (pr->token.kind >= BRINK_TOKEN_AND && pr->token.kind <= BRINK_TOKEN_ON_EVENT);
}

static void add_text(printer *pr) {
  const brink_token *t = &pr->token;
  if (!is_keyword(pr)) {
    brink_text_append(&pr->line, t->start, t->length);
    return;
  }
  for (uint32_t i = 0; i < t->length; i++) {
    char c = t->start[i];
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    brink_text_append(&pr->line, &c, 1);
  }
}

/* A component stands apart from the imports, functions, tables and constants before it, unless a comment is between. */
static bool begins_component(const printer *pr) {
  return pr->mark_depth == 0 && pr->token.kind == BRINK_TOKEN_NAME && !pr->first &&
         !pr->after_comment && !brink_token_is_word(&pr->token, "import") &&
         !brink_token_is_word(&pr->token, "function") &&
         !brink_token_is_word(&pr->token, "table") && !brink_token_is_word(&pr->token, "constant");
}

static void begin_statement(printer *pr, bool blank) {
  flush(pr);
  separate(pr, pr->mark_depth, blank || begins_component(pr), is_closer(pr->token.kind));
  pr->after_comment = false;
  pr->force_blank = pr->token.kind == BRINK_TOKEN_END && pr->mark_depth == 0;
  pr->depth = pr->mark_depth;
  indent(&pr->line, columns_of(pr->depth));
}

static void add_token(printer *pr, bool blank) {
  bool unary = pr->token.kind == BRINK_TOKEN_MINUS && (pr->begins || !ends_operand(pr));
  if (pr->begins) {
    begin_statement(pr, blank);
  } else if (pr->line_over || pr->line.length == 0) {
    flush(pr);
    indent(&pr->line, columns_of(pr->depth) + CONTINUATION);
  } else if (needs_space(pr)) {
    if (may_break(pr)) pr->split = pr->line.length;
    brink_text_append(&pr->line, " ", 1);
  }
  add_text(pr);
  wrap(pr);
  pr->unary = unary;
}

/* What the parser noted about the current token. */
static void take_marks(printer *pr) {
  size_t offset = (size_t)(pr->token.start - pr->file->text);
  pr->previous_spaced = pr->spaced;
  pr->begins = pr->lowers = pr->spaced = false;
  while (pr->mark < pr->last_mark && pr->mark->offset < offset) pr->mark++;
  for (; pr->mark < pr->last_mark && pr->mark->offset == offset; pr->mark++) {
    if (pr->mark->kind == BRINK_LAYOUT_LINE) pr->begins = true, pr->mark_depth = pr->mark->depth;
    if (pr->mark->kind == BRINK_LAYOUT_LOWER) pr->lowers = true;
    if (pr->mark->kind == BRINK_LAYOUT_SPACE) pr->spaced = true;
  }
}

static void print_tokens(printer *pr) {
  const char *behind = pr->lexer.at; /* the token before */
  do {
    brink_lexer_next(&pr->lexer, &pr->token);
    take_marks(pr);
    bool blank = add_gap(pr, behind, pr->token.start);
    if (pr->token.kind == BRINK_TOKEN_EOF) break;
    add_token(pr, blank);
    behind = pr->token.start + pr->token.length;
    pr->previous = pr->token;
  } while (!pr->line.failed && !pr->out.failed && !pr->tails.failed);
  flush(pr);
}

/* ---- alignment of comments ---- */

/* The widest of the neighbouring lines with comments, from `first`; *count is their number. */
static size_t group_width(const tail *first, size_t left, size_t *count) {
  size_t width = first->width;
  *count = 1;
  if (first->width > ALIGN_WIDTH) return width;
  for (; *count < left && first[*count].line == first->line + *count; ++*count) {
    if (first[*count].width > ALIGN_WIDTH) break;
    if (first[*count].width > width) width = first[*count].width;
  }
  return width;
}

static void copy_aligned(const printer *pr, brink_text *text) {
  const tail *tails = (const tail *)(const void *)pr->tails.data;
  size_t total = pr->tails.length / sizeof *tails, done = 0, count = 0;
  for (size_t i = 0; i < total; i += count) {
    size_t width = group_width(&tails[i], total - i, &count);
    for (size_t k = i; k < i + count; k++) {
      brink_text_append(text, pr->out.data + done, tails[k].offset - done);
      indent(text, width - tails[k].width);
      done = tails[k].offset;
    }
  }
  if (pr->out.length > done) brink_text_append(text, pr->out.data + done, pr->out.length - done);
}

bool brink_unit_format_source(const brink_unit *unit, brink_text *text) {
  if (unit->nerrors > 0 || unit->nfiles == 0) return false;
  const brink_file *file = &unit->files[0];
  printer pr = {.file = file,
                .mark = unit->layout,
                .last_mark = unit->layout == NULL ? NULL : unit->layout + unit->nlayout,
                .first = true};
  pr.line.allocator = pr.out.allocator = pr.tails.allocator = text->allocator;
  brink_lexer_init(&pr.lexer, NULL, 0, file->text, file->length);
  print_tokens(&pr);
  bool whole = !pr.line.failed && !pr.out.failed && !pr.tails.failed;
  if (whole) copy_aligned(&pr, text);
  brink_text_free(&pr.line);
  brink_text_free(&pr.out);
  brink_text_free(&pr.tails);
  return whole && !text->failed;
}
