/* structures.c: which constraints held when, and their impulses. */
#include "expr/structure.h"
#include "record/record.h"

enum { INDICES = 3 }; /* structures that a person is shown: the first, and two changes */

/* [["w1","w2"],…]: states that invariants tie together. */
static void write_tied(const brink_journal *journal, const brink_structure *structure,
                       brink_text *text) {
  brink_text name = {.allocator = text->allocator};
  brink_text_add(text, "[");
  bool known = structure->group != NULL && structure->tied != NULL;
  for (size_t g = 0; known && g < structure->ngroups; g++) {
    brink_text_add(text, "%s[", g > 0 ? "," : "");
    for (size_t k = structure->group[g]; k < structure->group[g + 1]; k++) {
      name.length = 0;
      brink_structure_slot_text(journal->columns->system, (uint32_t)structure->tied[k], &name);
      if (k > structure->group[g]) brink_text_add(text, ",");
      brink_json_string(text, name.data != NULL ? name.data : "");
    }
    brink_text_add(text, "]");
  }
  brink_text_add(text, "]");
  text->failed = text->failed || name.failed;
  brink_text_free(&name);
}

static void write_json(brink_journal *journal, const brink_structure_span *span) {
  brink_text *text = &journal->structures;
  brink_text_add(text, "%s{\"from\":", text->length > 0 ? ",\n  " : "\n  ");
  const brink_system *system = journal->columns->system;
  brink_json_real(text, brink_system_time(system, system->backward ? span->to : span->from));
  brink_text_add(text, ",\"to\":");
  brink_json_real(text, brink_system_time(system, system->backward ? span->from : span->to));
  brink_text_add(text,
                 ",\"index\":%d,\"free\":%zu,\"states\":%zu,\"tied\":", span->structure->index,
                 span->nfree, span->nstates);
  write_tied(journal, span->structure, text);
  brink_text_add(text, "}");
  journal->failed = journal->failed || text->failed;
}

/* "index 1, 2 of 2 states free; from t = 5.41 index 2, 1 of 2 free" */
static void write_words(brink_journal *journal, const brink_structure_span *span) {
  brink_text *text = &journal->indices;
  if (journal->nstructures == 0)
    brink_text_add(text, "index %d, %zu of %zu states free", span->structure->index, span->nfree,
                   span->nstates);
  else
    brink_text_add(text, "; from t = %.6g index %d, %zu of %zu free",
                   brink_system_time(journal->columns->system, span->from), span->structure->index,
                   span->nfree, span->nstates);
  journal->failed = journal->failed || text->failed;
}

static void write_first(brink_journal *journal) {
  if (journal->nspans == 0) return;
  const brink_structure_span *span = &journal->span[0];
  if (journal->nstructures < INDICES) write_words(journal, span);
  journal->nstructures++;
  if (journal->json || journal->nstructures <= journal->listed) write_json(journal, span);
  journal->span[0] = journal->span[1];
  journal->nspans--;
}

void brink_journal_write_structure(brink_journal *journal) {
  if (journal->nspans == 2) write_first(journal);
}

void brink_journal_structure(brink_journal *journal, const brink_structure_record *record) {
  brink_structure_span next = {.from = record->t,
                               .to = record->t,
                               .structure = record->structure,
                               .nstates = record->nstates,
                               .nfree = record->nfree};
  brink_structure_span *last = journal->nspans > 0 ? &journal->span[journal->nspans - 1] : NULL;
  if (last != NULL && last->from == record->t) { /* the second one of this instant */
    bool back =
        journal->nspans == 2 && journal->span[0].structure->choice == record->structure->choice;
    journal->nspans -= back;
    if (!back) *last = next;
    return;
  }
  if (last != NULL) last->to = record->t;
  if (journal->nspans == 2) write_first(journal);
  journal->span[journal->nspans++] = next;
}

void brink_journal_end_structures(brink_journal *journal, double t) {
  if (journal->nspans == 0) return;
  journal->span[journal->nspans - 1].to = t;
  while (journal->nspans > 0) write_first(journal);
  if (journal->nstructures > INDICES)
    brink_text_add(&journal->indices, "; and %zu more change%s", journal->nstructures - INDICES,
                   journal->nstructures - INDICES == 1 ? "" : "s");
}

void brink_journal_impulses(const brink_journal *journal, brink_text *text) {
  const brink_system *system = journal->columns->system;
  brink_text name = {.allocator = text->allocator};
  bool first = true;
  brink_text_add(text, "{");
  for (size_t k = 0; k < system->nz; k++) {
    if (journal->impulse[k] == 0.0) continue;
    name.length = 0;
    brink_structure_slot_text(system, (uint32_t)(system->nx - system->nz + k), &name);
    if (!first) brink_text_add(text, ",");
    first = false;
    brink_json_string(text, name.data != NULL ? name.data : "");
    brink_text_add(text, ":");
    brink_json_real(text, journal->impulse[k]);
  }
  brink_text_add(text, "}");
  text->failed = text->failed || name.failed;
  brink_text_free(&name);
}
