/* parse_recover.c: errors, blocks and their ends, where to go on after an error. */
#include <stdarg.h>
#include <string.h>

#include "lang/parser.h"

/* ---- errors ---- */

/* What the lexer has reported explains what goes wrong around it. */
static bool is_near_bad(const brink_parser *p) {
  return p->token.kind == BRINK_TOKEN_BAD || p->next.kind == BRINK_TOKEN_BAD ||
         (p->previous.kind == BRINK_TOKEN_BAD && !p->token.first) || p->previous.unclosed ||
         (p->previous.kind == BRINK_TOKEN_NUMBER && p->previous.damaged);
}

static bool is_silent(const brink_parser *p) {
  return p->panic || p->abandoned || p->quiet > 0 || is_near_bad(p) ||
         (p->muted != NULL && p->muted == p->token.start);
}

void brink_parse_error(brink_parser *p, brink_message code, brink_place place, const char *hint,
                       const char *format, ...) {
  p->errors++;
  if (is_silent(p)) return;
  va_list arguments;
  va_start(arguments, format);
  brink_report_list(p->unit, BRINK_ERROR, code, place, hint, format, arguments);
  va_end(arguments);
}

void brink_parse_panic(brink_parser *p, brink_message code, brink_place place, const char *hint,
                       const char *format, ...) {
  p->errors++;
  p->losses++;
  bool silent = is_silent(p);
  p->panic = true;
  if (silent) return;
  va_list arguments;
  va_start(arguments, format);
  brink_report_list(p->unit, BRINK_ERROR, code, place, hint, format, arguments);
  va_end(arguments);
}

const char *brink_parse_shown(brink_parser *p, const brink_token *token) {
  if (token->kind == BRINK_TOKEN_EOF) return p->key[0] == '\0' ? "the end" : "the end of the file";
  if (p->panic) return "";
  int length = token->length > 40 ? 40 : (int)token->length;
  const char *rest = token->length > 40 ? "..." : "";
  if (token->kind == BRINK_TOKEN_STRING)
    return brink_unit_format(p->unit, "the string %.*s%s", length, token->start, rest);
  return brink_unit_format(p->unit, "'%.*s%s'", length, token->start, rest);
}

void brink_parse_unexpected(brink_parser *p, const char *expected) {
  /* What is missing at the end of a line is missing there, not at the start of a later one. */
  bool missing = p->token.kind == BRINK_TOKEN_EOF || (p->token.first && p->previous.start != NULL);
  brink_parse_panic(p, BRINK_MSG_EXPECTED, missing ? brink_parse_after(p) : brink_parse_place(p),
                    NULL, "expected %s, found %s", expected, brink_parse_shown(p, &p->token));
}

const char *brink_parse_did_you_mean(brink_parser *p, const char *nearest) {
  if (nearest == NULL || p->panic) return NULL;
  return brink_unit_format(p->unit, "did you mean '%s'?", nearest);
}

/* ---- limits ---- */

void brink_parse_abandon(brink_parser *p) {
  if (p->abandoned) return;
  p->abandoned = true;
  p->token.kind = p->next.kind = BRINK_TOKEN_EOF;
  p->token.length = p->next.length = 0;
}

bool brink_parse_enter(brink_parser *p, unsigned limit) {
  if (++p->depth <= limit) return true;
  brink_parse_panic(p, BRINK_MSG_NESTED_TOO_DEEP, brink_parse_place(p),
                    "split it into parts with names of their own",
                    "this is nested more than %d levels deep", BRINK_NESTING_LIMIT);
  return false;
}

void brink_parse_leave(brink_parser *p) {
  p->depth--;
}

/* ---- single tokens ---- */

bool brink_parse_expect(brink_parser *p, brink_token_kind kind, const char *expected) {
  if (brink_parse_accept(p, kind)) return true;
  brink_parse_unexpected(p, expected);
  return false;
}

bool brink_parse_expect_name(brink_parser *p, const char *what, brink_token *name) {
  if (p->panic) return false;
  *name = p->token;
  if (p->token.first && brink_parse_at_stop(p)) {
    brink_parse_unexpected(p, what);
    return false;
  }
  bool reserved = brink_token_is_reserved(p->token.kind) && !p->token.first;
  if (reserved)
    brink_parse_error(p, BRINK_MSG_RESERVED_WORD, brink_parse_place(p), "choose another name",
                      "%s is a reserved word and cannot be a name",
                      brink_parse_shown(p, &p->token));
  if (reserved || p->token.kind == BRINK_TOKEN_NAME) {
    brink_parse_advance(p);
    return true;
  }
  brink_parse_unexpected(p, what);
  return false;
}

