/* lex.h: from characters to tokens.
 *
 * Errors in single tokens (a stray character, `1.`, `==`) are reported here, once, and repaired
 * where it is clear what was meant; otherwise the token is BAD, and the parser recovers silently. */
#ifndef BRINK_LANG_LEX_H
#define BRINK_LANG_LEX_H

#include "lang/ast.h"

typedef enum brink_token_kind {
  BRINK_TOKEN_EOF,
  BRINK_TOKEN_NAME, /* also every keyword that is not reserved */
  BRINK_TOKEN_NUMBER,
  BRINK_TOKEN_STRING, /* with its quotes */
  /* reserved words */
  BRINK_TOKEN_AND,
  BRINK_TOKEN_OR,
  BRINK_TOKEN_NOT,
  BRINK_TOKEN_IF,
  BRINK_TOKEN_THEN,
  BRINK_TOKEN_ELSIF,
  BRINK_TOKEN_ELSE,
  BRINK_TOKEN_END,
  BRINK_TOKEN_IS,
  /* words with a hyphen */
  BRINK_TOKEN_NEGATIVE_GOING,
  BRINK_TOKEN_POSITIVE_GOING,
  BRINK_TOKEN_ON_EVENT,
  /* signs */
  BRINK_TOKEN_PLUS,
  BRINK_TOKEN_MINUS,
  BRINK_TOKEN_STAR,
  BRINK_TOKEN_SLASH,
  BRINK_TOKEN_CARET,
  BRINK_TOKEN_LT,
  BRINK_TOKEN_LE,
  BRINK_TOKEN_GT,
  BRINK_TOKEN_GE,
  BRINK_TOKEN_EQ,
  BRINK_TOKEN_NE,
  BRINK_TOKEN_ASSIGN,
  BRINK_TOKEN_COLON,
  BRINK_TOKEN_SEMICOLON,
  BRINK_TOKEN_COMMA,
  BRINK_TOKEN_DOT,
  BRINK_TOKEN_DOTDOT,
  BRINK_TOKEN_PRIME,
  BRINK_TOKEN_LPAREN,
  BRINK_TOKEN_RPAREN,
  BRINK_TOKEN_LBRACKET,
  BRINK_TOKEN_RBRACKET,
  BRINK_TOKEN_LBRACE,
  BRINK_TOKEN_RBRACE,
  BRINK_TOKEN_BAD, /* reported already */
  BRINK_TOKEN_COUNT
} brink_token_kind;

/* A token never spans lines. */
typedef struct brink_token {
  brink_token_kind kind;
  uint32_t line, column, length;
  const char *start; /* in the file's text */
  double number;     /* NUMBER */
  bool whole;        /* NUMBER: without point and exponent */
  bool damaged;      /* NUMBER, STRING: reported, and its value is not what was meant */
  bool unclosed;     /* STRING: it took what follows on its line, too */
  bool first;        /* on its line */
} brink_token;

typedef struct brink_lexer {
  brink_unit *unit; /* receives the errors; NULL: they are dropped */
  uint32_t file;
  const char *at, *end;   /* what is left */
  const char *line_start; /* of the current line */
  uint32_t line;
  brink_token_kind previous;
  bool first;         /* nothing but white space on this line so far */
  uint32_t bars_line; /* on which a '|' was reported: |x| has two of them */
} brink_lexer;

void brink_lexer_init(brink_lexer *lexer, brink_unit *unit, uint32_t file, const char *text,
                      size_t length);
void brink_lexer_next(brink_lexer *lexer, brink_token *token);

/* Where a token is, and the place just after it. */
brink_place brink_token_place(uint32_t file, const brink_token *token);
brink_place brink_token_end(uint32_t file, const brink_token *token);

/* Is the token this word, in any case? The word is given in lower case. */
bool brink_token_is_word(const brink_token *token, const char *word);

bool brink_token_is_reserved(brink_token_kind kind);

/* lex_number.c: the number at the lexer's place, which is a digit or a point before a digit. */
void brink_lexer_number(brink_lexer *lexer, brink_token *token);

/* An error about `length` characters from `start`, which are on the current line. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
void brink_lexer_error(brink_lexer *lexer, brink_message code, const char *start, size_t length, const char *hint,
                       const char *format, ...);

#endif
