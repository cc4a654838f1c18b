/* parse_support.c: tokens, names, lists, nodes. */
#include <string.h>

#include "lang/parser.h"

/* ---- tokens ---- */

void brink_parse_advance(brink_parser *p) {
  if (p->unit->out_of_memory || p->unit->too_many) brink_parse_abandon(p);
  p->previous = p->token;
  p->token = p->next;
  if (!p->abandoned) brink_lexer_next(&p->lexer, &p->next);
}

bool brink_parse_accept(brink_parser *p, brink_token_kind kind) {
  if (p->panic || p->token.kind != kind) return false;
  brink_parse_advance(p);
  return true;
}

bool brink_parse_is(const brink_parser *p, const char *word) {
  return !p->panic && brink_token_is_word(&p->token, word);
}

brink_place brink_parse_place(const brink_parser *p) {
  return brink_token_place(p->file, &p->token);
}

brink_place brink_parse_after(const brink_parser *p) {
  if (p->previous.start == NULL) return brink_parse_place(p);
  return brink_token_end(p->file, &p->previous);
}

brink_place brink_parse_span(const brink_parser *p, const brink_token *from) {
  brink_place place = brink_token_place(p->file, from);
  const brink_token *to = &p->previous;
  if (to->line == from->line && to->column > from->column)
    place.length = to->column + to->length - from->column;
  return place;
}

/* ---- names ---- */

static uint32_t hash_of(const char *text, size_t length) {
  uint64_t hash = 14695981039346656037u; /* FNV-1a, folded */
  for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
  return (uint32_t)(hash ^ hash >> 32);
}

static bool grow_names(brink_parse_session *session) {
  size_t capacity = session->names_capacity == 0 ? 256 : 2 * session->names_capacity;
  const brink_allocator *allocator = &session->unit->arena.allocator;
  brink_name_slot *names = brink_allocate(allocator, capacity, sizeof *names);
  if (names == NULL) return false;
  for (size_t i = 0; i < session->names_capacity; i++) {
    const brink_name_slot *slot = &session->names[i];
    if (slot->text == NULL) continue;
    size_t k = slot->hash & (capacity - 1);
    while (names[k].text != NULL) k = (k + 1) & (capacity - 1);
    names[k] = *slot;
  }
  brink_release(allocator, session->names, session->names_capacity, sizeof *names);
  session->names = names;
  session->names_capacity = capacity;
  return true;
}

const char *brink_parse_intern(brink_parser *p, const char *text, size_t length) {
  brink_parse_session *session = p->session;
  if (2 * session->nnames >= session->names_capacity && !grow_names(session)) {
    p->unit->out_of_memory = true;
    return "";
  }
  uint32_t hash = hash_of(text, length);
  size_t mask = session->names_capacity - 1, k = hash & mask;
  for (; session->names[k].text != NULL; k = (k + 1) & mask) {
    const brink_name_slot *slot = &session->names[k];
    if (slot->hash == hash && slot->length == length && memcmp(slot->text, text, length) == 0)
      return slot->text;
  }
  char *copy = brink_unit_take(p->unit, length + 1, 1);
  if (copy == NULL) return "";
  memcpy(copy, text, length);
  session->names[k] = (brink_name_slot){.text = copy, .length = (uint32_t)length, .hash = hash};
  session->nnames++;
  return copy;
}

const char *brink_parse_name(brink_parser *p, const brink_token *token) {
  size_t length = token->length < BRINK_NAME_LIMIT ? token->length : BRINK_NAME_LIMIT;
  return brink_parse_intern(p, token->start, length);
}

const char *brink_parse_string(brink_parser *p, const brink_token *token) {
  char *text = brink_unit_take(p->unit, (size_t)token->length + 1, 1);
  if (text == NULL) return "";
  const char *at = token->start + 1, *end = token->start + token->length;
  if (end > at && end[-1] == token->start[0]) end--;
  size_t length = 0;
  for (; at < end; at++) {
    bool escape = *at == '\\' && at + 1 < end;
    if (escape) at++;
    text[length++] = (char)(escape && *at == 'n' ? '\n' : escape && *at == 't' ? '\t' : *at);
  }
  return text;
}

/* ---- lists ---- */

size_t brink_list_begin(const brink_parser *p) {
  return p->session->scratch.length;
}

void brink_list_add(brink_parser *p, const void *item, size_t size) {
  brink_text_append(&p->session->scratch, item, size);
  if (p->session->scratch.failed) p->unit->out_of_memory = true;
}