void brink_parse_close(brink_parser *p, brink_token_kind kind, const brink_token *open) {
  if (p->panic || brink_parse_accept(p, kind)) return;
  const char *sign = kind == BRINK_TOKEN_RPAREN ? ")" : kind == BRINK_TOKEN_RBRACKET ? "]" : "}";
  const char *hint = brink_unit_format(p->unit, "it closes the '%.1s' at %u:%u", open->start,
                                       (unsigned)open->line, (unsigned)open->column);
  bool forgotten = p->token.first || p->token.kind == BRINK_TOKEN_SEMICOLON ||
                   p->token.kind == BRINK_TOKEN_THEN || p->token.kind == BRINK_TOKEN_EOF ||
                   p->token.kind == BRINK_TOKEN_ASSIGN || p->token.kind == BRINK_TOKEN_EQ ||
                   brink_parse_is(p, "loop") || brink_parse_is(p, "do");
  bool operand = p->token.kind == BRINK_TOKEN_NAME || p->token.kind == BRINK_TOKEN_NUMBER ||
                 p->token.kind == BRINK_TOKEN_STRING;
  if (forgotten)
    brink_parse_error(p, BRINK_MSG_MISSING_SIGN, brink_parse_after(p), hint,
                      "a '%s' is missing here", sign);
  else if (operand)
    brink_parse_panic(p, BRINK_MSG_UNEXPECTED, brink_parse_place(p),
                      "an operator or a ',' is missing before it", "%s is not expected here",
                      brink_parse_shown(p, &p->token));
  else
    brink_parse_panic(p, BRINK_MSG_EXPECTED_WORD, brink_parse_place(p), hint,
                      "expected '%s', found %s", sign, brink_parse_shown(p, &p->token));
}

/* ---- where things begin ---- */

static bool is_one_of(const brink_token *token, const char *const *words, size_t count) {
  if (token->kind != BRINK_TOKEN_NAME) return false;
  for (size_t i = 0; i < count; i++)
    if (brink_token_is_word(token, words[i])) return true;
  return false;
}

bool brink_parse_at_top(const brink_parser *p) {
  static const char *const kinds[] = {"ctc", "dtc", "lbc", "composite", "system"};
  static const char *const functions[] = {"function", "table", "constant", "bundle"};
  size_t count = sizeof kinds / sizeof kinds[0];
  if (p->next.kind == BRINK_TOKEN_NAME)
    return is_one_of(&p->token, kinds, count) || is_one_of(&p->token, functions, 4) ||
           (brink_token_is_word(&p->token, "partial") && is_one_of(&p->next, kinds, count));
  return p->next.kind == BRINK_TOKEN_STRING && brink_token_is_word(&p->token, "import");
}

/* A section's name is one only where what follows can begin a section. */
bool brink_parse_at_section(const brink_parser *p) {
  if (p->token.kind != BRINK_TOKEN_NAME) return false;
  bool interface = p->blocks != NULL && strcmp(p->blocks->name, "interface") == 0;
  if (interface && brink_token_is_word(&p->token, "output")) return false; /* a declaration */
  switch (p->next.kind) {
  case BRINK_TOKEN_NAME:
  case BRINK_TOKEN_END:
  case BRINK_TOKEN_IF:
  case BRINK_TOKEN_NUMBER:
  case BRINK_TOKEN_MINUS:
    break;
  case BRINK_TOKEN_LPAREN:
    return brink_token_is_word(&p->token, "event");
  default:
    return false;
  }
  for (int kind = 0; kind < BRINK_SECTION_EVENT; kind++) {
    const char *name = brink_section_name((brink_section_kind)kind);
    if (brink_token_is_word(&p->token, name)) return !brink_token_is_word(&p->next, name);
  }
  return brink_token_is_word(&p->token, "body");
}

bool brink_token_is_action(brink_token_kind kind) {
  return kind == BRINK_TOKEN_NEGATIVE_GOING || kind == BRINK_TOKEN_POSITIVE_GOING ||
         kind == BRINK_TOKEN_ON_EVENT;
}

