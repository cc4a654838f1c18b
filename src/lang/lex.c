/* lex.c: from characters to tokens.
 *
 *   name    = (letter | "_") {letter | digit | "_"}        letters are A to Z and a to z
 *   string  = '"' {character | "\" ('"' | "\" | "n" | "t")} '"'     on one line
 *   comment = "%" to the end of the line
 *
 * The text ends with a NUL, so that one character may always be read beyond the last. A NUL
 * inside the text means that the file is none, and ends it. */
#include "lang/lex.h"

#include <stdarg.h>
#include <string.h>

#include "base/show.h"

void brink_lexer_init(brink_lexer *lexer, brink_unit *unit, uint32_t file, const char *text,
                      size_t length) {
  *lexer = (brink_lexer){.unit = unit,
                         .file = file,
                         .at = text,
                         .end = text + length,
                         .line_start = text,
                         .line = 1,
                         .first = true};
  if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) lexer->at += 3; /* byte order mark */
}

brink_place brink_token_place(uint32_t file, const brink_token *token) {
  return (brink_place){.file = file,
                       .line = token->line,
                       .column = token->column,
                       .length = token->length > 0 ? token->length : 1};
}

brink_place brink_token_end(uint32_t file, const brink_token *token) {
  return (brink_place){
      .file = file, .line = token->line, .column = token->column + token->length, .length = 1};
}

void brink_lexer_error(brink_lexer *lexer, brink_message code, const char *start, size_t length,
                       const char *hint, const char *format, ...) {
  if (lexer->unit == NULL) return;
  brink_place place = {.file = lexer->file,
                       .line = lexer->line,
                       .column = (uint32_t)(start - lexer->line_start) + 1,
                       .length = length > 0 ? (uint32_t)length : 1};
  va_list arguments;
  va_start(arguments, format);
  brink_report_list(lexer->unit, BRINK_ERROR, code, place, hint, format, arguments);
  va_end(arguments);
}

/* ---- characters ---- */

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Letters of other alphabets, roughly: what a user may have meant to be part of a name. */
static bool is_foreign_letter(uint32_t code) {
  if (code == 0xd7 || code == 0xf7) return false; /* the signs of multiplication and division */
  return (code >= 0xc0 && code < 0x250) || (code >= 0x370 && code < 0x530) ||
         (code >= 0x1e00 && code < 0x2000) || (code >= 0x3040 && code < 0xd800);
}

static size_t foreign_letter(const brink_lexer *lexer, const char *at) {
  uint32_t code = 0;
  if ((unsigned char)*at < 0x80) return 0;
  size_t length = brink_utf8_decode(at, lexer->end, &code);
  return length > 0 && is_foreign_letter(code) ? length : 0;
}

/* ---- white space and comments ---- */

static const char *line_end(const brink_lexer *lexer, const char *at) {
  const char *newline = memchr(at, '\n', (size_t)(lexer->end - at));
  return newline != NULL ? newline : lexer->end;
}

static void begin_line(brink_lexer *lexer) {
  lexer->line_start = lexer->at;
  lexer->line++;
  lexer->first = true;
}

/* A comment in the manner of C: it may span lines. */
static void skip_c_comment(brink_lexer *lexer) {
  lexer->at += 2;
  while (lexer->at < lexer->end && *lexer->at != '\0') {
    char c = *lexer->at++;
    if (c == '\n') begin_line(lexer);
    if (c == '*' && *lexer->at == '/') {
      lexer->at++;
      return;
    }
  }
}

/* `-- text` where a statement begins, and nothing on the line that could end one: a comment of Ada or Lua. */
static bool is_dashed(const brink_lexer *lexer) {
  const char *at = lexer->at;
  if (at[0] != '-' || at[1] != '-') return false;
  if (lexer->previous != BRINK_TOKEN_SEMICOLON && lexer->previous != BRINK_TOKEN_IS &&
      lexer->previous != BRINK_TOKEN_EOF)
    return false;
  return memchr(at, ';', (size_t)(line_end(lexer, at) - at)) == NULL;
}

