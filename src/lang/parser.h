/* parser.h: what the files of the parser share. Nothing else includes it.
 *
 *   parse.c            units: files, functions, components one after another
 *   parse_import.c     imports: where files are looked for
 *   parse_extends.c    components that extend others
 *   parse_bundle.c     bundles, ports, connections between them
 *   parse_table.c      tables from files
 *   parse_external.c   functions and constants of libraries
 *   parse_component.c  components, their sections, events
 *   parse_agents.c     agents: populations and pairs
 *   parse_declare.c    declarations
 *   parse_instance.c   values by name, the parts of a composite
 *   parse_statement.c  statements of one line, and which statement is which
 *   parse_block.c      lists of statements; if, for, when
 *   parse_expr.c       expressions
 *   parse_support.c    tokens, memory, lists
 *   parse_recover.c    errors, blocks and their ends, where to go on after an error
 *
 * Recovery. An error that leaves no doubt about what was meant is reported, and parsing goes on as
 * if it were right (brink_parse_error). Otherwise the parser panics (brink_parse_panic): nothing more
 * is reported and nothing consumed until brink_parse_sync has found the next statement. Every loop
 * below ends in a panic, because nothing that it expects is there. */
#ifndef BRINK_LANG_PARSER_H
#define BRINK_LANG_PARSER_H

#include "lang/foreign.h"
#include "lang/lex.h"

/* ---- what outlives a file ---- */

typedef struct brink_name_slot {
  const char *text; /* NULL: free */
  uint32_t length, hash;
} brink_name_slot;

typedef struct brink_parse_session {
  brink_unit *unit;
  const brink_reader *reader;
  brink_name_slot *names; /* every name once: equal names are equal pointers */
  size_t nnames, names_capacity;
  brink_text scratch; /* a stack of lists under construction */
  size_t nodes;       /* expressions, statements, symbols made so far */
} brink_parse_session;

/* ---- blocks ---- */

/* Blocks hold blocks of lower rank, or of their own. */
typedef enum brink_block_rank {
  BRINK_RANK_STATEMENT, /* if, loop, when */
  BRINK_RANK_ACTION,    /* negative-going, on-event, positive-going */
  BRINK_RANK_SECTION,   /* of a body or a pair, events too */
  BRINK_RANK_PAIR,
  BRINK_RANK_AGENTS,
  BRINK_RANK_PART, /* interface, body */
  BRINK_RANK_COMPONENT,
} brink_block_rank;

/* A block that has been opened and waits for its end; they live on the C stack. */
typedef struct brink_open_block brink_open_block;
struct brink_open_block {
  const char *name; /* of its end */
  brink_block_rank rank;
  brink_place place; /* of its beginning */
  const char *hint;  /* for a missing end; NULL: where it began */
  const char *alias; /* another name its end may have: how its beginning was misspelt */
  bool implied;      /* its beginning is missing, and so may be its end */
  bool nameless;     /* a component whose name is missing: any end will do */
  bool braced;       /* it began with '{', which was reported: '}' ends it */
  brink_open_block *outer;
};

/* ---- the parser of one file ---- */

typedef struct brink_parser brink_parser;
struct brink_parser {
  brink_parse_session *session;
  brink_unit *unit;
  uint32_t file;
  const char *key;        /* the file's path, normalised: what makes it the same file */
  brink_parser *importer; /* whose import brought us here; NULL: the main file */

  brink_lexer lexer;
  brink_token previous, token, next;
  bool panic;
  bool abandoned;    /* the rest of the file is skipped */
  bool again;        /* a text that has been parsed is read once more: nothing is reported */
  unsigned quiet;    /* inside blocks that were reported as a whole: what is in them is not */
  const char *muted; /* errors at this character are consequences: not reported */
  size_t errors;     /* reported here, or suppressed because there were too many */
  size_t losses;     /* panics: something is missing in the tree */
  unsigned depth;    /* of recursion */
  unsigned indent;   /* for format.c */
  size_t choices;    /* expressions with `if` so far */
  unsigned indices;  /* open brackets of elements: a := inside means that one is missing */
  brink_open_block *blocks;