bool brink_token_is_defining(brink_token_kind kind) {
  return kind == BRINK_TOKEN_EQ || kind == BRINK_TOKEN_ASSIGN || kind == BRINK_TOKEN_PRIME ||
         kind == BRINK_TOKEN_COLON;
}

bool brink_parse_inside(const brink_parser *p, const char *block) {
  for (const brink_open_block *b = p->blocks; b != NULL; b = b->outer)
    if (b->rank < BRINK_RANK_COMPONENT && strcmp(b->name, block) == 0) return true;
  return false;
}

bool brink_parse_at_stop(const brink_parser *p) {
  if (p->token.kind == BRINK_TOKEN_EOF) return true;
  if (p->token.kind == BRINK_TOKEN_RBRACE && p->blocks != NULL && p->blocks->braced) return true;
  if (p->token.kind == BRINK_TOKEN_END) return !brink_token_is_defining(p->next.kind);
  if (brink_token_is_action(p->token.kind)) /* but: [leave] positive-going when ... */
    return brink_parse_inside(p, "event") && !brink_token_is_word(&p->next, "when");
  return brink_parse_at_top(p) || (p->component != NULL && brink_parse_at_section(p));
}

/* At the start of a line, something that looks like a statement and not like the rest of one. */
static bool at_statement(const brink_parser *p) {
  if (!p->token.first) return false;
  if (p->token.kind == BRINK_TOKEN_NAME) {
    static const char *const words[] = {"for", "let", "when"};
    if (brink_token_is_defining(p->next.kind)) return true;
    if (p->next.kind == BRINK_TOKEN_NAME) return is_one_of(&p->token, words, 3);
    return brink_parse_at_declaration(p) && p->blocks != NULL &&
           p->blocks->rank >= BRINK_RANK_SECTION;
  }
  bool in_if = brink_parse_inside(p, "if");
  if (p->token.kind == BRINK_TOKEN_ELSE || p->token.kind == BRINK_TOKEN_ELSIF) return in_if;
  /* `if` begins an expression after an operator, else a statement. */
  bool operand_behind = p->previous.kind == BRINK_TOKEN_NAME ||
                        p->previous.kind == BRINK_TOKEN_NUMBER ||
                        p->previous.kind == BRINK_TOKEN_RPAREN;
  return p->token.kind == BRINK_TOKEN_IF && operand_behind;
}

/* ---- the end of a statement ---- */

void brink_parse_sync(brink_parser *p) {
  const char *start = p->token.start;
  p->panic = false;
  for (;; brink_parse_advance(p)) {
    if (brink_parse_accept(p, BRINK_TOKEN_SEMICOLON)) return;
    /* A word that does not fit in the middle of a line is no new beginning. */
    bool misfit = p->token.start == start && !p->token.first && p->token.kind != BRINK_TOKEN_END &&
                  p->token.kind != BRINK_TOKEN_EOF;
    if (!misfit && brink_parse_at_stop(p)) return;
    if (p->token.start != start && at_statement(p)) return;
    if (p->token.start == start && at_statement(p) && p->previous.start != NULL &&
        p->previous.line < p->token.line && p->previous.kind != BRINK_TOKEN_SEMICOLON)
      return; /* the error was at the end of the line before */
  }
}

/* Does the current token begin something new? */
static bool semicolon_forgotten(const brink_parser *p) {
  switch (p->token.kind) {
  case BRINK_TOKEN_BAD:
    return false;
  case BRINK_TOKEN_END:
  case BRINK_TOKEN_EOF:
    return true;
  case BRINK_TOKEN_NAME:
    return p->token.first || brink_token_is_defining(p->next.kind) || brink_parse_at_stop(p) ||
           (brink_parse_at_opening(p) && p->next.kind != BRINK_TOKEN_LPAREN) ||
           (brink_parse_at_declaration(p) && p->blocks != NULL &&
            p->blocks->rank >= BRINK_RANK_SECTION);
  default:
    return p->token.first;
  }
}

/* Is it one of the predefined functions? */
static bool names_function(const brink_token *token) {
  for (int k = 0; k < (int)BRINK_FN_USER; k++)
    if (brink_token_is_word(token, brink_function_name((brink_function)k))) return true;
  return false;
}