/* Comments of other languages, reported and skipped. */
static bool skip_foreign_comment(brink_lexer *lexer) {
  const char *at = lexer->at;
  bool slashes = at[0] == '/' && at[1] == '/', c = at[0] == '/' && at[1] == '*';
  if (*at != '#' && !slashes && !c && !is_dashed(lexer)) return false;
  brink_lexer_error(lexer, BRINK_MSG_FOREIGN_COMMENT, at, *at == '#' ? 1 : 2,
                    "a comment starts with % and ends with the line",
                    "'%.*s' does not start a comment", *at == '#' ? 1 : 2, at);
  if (c)
    skip_c_comment(lexer);
  else
    lexer->at = line_end(lexer, at);
  return true;
}

static void skip_space(brink_lexer *lexer) {
  for (;;) {
    char c = *lexer->at;
    if (c == '\n' && lexer->at < lexer->end) {
      lexer->at++;
      begin_line(lexer);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      lexer->at++;
    } else if (c == '%') {
      lexer->at = line_end(lexer, lexer->at);
    } else if (!skip_foreign_comment(lexer)) {
      return;
    }
  }
}

/* ---- words ---- */

typedef struct keyword {
  const char *text;
  brink_token_kind kind;
} keyword;

static const keyword reserved[] = {
    {"and", BRINK_TOKEN_AND},   {"or", BRINK_TOKEN_OR},     {"not", BRINK_TOKEN_NOT},
    {"if", BRINK_TOKEN_IF},     {"then", BRINK_TOKEN_THEN}, {"elsif", BRINK_TOKEN_ELSIF},
    {"else", BRINK_TOKEN_ELSE}, {"end", BRINK_TOKEN_END},   {"is", BRINK_TOKEN_IS},
};
static const keyword hyphened[] = {
    {"negative-going", BRINK_TOKEN_NEGATIVE_GOING},
    {"positive-going", BRINK_TOKEN_POSITIVE_GOING},
    {"on-event", BRINK_TOKEN_ON_EVENT},
};

bool brink_token_is_reserved(brink_token_kind kind) {
  return kind >= BRINK_TOKEN_AND && kind <= BRINK_TOKEN_IS;
}

/* Does the text begin with the word, in any case? */
static bool begins_with(const char *text, const char *word) {
  for (; *word != '\0'; text++, word++)
    if (lower(*text) != *word) return false;
  return true;
}

bool brink_token_is_word(const brink_token *token, const char *word) {
  if (lower(*token->start) != *word) return false; /* nearly always */
  return token->kind == BRINK_TOKEN_NAME && token->length == strlen(word) &&
         begins_with(token->start, word);
}

/* A hyphen belongs to the word only where one of the three words stands whole. */
static void classify_word(brink_lexer *lexer, brink_token *token) {
  size_t length = (size_t)(lexer->at - token->start);
  token->kind = BRINK_TOKEN_NAME;
  if (length > 5) {
    if (*lexer->at != '-') return;
  } else {
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
      if (strlen(reserved[i].text) == length && begins_with(token->start, reserved[i].text))
        token->kind = reserved[i].kind;
  }
  if (*lexer->at != '-') return;
  for (size_t i = 0; i < sizeof hyphened / sizeof hyphened[0]; i++) {
    size_t whole = strlen(hyphened[i].text);
    if (whole <= length || hyphened[i].text[length] != '-') continue;
    if (!begins_with(token->start, hyphened[i].text)) continue;
    char behind = token->start[whole];
    if (is_letter(behind) || is_digit(behind)) continue;
    token->kind = hyphened[i].kind;
    lexer->at = token->start + whole;
  }
}

static void lex_word(brink_lexer *lexer, brink_token *token) {
  const char *foreign = NULL;
  size_t foreign_length = 0;
  for (;;) {
    while (is_letter(*lexer->at) || is_digit(*lexer->at)) lexer->at++;
    size_t length = foreign_letter(lexer, lexer->at);
    if (length == 0) break;
    if (foreign == NULL) foreign = lexer->at, foreign_length = length;
    lexer->at += length;
  }
  token->kind = BRINK_TOKEN_NAME;
  if (foreign != NULL)
    brink_lexer_error(lexer, BRINK_MSG_NAME_CHARACTER, foreign, foreign_length,
                      "names are made of the letters A to Z, a to z, digits and _",
                      "a name cannot contain '%.*s'", (int)foreign_length, foreign);
  else if (lexer->at - token->start > BRINK_NAME_LIMIT)
    brink_lexer_error(lexer, BRINK_MSG_NAME_TOO_LONG, token->start,
                      (size_t)(lexer->at - token->start), NULL,
                      "this name is longer than %d characters", BRINK_NAME_LIMIT);
  else
    classify_word(lexer, token);
}