  brink_component *component;   /* under construction */
  brink_symbol **symbols_end;   /* where the next declaration goes, */
  size_t tuples;                /* (a, b) := f(x), so far: each has local names of its own */
  brink_ast_event **events_end; /* the next event of the body, */
  brink_ast_pair **pairs_end;   /* the next pair */
  size_t mentions_capacity, populations_capacity;
  brink_component *components, **components_end; /* of this file */
  brink_user_function *functions, **functions_end;
  brink_bundle *bundles, **bundles_end;
  brink_ast_expr spare; /* stands in for a node when memory is out */
};

/* ---- parse_support.c ---- */

void brink_parse_advance(brink_parser *p);
bool brink_parse_accept(brink_parser *p, brink_token_kind kind);
bool brink_parse_is(const brink_parser *p, const char *word); /* the current token, in any case */
brink_place brink_parse_place(const brink_parser *p);         /* of the current token */
brink_place brink_parse_after(const brink_parser *p);         /* just after the previous one */
brink_place brink_parse_span(const brink_parser *p, const brink_token *from); /* to the previous */

const char *brink_parse_intern(brink_parser *p, const char *text, size_t length);
const char *brink_parse_name(brink_parser *p, const brink_token *token); /* interned */
const char *brink_parse_string(brink_parser *p, const brink_token *token);

/* Lists: remember the mark, add items, and take all since the mark into the unit. */
size_t brink_list_begin(const brink_parser *p);
void brink_list_add(brink_parser *p, const void *item, size_t size);
void *brink_list_take(brink_parser *p, size_t begin, size_t size, size_t *count);

brink_ast_expr *brink_parse_node(brink_parser *p, brink_ast_op op, brink_place place);
brink_symbol *brink_parse_symbol(brink_parser *p, brink_symbol_kind kind, const brink_token *name);
void brink_parse_declare(brink_parser *p, brink_symbol *symbol); /* at symbols_end */
void brink_parse_count(brink_parser *p, brink_place place); /* one more node; too many: an error */

/* Two blocks as one; one statement more in a block that is made by nothing else. */
void brink_block_join(brink_parser *p, brink_ast_block *block, const brink_ast_block *more);
void brink_block_add(brink_parser *p, brink_ast_block *block, brink_ast_statement *statement);

/* For format.c: the current token begins a line; is a keyword; is one that a space follows. */
void brink_parse_line(brink_parser *p);
void brink_parse_keyword(brink_parser *p); /* marks, and advances */
void brink_parse_spaced_keyword(brink_parser *p);

/* ---- parse_recover.c ---- */

#if defined(__GNUC__)
#define BRINK_PARSE_PRINTF __attribute__((format(printf, 5, 6)))
#else
#define BRINK_PARSE_PRINTF
#endif
BRINK_PARSE_PRINTF void brink_parse_error(brink_parser *p, brink_message code, brink_place place,
                                          const char *hint, const char *format, ...);
BRINK_PARSE_PRINTF void brink_parse_panic(brink_parser *p, brink_message code, brink_place place,
                                          const char *hint, const char *format, ...);
/* The current token does not fit: panics with "expected ..., found ...". */
void brink_parse_unexpected(brink_parser *p, const char *expected);

/* "did you mean 'x'?", or NULL for NULL. */
const char *brink_parse_did_you_mean(brink_parser *p, const char *nearest);
const char *brink_parse_shown(brink_parser *p, const brink_token *token); /* for messages */

/* One level deeper; false: more than `limit`, reported. An operator may count as a level, too: an
 * expression gets twice the levels of a block. */
bool brink_parse_enter(brink_parser *p, unsigned limit);
void brink_parse_leave(brink_parser *p);
void brink_parse_abandon(brink_parser *p);