/* `x mod 2`, `sin x`, or whatever else stands after a complete statement. */
static const char *misfit_hint(const brink_parser *p) {
  bool operand = p->token.kind == BRINK_TOKEN_NAME || p->token.kind == BRINK_TOKEN_NUMBER;
  if (brink_token_is_word(&p->token, "mod")) return "write mod(a, b)";
  if (brink_token_is_word(&p->token, "div")) return "write floor(a/b)";
  if (operand && names_function(&p->previous)) return "arguments stand in parentheses: sin(x)";
  switch (p->token.kind) {
  case BRINK_TOKEN_COMMA:
  case BRINK_TOKEN_COLON:
    return "statements end with ';'";
  case BRINK_TOKEN_RPAREN:
  case BRINK_TOKEN_RBRACKET:
  case BRINK_TOKEN_RBRACE:
    return "nothing is open that it could close";
  default:
    return "an operator or a ';' is missing before it";
  }
}

/* What stands behind the previous token. */
static const char *behind(const brink_parser *p) {
  if (p->previous.start == NULL) return "";
  const char *at = p->previous.start + p->previous.length;
  while (*at == ' ' || *at == '\t') at++;
  return at;
}

/* A comment of another language has been reported, and may have taken the ';'. */
static bool comment_behind(const brink_parser *p) {
  const char *at = behind(p);
  return *at == '#' || (at[0] == '/' && at[1] == '/');
}

/* `a % b;`: what was meant as an operator began a comment, and that took the ';'. */
static const char *semicolon_hint(const brink_parser *p) {
  const char *at = behind(p);
  const char *stop = at + strcspn(at, "\r\n");
  while (stop > at && (stop[-1] == ' ' || stop[-1] == '\t')) stop--;
  if (*at != '%' || stop == at || stop[-1] != ';') return NULL;
  return "'%' begins a comment; a remainder is written mod(a, b)";
}

void brink_parse_finish(brink_parser *p) {
  if (brink_parse_accept(p, BRINK_TOKEN_SEMICOLON)) return;
  if (!p->panic && semicolon_forgotten(p)) {
    if (comment_behind(p)) {
      p->errors++;
      return;
    }
    brink_parse_error(p, BRINK_MSG_MISSING_SIGN, brink_parse_after(p), semicolon_hint(p),
                      "a '%s' is missing here", ";");
    return;
  }
  if (!p->panic)
    brink_parse_panic(p, BRINK_MSG_UNEXPECTED, brink_parse_place(p), misfit_hint(p),
                      "%s is not expected here", brink_parse_shown(p, &p->token));
  brink_parse_sync(p);
}

/* ---- blocks ---- */

void brink_parse_open(brink_parser *p, brink_open_block *block, const char *name,
                      brink_block_rank rank, const brink_token *at) {
  *block = (brink_open_block){
      .name = name, .rank = rank, .place = brink_token_place(p->file, at), .outer = p->blocks};
  p->blocks = block;
}

/* The token's text and a name; a keyword's case does not count. */
static bool spells(const brink_token *token, const char *name, bool is_keyword) {
  if (name == NULL || token->length == 0 || token->length != strlen(name)) return false;
  if (!is_keyword) return memcmp(token->start, name, token->length) == 0;
  for (size_t i = 0; i < token->length; i++) {
    char c = token->start[i];
    if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != name[i]) return false;
  }
  return true;
}

static bool names_block(const brink_token *token, const brink_open_block *block) {
  if (block->nameless) return token->kind == BRINK_TOKEN_NAME;
  return spells(token, block->name, block->rank != BRINK_RANK_COMPONENT) ||
         spells(token, block->alias, false);
}

static bool is_open(const brink_open_block *block, const brink_token *name) {
  for (; block != NULL; block = block->outer)
    if (names_block(name, block)) return true;
  return false;
}

/* Of the block that a word closes, whatever is open; COMPONENT for other words. */
static brink_block_rank rank_of(const brink_token *word) {
  static const char *const statements[] = {"loop", "when", "for"};
  static const char *const parts[] = {"body", "interface"};
  if (word->kind == BRINK_TOKEN_IF || is_one_of(word, statements, 3)) return BRINK_RANK_STATEMENT;
  if (brink_token_is_action(word->kind)) return BRINK_RANK_ACTION;
  if (is_one_of(word, parts, 2)) return BRINK_RANK_PART;
  if (brink_token_is_word(word, "agents")) return BRINK_RANK_AGENTS;
  for (int kind = 0; kind < BRINK_SECTION_COUNT; kind++)
    if (brink_token_is_word(word, brink_section_name((brink_section_kind)kind)))
      return BRINK_RANK_SECTION;
  return brink_token_is_word(word, "pair") ? BRINK_RANK_PAIR : BRINK_RANK_COMPONENT;
}