/* ---- strings ---- */

/* One character of a string, at `at`: how many bytes, 0 when it must not be there. */
static size_t string_step(const brink_lexer *lexer, const char *at) {
  uint32_t code = 0;
  unsigned char c = (unsigned char)*at;
  if (c == '\\') return at[1] == '"' || at[1] == '\\' || at[1] == 'n' || at[1] == 't' ? 2 : 0;
  if (c == '\t') return 1;
  size_t length = brink_utf8_decode(at, lexer->end, &code);
  return brink_is_control(code) ? 0 : length;
}

static void string_error(brink_lexer *lexer, brink_token *token, const char *at) {
  uint32_t code = 0;
  if (token->damaged) return; /* once is enough */
  token->damaged = true;
  if (*at == '\\')
    brink_lexer_error(lexer, BRINK_MSG_UNKNOWN_ESCAPE, at, 1,
                      "there are \\\", \\\\, \\n and \\t; a backslash itself is \\\\",
                      "an unknown escape in a string");
  else if (brink_utf8_decode(at, lexer->end, &code) > 1)
    brink_lexer_error(lexer, BRINK_MSG_STRING_BYTE, at, 1,
                      "it is not seen, and changes how a text is shown",
                      "the control character U+%04x is not allowed in a string", (unsigned)code);
  else
    brink_lexer_error(lexer, BRINK_MSG_STRING_BYTE, at, 1, "strings contain characters in UTF-8",
                      "the byte 0x%02x is not allowed in a string", (unsigned)(unsigned char)*at);
}

static void lex_string(brink_lexer *lexer, brink_token *token, char quote) {
  const char *stop = line_end(lexer, token->start), *at = token->start + 1;
  token->kind = BRINK_TOKEN_STRING;
  while (at < stop && *at != quote && *at != '\0') {
    if (*at == '\r' && at + 1 == stop) break;
    size_t step = string_step(lexer, at);
    if (step == 0) string_error(lexer, token, at);
    at += step == 0 ? 1 : step;
  }
  lexer->at = at < stop && *at == quote ? at + 1 : at;
  if (at < stop && *at == quote) return;
  token->damaged = token->unclosed = true;
  brink_lexer_error(lexer, BRINK_MSG_UNCLOSED_STRING, token->start, (size_t)(at - token->start),
                    "a string ends on the line on which it begins",
                    "this string has no closing quote");
}

/* Strings in single quotes: the sign can be no derivative here. */
static void lex_single_quotes(brink_lexer *lexer, brink_token *token) {
  const char *stop = line_end(lexer, token->start);
  const char *close = memchr(token->start + 1, '\'', (size_t)(stop - token->start - 1));
  if (close == NULL) {
    lexer->at++;
    token->kind = BRINK_TOKEN_BAD;
    brink_lexer_error(lexer, BRINK_MSG_STRAY_PRIME, token->start, 1, "x' is the derivative of x",
                      "a stray '");
    return;
  }
  lexer->at = close + 1;
  token->kind = BRINK_TOKEN_STRING;
  token->damaged = true;
  brink_lexer_error(lexer, BRINK_MSG_SINGLE_QUOTES, token->start,
                    (size_t)(lexer->at - token->start), "write \"...\" instead of '...'",
                    "strings are written in double quotes");
}

/* ---- signs ---- */

/* What the language has, and what other languages have and the message can translate. Longest first. */
typedef struct sign {
  const char *text;
  brink_token_kind kind;
  const char *instead; /* NULL: it is one of HSML */
} sign;