/* A name, or a panic. A reserved word where a name must be is reported and taken. */
bool brink_parse_expect_name(brink_parser *p, const char *what, brink_token *name);
bool brink_parse_expect(brink_parser *p, brink_token_kind kind, const char *expected);
/* The bracket that closes the one at `open`; a missing one is repaired. */
void brink_parse_close(brink_parser *p, brink_token_kind kind, const brink_token *open);

/* The ';' of a statement, and the end of any panic. */
void brink_parse_finish(brink_parser *p);
void brink_parse_sync(brink_parser *p);

/* Is this the end of a block, or something that can stand in none? */
bool brink_parse_at_stop(const brink_parser *p);
/* Is there more in this block? Repairs ends that are not quite right: `endif;`, or `if;` alone. */
bool brink_parse_more(brink_parser *p);
bool brink_parse_at_top(const brink_parser *p);     /* a component, function or import begins */
bool brink_parse_at_section(const brink_parser *p); /* a section of a body begins */
bool brink_parse_inside(const brink_parser *p, const char *block);
bool brink_token_is_defining(brink_token_kind kind); /* = := : ' */
bool brink_token_is_action(brink_token_kind kind);   /* negative-going, on-event, positive-going */
/* Skips what cannot be understood, to `end name;` and after it, or to the end of an open block. */
void brink_parse_skip_block(brink_parser *p, const char *name);
/* Skips the contents of a block of this rank whose beginning is missing, and its end. Returns the
 * name that stands in that end; NULL: there is none. */
const char *brink_parse_skip_headless(brink_parser *p, brink_block_rank rank);

void brink_parse_open(brink_parser *p, brink_open_block *block, const char *name,
                      brink_block_rank rank, const brink_token *at);
/* Tries to close the innermost block at a stop. False: what stood there was no end of it, has been
 * reported and removed; the block goes on. */
bool brink_parse_close_block(brink_parser *p);

/* ---- parse.c, parse_import.c ---- */

/* Reads a file and parses it; the path lives in the unit. False: it could not be read. */
bool brink_parse_file(brink_parse_session *session, brink_parser *importer, const char *path,
                      const char **reason);
void brink_parse_normalise(char *path);
void brink_parse_import(brink_parser *p);
/* A parser of a text that has been parsed: nothing is reported. */
void brink_parse_again(brink_parser *p, brink_parse_session *session, uint32_t file,
                       const brink_text_start *head);
void brink_parse_bundle(brink_parser *p);
/* parse_bundle.c: ports become signals, connections between ports connections of signals. */
void brink_parse_expand_bundles(brink_parse_session *session);
/* parse_extends.c: what components inherit becomes theirs. */
void brink_parse_inherit(brink_parse_session *session);

/* ---- the grammar ---- */

brink_ast_expr *brink_parse_expression(brink_parser *p);
brink_ast_expr *brink_parse_sum(brink_parser *p);
/* What stands in the brackets behind a name: one index, or row and column, each perhaps a slice. */
brink_ast_expr *brink_parse_index(brink_parser *p);
/* The size of a vector, or the rows and columns of a matrix (NULL: none). */
void brink_parse_sizes(brink_parser *p, brink_symbol *symbol, brink_ast_expr *size,
                       brink_ast_expr *columns); /* without relations: left-hand sides, bounds */
/* "(" [expression {"," expression}] ")" */
brink_ast_expr **brink_parse_arguments(brink_parser *p, size_t *count);

/* What a section may hold. */
enum {
  BRINK_MAY_ASSIGN = 1,
  BRINK_MAY_EQUATE = 2,
  BRINK_MAY_IF = 4,
  BRINK_MAY_FOR = 8,
  BRINK_MAY_WHEN = 16,
  BRINK_MAY_LET = 32,
  BRINK_MAY_CALL = 64, /* stop, fail, note */
  BRINK_MAY_CONNECT = 128,
  BRINK_MAY_LEAVE = 256,
  BRINK_MAY_IMPLICIT = 512, /* any left-hand side */
  BRINK_MAY_VALUE = 1024,   /* name[i] : expr; */
  BRINK_MAY_REACH = 2048,
  BRINK_MAY_GUESS = 4096,
  BRINK_MAY_RETURN = 8192,
  BRINK_ACTION = BRINK_MAY_ASSIGN | BRINK_MAY_IF | BRINK_MAY_FOR | BRINK_MAY_LET | BRINK_MAY_CALL,
};