void *brink_list_take(brink_parser *p, size_t begin, size_t size, size_t *count) {
  brink_text *scratch = &p->session->scratch;
  size_t bytes = scratch->length - begin;
  void *items = bytes > 0 ? brink_unit_take(p->unit, bytes / size, size) : NULL;
  if (items != NULL) memcpy(items, scratch->data + begin, bytes);
  *count = items != NULL ? bytes / size : 0;
  scratch->length = begin;
  return items;
}

/* ---- nodes ---- */

void brink_parse_count(brink_parser *p, brink_place place) {
  if (++p->session->nodes != BRINK_NODE_LIMIT + 1) return;
  p->quiet = 0; /* whatever is read: this must not be overlooked */
  brink_parse_panic(p, BRINK_MSG_MODEL_TOO_LARGE, place, NULL,
                    "this model is too large: more than %zu operations", BRINK_NODE_LIMIT);
  brink_parse_abandon(p);
}

brink_ast_expr *brink_parse_node(brink_parser *p, brink_ast_op op, brink_place place) {
  brink_ast_expr *expr = brink_unit_take(p->unit, 1, sizeof *expr);
  if (expr == NULL) {
    p->spare = (brink_ast_expr){.op = BRINK_AST_DAMAGED, .place = place};
    return &p->spare;
  }
  expr->op = op;
  expr->place = place;
  expr->height = 1;
  brink_parse_count(p, place);
  return expr;
}

brink_symbol *brink_parse_symbol(brink_parser *p, brink_symbol_kind kind, const brink_token *name) {
  brink_symbol *symbol = brink_unit_take(p->unit, 1, sizeof *symbol);
  if (symbol == NULL) return NULL;
  symbol->kind = kind;
  symbol->name = brink_parse_name(p, name);
  symbol->place = symbol->type_place = brink_token_place(p->file, name);
  brink_parse_count(p, symbol->place);
  return symbol;
}

void brink_parse_declare(brink_parser *p, brink_symbol *symbol) {
  if (symbol == NULL || p->symbols_end == NULL) return;
  *p->symbols_end = symbol;
  p->symbols_end = &symbol->next;
}

void brink_block_join(brink_parser *p, brink_ast_block *block, const brink_ast_block *more) {
  size_t begin = brink_list_begin(p);
  for (size_t i = 0; i < block->count; i++)
    brink_list_add(p, &block->statement[i], sizeof block->statement[i]);
  for (size_t i = 0; i < more->count; i++)
    brink_list_add(p, &more->statement[i], sizeof more->statement[i]);
  block->statement = brink_list_take(p, begin, sizeof *block->statement, &block->count);
}

/* Its room doubles whenever it is full; that follows from the number of statements. */
void brink_block_add(brink_parser *p, brink_ast_block *block, brink_ast_statement *statement) {
  if (statement == NULL) return;
  size_t count = block->count;
  bool full = count == 0 || (count >= 8 && (count & (count - 1)) == 0);
  size_t capacity = full ? count : count + 1;
  brink_ast_statement **added = brink_unit_push(p->unit, block->statement, block->count, capacity);
  if (added != NULL) *added = statement;
}

/* ---- layout ---- */

static void mark(brink_parser *p, brink_layout kind) {
  brink_unit *unit = p->unit;
  if (p->file != 0 || p->again || p->token.kind == BRINK_TOKEN_EOF) return;
  brink_layout_mark *added =
      brink_unit_push(unit, unit->layout, unit->nlayout, unit->layout_capacity);
  if (added == NULL) return;
  *added = (brink_layout_mark){.offset = (uint32_t)(p->token.start - unit->files[0].text),
                               .depth = (uint16_t)p->indent,
                               .kind = (uint16_t)kind};
}

void brink_parse_line(brink_parser *p) {
  mark(p, BRINK_LAYOUT_LINE);
}

void brink_parse_keyword(brink_parser *p) {
  for (uint32_t i = 0; i < p->token.length; i++) {
    if (p->token.start[i] < 'A' || p->token.start[i] > 'Z') continue;
    mark(p, BRINK_LAYOUT_LOWER);
    break;
  }
  brink_parse_advance(p);
}

void brink_parse_spaced_keyword(brink_parser *p) {
  mark(p, BRINK_LAYOUT_SPACE);
  brink_parse_keyword(p);
}