static const sign signs[] = {
    {":=", BRINK_TOKEN_ASSIGN, NULL},
    {"<=", BRINK_TOKEN_LE, NULL},
    {">=", BRINK_TOKEN_GE, NULL},
    {"/=", BRINK_TOKEN_NE, NULL},
    {"..", BRINK_TOKEN_DOTDOT, NULL},
    {"==", BRINK_TOKEN_EQ, "equality is written '='"},
    {"!=", BRINK_TOKEN_NE, "inequality is written '/='"},
    {"~=", BRINK_TOKEN_NE, "inequality is written '/='"},
    {"<>", BRINK_TOKEN_NE, "inequality is written '/='"},
    {"=<", BRINK_TOKEN_LE, "write '<='"},
    {"=>", BRINK_TOKEN_GE, "write '>='"},
    {"&&", BRINK_TOKEN_AND, "write 'and'"},
    {"||", BRINK_TOKEN_OR, "write 'or'"},
    {"**", BRINK_TOKEN_CARET, "powers are written '^'"},
    {"++", BRINK_TOKEN_BAD, "write 'x := x + 1'"},
    {"->", BRINK_TOKEN_BAD, "a connection is written connect(from, to)"},
    {".^", BRINK_TOKEN_CARET, "vectors are taken element by element: write '^'"},
    {".*", BRINK_TOKEN_STAR, "vectors are multiplied element by element: write '*'"},
    {"./", BRINK_TOKEN_SLASH, "vectors are divided element by element: write '/'"},
    {"+=", BRINK_TOKEN_ASSIGN, "write 'x := x + ...'"},
    {"-=", BRINK_TOKEN_ASSIGN, "write 'x := x - ...'"},
    {"*=", BRINK_TOKEN_ASSIGN, "write 'x := x*...'"},
    {"+", BRINK_TOKEN_PLUS, NULL},
    {"-", BRINK_TOKEN_MINUS, NULL},
    {"*", BRINK_TOKEN_STAR, NULL},
    {"/", BRINK_TOKEN_SLASH, NULL},
    {"<", BRINK_TOKEN_LT, NULL},
    {">", BRINK_TOKEN_GT, NULL},
    {"=", BRINK_TOKEN_EQ, NULL},
    {":", BRINK_TOKEN_COLON, NULL},
    {".", BRINK_TOKEN_DOT, NULL},
    {"&", BRINK_TOKEN_AND, "write 'and'"},
    {"|", BRINK_TOKEN_OR, "write 'or'; an absolute value is abs(x)"},
    {"!", BRINK_TOKEN_NOT, "write 'not'"},
    {"~", BRINK_TOKEN_NOT, "write 'not'"},
    /* what word processors make of them */
    {"\u2212", BRINK_TOKEN_MINUS, "write '-'"},
    {"\u2013", BRINK_TOKEN_MINUS, "write '-'"},
    {"\u2264", BRINK_TOKEN_LE, "write '<='"},
    {"\u2265", BRINK_TOKEN_GE, "write '>='"},
    {"\u2260", BRINK_TOKEN_NE, "write '/='"},
    {"\u00d7", BRINK_TOKEN_STAR, "write '*'"},
    {"\u00b7", BRINK_TOKEN_STAR, "write '*'"},
    {"\u00f7", BRINK_TOKEN_SLASH, "write '/'"},
    {"\u2032", BRINK_TOKEN_PRIME, "write an apostrophe"},
    {"\u2019", BRINK_TOKEN_PRIME, "write an apostrophe"},
};

/* Signs that are never the beginning of a longer one. */
static brink_token_kind single_sign(char c) {
  switch (c) {
  case '(':
    return BRINK_TOKEN_LPAREN;
  case ')':
    return BRINK_TOKEN_RPAREN;
  case '[':
    return BRINK_TOKEN_LBRACKET;
  case ']':
    return BRINK_TOKEN_RBRACKET;
  case '{':
    return BRINK_TOKEN_LBRACE;
  case '}':
    return BRINK_TOKEN_RBRACE;
  case ',':
    return BRINK_TOKEN_COMMA;
  case ';':
    return BRINK_TOKEN_SEMICOLON;
  case '^':
    return BRINK_TOKEN_CARET;
  case '\'':
    return BRINK_TOKEN_PRIME;
  default:
    return BRINK_TOKEN_BAD;
  }
}

/* The sign at `at`: two characters where they are one, or one, or none. */
static const sign *find_sign(const char *at) {
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
    const char *text = signs[i].text;
    if (*at == text[0] && strncmp(at, text, strlen(text)) == 0) return &signs[i];
  }
  return NULL;
}

static bool prime_may_follow(brink_token_kind previous) {
  return previous == BRINK_TOKEN_NAME || previous == BRINK_TOKEN_RBRACKET ||
         previous == BRINK_TOKEN_RPAREN || previous == BRINK_TOKEN_PRIME ||
         previous == BRINK_TOKEN_BAD;
}

/* ---- what is left ---- */