void brink_parse_skip_block(brink_parser *p, const char *name) {
  p->panic = false;
  while (p->token.kind != BRINK_TOKEN_EOF && !brink_parse_at_top(p)) {
    if (p->token.kind == BRINK_TOKEN_END && is_open(p->blocks, &p->next)) return;
    bool ends = p->token.kind == BRINK_TOKEN_END && spells(&p->next, name, false);
    brink_parse_advance(p);
    if (!ends) continue;
    brink_parse_advance(p);
    brink_parse_accept(p, BRINK_TOKEN_SEMICOLON);
    return;
  }
}

const char *brink_parse_skip_headless(brink_parser *p, brink_block_rank rank) {
  p->panic = false;
  for (; p->token.kind != BRINK_TOKEN_EOF && !brink_parse_at_top(p); brink_parse_advance(p)) {
    if (p->token.first && brink_parse_at_section(p)) return NULL;
    if (p->token.kind != BRINK_TOKEN_END) continue;
    if (is_open(p->blocks, &p->next) || rank_of(&p->next) > rank) return NULL;
    if (rank_of(&p->next) < rank) continue;
    const char *name = brink_parse_name(p, &p->next);
    brink_parse_advance(p);
    brink_parse_advance(p);
    brink_parse_accept(p, BRINK_TOKEN_SEMICOLON);
    return name;
  }
  return NULL;
}

static void report_unclosed(brink_parser *p, const brink_open_block *block) {
  if (block->implied || is_silent(p)) return;
  p->losses++; /* what belongs in the block is a guess */
  const char *hint = block->hint;
  if (hint == NULL)
    hint = brink_unit_format(p->unit, "'%s' begins at %u:%u", block->name,
                             (unsigned)block->place.line, (unsigned)block->place.column);
  if (p->token.kind == BRINK_TOKEN_EOF)
    brink_parse_error(p, BRINK_MSG_MISSING_END, brink_parse_after(p), hint, "'end %s;' is missing",
                      block->name);
  else if (p->token.kind == BRINK_TOKEN_END)
    brink_parse_error(p, BRINK_MSG_MISSING_END_BEFORE, brink_parse_place(p), hint,
                      "'end %s;' is missing before %s", block->name,
                      brink_unit_format(p->unit, "'end %.*s;'",
                                        p->next.length > 40 ? 40 : (int)p->next.length,
                                        p->next.start));
  else
    brink_parse_error(p, BRINK_MSG_MISSING_END_BEFORE, brink_parse_place(p), hint,
                      "'end %s;' is missing before %s", block->name,
                      brink_parse_shown(p, &p->token));
  p->muted = p->token.start; /* the blocks around it may lack their ends, too: one error */
}

static bool pop(brink_parser *p) {
  p->blocks = p->blocks->outer;
  return true;
}

/* end [name] ;   with whatever name */
static void skip_end(brink_parser *p, bool has_name) {
  brink_parse_line(p);
  brink_parse_advance(p);
  if (has_name) {
    if (p->blocks->rank == BRINK_RANK_COMPONENT)
      brink_parse_advance(p);
    else
      brink_parse_keyword(p);
  }
  brink_parse_finish(p);
}

/* The current token becomes `end`, and what follows it is read again, `skipped` characters on. */
static void become_end(brink_parser *p, uint32_t skipped) {
  p->token.kind = BRINK_TOKEN_END;
  p->token.length = skipped;
  p->lexer.at = p->token.start + skipped;
  p->lexer.line = p->token.line;
  p->lexer.line_start = p->token.start - (p->token.column - 1);
  brink_lexer_next(&p->lexer, &p->next);
}

/* `endif;` */
static void split_end(brink_parser *p) {
  const brink_token *token = &p->token;
  if (token->kind != BRINK_TOKEN_NAME || token->length < 5) return;
  brink_token end = *token, rest = *token;
  uint32_t skipped = token->start[3] == '_' ? 4 : 3;
  end.length = 3;
  rest.start += skipped;
  rest.length -= skipped;
  if (!brink_token_is_word(&end, "end") || !is_open(p->blocks, &rest)) return;
  brink_parse_error(p, BRINK_MSG_TWO_WORDS, brink_parse_place(p),
                    brink_unit_format(p->unit, "write 'end %.*s;'", (int)rest.length, rest.start),
                    "%s are two words", brink_parse_shown(p, token));
  become_end(p, skipped);
}