/* Statements to the end of the innermost open block, which is closed. */
void brink_parse_statements(brink_parser *p, unsigned may, brink_ast_block *block);
brink_ast_statement *brink_parse_statement(brink_parser *p, unsigned may); /* NULL: damaged */
brink_ast_statement *brink_parse_new(brink_parser *p, brink_ast_statement_kind kind,
                                     brink_place place);
void *brink_parse_single(brink_parser *p, const void *item, size_t size); /* a list of one */
/* The word that ends a head: then, loop, do; and the end of any panic before it. */
void brink_parse_opener(brink_parser *p, const char *word);
/* elseif, elif, else_if: reported, and read as elsif. */
bool brink_parse_repair_elsif(brink_parser *p);
brink_ast_statement *brink_parse_if(brink_parser *p, unsigned may, bool headless);
/* parse_function.c: "returns" or "is", and what follows; names in parentheses that receive results. */
bool brink_parse_at_function_body(const brink_parser *p);
void brink_parse_function_body(brink_parser *p, brink_user_function *function);
bool brink_parse_at_tuple(const brink_parser *p, const brink_token *token);
brink_ast_statement *brink_parse_tuple(brink_parser *p, unsigned may, bool let);

brink_ast_statement *brink_parse_for(brink_parser *p, unsigned may);
/* "for" NAME "in" sum ".." sum "loop": the variable, the bounds, and the block that it opens. */
void brink_parse_for_head(brink_parser *p, brink_ast_statement *statement, brink_open_block *open);
brink_symbol *brink_parse_declared_name(brink_parser *p, brink_symbol_kind kind);
brink_ast_statement *brink_parse_when(brink_parser *p);
/* After a panic on this line: if it is the head of a block without its first word, reads the block. */
void brink_parse_headless(brink_parser *p, unsigned may, uint32_t line);
bool brink_parse_at_opening(const brink_parser *p); /* a word that begins a statement, or `if` */

/* One declaration; `in_interface`: input, output, knob and view belong here. */
void brink_parse_declaration(brink_parser *p, bool in_interface);
bool brink_parse_at_declaration(const brink_parser *p);
bool brink_parse_at_interface(const brink_parser *p); /* a declaration that belongs there */
void brink_parse_instances(brink_parser *p);          /* and the end of the block around them */
/* name ["[" expression "]"] ":" expression */
bool brink_parse_value(brink_parser *p, brink_ast_value *value);

/* The beginning of what stands before the components: "function f". NULL: no memory; without a name if there is none. */
brink_user_function *brink_parse_definition(brink_parser *p, const char *its_name);
/* The names of a function's arguments, in brackets; a function of the file. */
void brink_parse_parameters(brink_parser *p, brink_user_function *function);
void brink_parse_add_function(brink_parser *p, brink_user_function *function);
void brink_parse_table(brink_parser *p);
/* Does `is external` follow? Then the rest of the function, up to its semicolon. */
bool brink_parse_at_external(const brink_parser *p);
void brink_parse_external(brink_parser *p, brink_user_function *function);
void brink_parse_constant(brink_parser *p);
void brink_parse_component(brink_parser *p);
void brink_parse_event(brink_parser *p, brink_ast_event ***end);

/* parse_event.c: a loop around events. */
bool brink_parse_at_event_loop(const brink_parser *p);
void brink_parse_event_loop(brink_parser *p, brink_ast_event ***end);
void brink_parse_section_body(brink_parser *p, brink_section_kind kind, brink_ast_section *section);
void brink_parse_agents(brink_parser *p);

#endif