static void stray_hint(brink_lexer *lexer, const char *at, size_t length) {
  uint32_t code = 0;
  unsigned char c = (unsigned char)*at;
  bool printable = brink_utf8_decode(at, lexer->end, &code) > 0 && code > 0x20 && code != 0x7f &&
                   !(code >= 0x80 && code <= 0xa0);
  if (code == 0x201c || code == 0x201d || code == 0x201e)
    brink_lexer_error(lexer, BRINK_MSG_TYPOGRAPHIC_QUOTES, at, length, "write the plain quote \"",
                      "strings are written in plain double quotes, not typographic ones");
  else if (code == 0xa0)
    brink_lexer_error(lexer, BRINK_MSG_NO_BREAK_SPACE, at, length, "replace it by a plain space",
                      "a no-break space");
  else if (printable)
    brink_lexer_error(lexer, BRINK_MSG_STRAY_CHARACTER, at, length,
                      *at == '?' ? "a choice is written 'if c then a else b'" : NULL,
                      "a stray character '%.*s'", (int)length, at);
  else
    brink_lexer_error(lexer, BRINK_MSG_STRAY_BYTE, at, length, "models are plain text in UTF-8",
                      "a stray byte 0x%02x", c);
}

/* Characters that begin nothing. Several in a row are one error. */
static void lex_stray(brink_lexer *lexer, brink_token *token) {
  uint32_t code = 0;
  size_t length = brink_utf8_decode(lexer->at, lexer->end, &code);
  stray_hint(lexer, lexer->at, length > 0 ? length : 1);
  token->kind = BRINK_TOKEN_BAD;
  token->damaged = true;
  const char *line = line_end(lexer, lexer->at);
  do {
    length = brink_utf8_decode(lexer->at, lexer->end, &code);
    lexer->at += length > 0 ? length : 1;
  } while (lexer->at < line && strchr("@$?`\\\x7f", *lexer->at) != NULL && *lexer->at != '\0');
  while (lexer->at < line && (unsigned char)*lexer->at >= 0x80 &&
         foreign_letter(lexer, lexer->at) == 0 && find_sign(lexer->at) == NULL)
    lexer->at++;
}

/* A NUL: the end, or a file that is no text. */
static void lex_end(brink_lexer *lexer, brink_token *token) {
  token->kind = BRINK_TOKEN_EOF;
  if (lexer->at < lexer->end)
    brink_lexer_error(lexer, BRINK_MSG_NUL_BYTE, lexer->at, 1, "models are plain text in UTF-8",
                      "a NUL byte: this is not a text file");
  lexer->end = lexer->at;
}

static void lex_sign(brink_lexer *lexer, brink_token *token, const sign *s) {
  size_t length = strlen(s->text);
  lexer->at += length;
  token->kind = s->kind;
  bool bar = s->text[0] == '|' && length == 1, again = bar && lexer->bars_line == lexer->line;
  if (bar) lexer->bars_line = lexer->line;
  if (s->instead != NULL && !again)
    brink_lexer_error(lexer, BRINK_MSG_FOREIGN_OPERATOR, token->start, length, s->instead,
                      "'%s' is not an operator of HSML", s->text);
}

void brink_lexer_next(brink_lexer *lexer, brink_token *token) {
  skip_space(lexer);
  const char *at = lexer->at;
  *token = (brink_token){.line = lexer->line,
                         .column = (uint32_t)(at - lexer->line_start) + 1,
                         .start = at,
                         .first = lexer->first};
  const sign *s;
  if (at >= lexer->end || *at == '\0')
    lex_end(lexer, token);
  else if (is_letter(*at) || foreign_letter(lexer, at) > 0)
    lex_word(lexer, token);
  else if (is_digit(*at) || (*at == '.' && is_digit(at[1])))
    brink_lexer_number(lexer, token);
  else if (*at == '"')
    lex_string(lexer, token, '"');
  else if (*at == '\'' && !prime_may_follow(lexer->previous))
    lex_single_quotes(lexer, token);
  else if ((token->kind = single_sign(*at)) != BRINK_TOKEN_BAD)
    lexer->at++;
  else if ((s = find_sign(at)) != NULL)
    lex_sign(lexer, token, s);
  else
    lex_stray(lexer, token);
  token->length = (uint32_t)(lexer->at - at);
  lexer->previous = token->kind;
  lexer->first = false;
}