/* `edn if;`: something else in the place of `end`. */
static bool is_misspelt_end(const brink_parser *p) {
  if (p->token.kind != BRINK_TOKEN_NAME && p->token.kind != BRINK_TOKEN_NUMBER &&
      p->token.kind != BRINK_TOKEN_BAD)
    return false;
  if (p->next.line != p->token.line || !names_block(&p->next, p->blocks)) return false;
  brink_lexer ahead = p->lexer;
  brink_token third;
  ahead.unit = NULL;
  brink_lexer_next(&ahead, &third);
  return third.kind == BRINK_TOKEN_SEMICOLON && third.line == p->token.line;
}

/* Skips characters that begin no token, where nothing depends on them: the lexer has reported them. */
static void skip_bad(brink_parser *p) {
  if (p->token.kind == BRINK_TOKEN_END && p->next.kind == BRINK_TOKEN_BAD) {
    while (p->next.kind == BRINK_TOKEN_BAD) brink_lexer_next(&p->lexer, &p->next);
    p->muted = p->token.start;
  }
  while (p->token.kind == BRINK_TOKEN_BAD && !is_misspelt_end(p)) brink_parse_advance(p);
}

bool brink_parse_more(brink_parser *p) {
  while (p->token.kind == BRINK_TOKEN_END && p->next.kind == BRINK_TOKEN_END) {
    brink_parse_error(p, BRINK_MSG_REPEATED_WORD, brink_token_place(p->file, &p->next), NULL,
                      "'%s' is repeated here", "end");
    brink_parse_advance(p);
  }
  if (p->blocks == NULL) return !brink_parse_at_stop(p);
  skip_bad(p);
  bool alone = p->next.kind == BRINK_TOKEN_SEMICOLON && p->next.line == p->token.line;
  if (alone && names_block(&p->token, p->blocks)) {
    brink_parse_error(p, BRINK_MSG_MISSING_WORD_BEFORE, brink_parse_place(p), NULL,
                      "'%s' is missing before %s", "end", brink_parse_shown(p, &p->token));
    become_end(p, 0);
  } else if (alone) {
    split_end(p);
  } else if (is_misspelt_end(p)) {
    brink_parse_error(p, BRINK_MSG_EXPECTED_WORD, brink_parse_place(p), NULL,
                      "expected '%s', found %s", "end", brink_parse_shown(p, &p->token));
    p->token.kind = BRINK_TOKEN_END;
  }
  return !brink_parse_at_stop(p);
}

bool brink_parse_close_block(brink_parser *p) {
  const brink_open_block *block = p->blocks;
  if (block->braced && p->token.kind == BRINK_TOKEN_RBRACE) {
    brink_parse_advance(p);
    brink_parse_accept(p, BRINK_TOKEN_SEMICOLON);
    return pop(p);
  }
  if (p->token.kind != BRINK_TOKEN_END) {
    report_unclosed(p, block);
    return pop(p);
  }
  if (names_block(&p->next, block)) {
    skip_end(p, true);
    return pop(p);
  }
  bool word = p->next.kind == BRINK_TOKEN_NAME || p->next.kind == BRINK_TOKEN_IF ||
              brink_token_is_action(p->next.kind);
  const char *hint = brink_unit_format(p->unit, "write 'end %s;'", block->name);
  if (!word) {
    brink_parse_error(p, BRINK_MSG_END_WITHOUT_NAME, brink_parse_place(p), hint,
                      "'end' needs the name of what it ends");
    skip_end(p, false);
    return pop(p);
  }
  if (is_open(block->outer, &p->next)) {
    report_unclosed(p, block);
    return pop(p);
  }
  brink_place place = brink_token_place(p->file, &p->next);
  const char *shown = brink_parse_shown(p, &p->next);
  if (rank_of(&p->next) < block->rank) {
    p->losses++; /* its beginning */
    brink_parse_error(p, BRINK_MSG_NO_SUCH_BLOCK, brink_parse_place(p), NULL,
                      "there is no %s to end here", shown);
    skip_end(p, true);
    return false;
  }
  brink_parse_error(p, BRINK_MSG_WRONG_END, place, hint, "this ends '%s', not %s", block->name,
                    shown);
  skip_end(p, true);
  return pop(p);
}
