/* page.c: one self-contained page with every experiment: figures, tables, choices, sources. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/lab.h"

static const char style[] =
    ":root{color-scheme:light dark;--back:#fbfaf7;--card:#fff;--ink:#1d2126;--dim:#626a73;"
    "--line:#dcdad3;--grid:#ebe9e3;--good:#1a7f4b;--bad:#c62b2b;--warn:#9a6400;"
    "--c0:#2563b8;--c1:#d5541c;--c2:#2e8b57;--c3:#8a4fbf;--c4:#b8860b;--c5:#0f8b9d;--c6:#c2377f;"
    "--c7:#5b6470}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#15181c;--card:#1c2026;--ink:#e4e7eb;"
    "--dim:#98a1ab;--line:#343a42;--grid:#272c33;--good:#5bc98c;--bad:#ff7b72;--warn:#e0b04c;"
    "--c0:#6ea8ff;--c1:#ff925c;--c2:#63cf95;--c3:#c79bf2;--c4:#e6bf57;--c5:#55c7d6;--c6:#f285b8;"
    "--c7:#a7b0bb}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--back);color:var(--ink);font:16px/1.55 system-ui,sans-serif}\n"
    "main,header{max-width:1200px;margin:0 auto;padding:0 20px}\n"
    "header{padding-top:36px}h1{margin:0 0 6px;font-size:28px;line-height:1.2}\n"
    "h2{margin:0;font-size:22px;line-height:1.3}h3{margin:26px 0 8px;font-size:16px}\n"
    "p{max-width:78ch;margin:8px 0}a{color:var(--c0)}.dim,figcaption{color:var(--dim)}\n"
    "section{background:var(--card);border:1px solid var(--line);border-radius:10px;"
    "padding:22px 24px 26px;margin:26px 0}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:15px;width:100%}\n"
    "table.data{width:auto}.data th{white-space:normal;vertical-align:bottom;max-width:16ch}"
    ".data td{white-space:nowrap}.tall{max-height:520px;overflow-y:auto;border:1px solid "
    "var(--grid);border-radius:6px;padding-left:10px}.tall th{position:sticky;top:0;"
    "background:var(--card)}\n"
    "th{text-align:left;font-weight:600;color:var(--dim);white-space:nowrap}\n"
    "th,td{padding:5px 16px 5px 0;border-bottom:1px solid var(--grid);vertical-align:top}\n"
    ".number{text-align:right;font-variant-numeric:tabular-nums}\n"
    ".because{display:block;color:var(--dim);font-size:14px;max-width:70ch}\n"
    ".verdict{white-space:nowrap;font-weight:600}.verdict.matches,.verdict.corrected{"
    "color:var(--good)}.verdict.differs{color:var(--bad)}.verdict.open,.verdict.refuted{color:var(-"
    "-warn)}"
    ".verdict.not{color:var(--dim);font-weight:400}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,420px),1fr));"
    "gap:22px 26px;align-items:start}\n"
    "figure{margin:14px 0 0;min-width:0}figure.wide{grid-column:1/-1}\n"
    "figure b{display:block;font-size:15px;margin-bottom:4px}figcaption{font-size:14px;"
    "max-width:70ch}\n"
    "figure>svg{display:block;width:100%;height:auto;overflow:visible}\n"
    "figure.wide{overflow-x:auto}figure.wide>svg{min-width:560px}\n"
    ".legend{list-style:none;margin:0 0 4px;padding:0;display:flex;flex-wrap:wrap;gap:0 18px;"
    "font-size:14px}.legend li{display:flex;align-items:center;gap:7px}"
    ".swatch{width:26px;height:12px;flex:none}\n"
    "svg text{font-family:system-ui,sans-serif}.tick{font-size:12px;fill:var(--dim)}"
    ".label{font-size:13px;fill:var(--ink)}.mark{font-size:12px}\n"
    ".grid{stroke:var(--grid);fill:none}.axis{stroke:var(--dim);fill:none}\n"
    ".line{fill:none;stroke-width:1.6;stroke-linejoin:round}.dashed{stroke-dasharray:6 4}"
    ".points{fill:none;stroke-linecap:round}.bar{opacity:.85}.bar,.mark{stroke:none;"
    "fill:var(--colour)}.line,.points{stroke:var(--colour)}\n"
    ".c0{--colour:var(--c0)}.c1{--colour:var(--c1)}.c2{--colour:var(--c2)}.c3{--colour:var(--c3)}"
    ".c4{--colour:var(--c4)}.c5{--colour:var(--c5)}.c6{--colour:var(--c6)}.c7{--colour:var(--c7)}\n"
    "pre{overflow-x:auto;font:13px/1.5 ui-monospace,monospace;background:var(--back);"
    "border:1px solid var(--line);border-radius:6px;padding:12px 14px}\n"
    "details{margin-top:10px}summary{cursor:pointer}\n"
    "ul.notes{padding-left:20px;margin:6px 0}ul.notes li{max-width:78ch;margin:4px 0}\n"
    "@media(max-width:600px){main,header{padding-left:12px;padding-right:12px}section{padding:16px "
    "14px 20px;border-radius:8px}h1{font-size:23px}h2{font-size:19px}"
    ".tick{font-size:17px}.label,.mark{font-size:18px}"
    ".results thead{display:none}.results tr{display:grid;grid-template-columns:1fr auto;"
    "column-gap:12px;padding:8px 0;border-bottom:1px solid var(--grid)}.results td{border:0;"
    "padding:0}.results td:first-child{grid-column:1/-1}.results td[data-as]{grid-column:1}"
    ".results td[data-as]::before{content:attr(data-as)\": \";color:var(--dim)}"
    ".results .verdict{grid-column:2;grid-row:2}}\n";

void brink_page_text(brink_text *text, const char *words) {
  for (; *words != '\0'; words++) {
    size_t plain = strcspn(words, "<>&\"");
    brink_text_append(text, words, plain);
    words += plain;
    if (*words == '\0') return;
    brink_text_add(text, *words == '<'   ? "&lt;"
                         : *words == '>' ? "&gt;"
                         : *words == '&' ? "&amp;"
                                         : "&quot;");
  }
}

/* An element with words in it; `class` "": none. */
static void add_element(brink_text *text, const char *tag, const char *class, const char *words) {
  if (class[0] != '\0')
    brink_text_add(text, "<%s class=\"%s\">", tag, class);
  else
    brink_text_add(text, "<%s>", tag);
  brink_page_text(text, words);
  brink_text_add(text, "</%s>", tag);
}

/* ---- pieces of an experiment ---- */

static void add_comparisons(brink_text *text, const brink_lab *lab) {
  if (lab->ncomparisons == 0) return;
  brink_text_add(
      text,
      "<div class=\"scroll\"><table class=\"results\"><thead><tr><th>what<th>published<th>ours"
      "<th>verdict</thead><tbody>\n");
  for (size_t k = 0; k < lab->ncomparisons; k++) {
    const brink_comparison *c = &lab->comparisons[k];
    const char *verdict = brink_verdict_text(c->verdict);
    brink_text_add(text, "<tr><td>");
    brink_page_text(text, c->what);
    if (c->because[0] != '\0') add_element(text, "span", "because", c->because);
    brink_text_add(text, "<td data-as=\"published\">");
    brink_page_text(text, c->published[0] != '\0' ? c->published : "—");
    brink_text_add(text, "<td data-as=\"ours\">");
    brink_page_text(text, c->ours);
    brink_text_add(text, "<td class=\"verdict %s\">%s\n", verdict, verdict);
  }
  brink_text_add(text, "</tbody></table></div>\n");
}

static void add_figures(brink_text *text, const brink_lab *lab, size_t *id) {
  if (lab->nfigures == 0) return;
  brink_text_add(text, "<div class=\"figures\">\n");
  for (size_t k = 0; k < lab->nfigures; k++) {
    const brink_figure *figure = lab->figures[k];
    brink_text_add(text, "<figure%s>", figure->def.wide ? " class=\"wide\"" : "");
    add_element(text, "b", "", figure->def.title);
    brink_figure_legend(figure, text);
    brink_figure_draw(figure, (*id)++, text);
    if (figure->def.caption[0] != '\0') add_element(text, "figcaption", "", figure->def.caption);
    brink_text_add(text, "</figure>\n");
  }
  brink_text_add(text, "</div>\n");
}

enum { TALL = 16 }; /* rows; tables with more scroll */

static bool is_number(const char *cell) {
  char *end;
  if (cell[0] == '\0' || strcmp(cell, "—") == 0) return true;
  strtod(cell, &end);
  while (isspace((unsigned char)*end) || *end == '%') end++;
  return end != cell && *end == '\0';
}

static bool is_numeric(const brink_table *table, size_t column) {
  for (size_t k = column; k < table->ncells; k += table->ncolumns) {
    if (!is_number(table->cells[k])) return false;
  }
  return table->ncells > column;
}

static void add_table(brink_text *text, const brink_table *table) {
  add_element(text, "h3", "", table->title);
  bool tall = table->ncells > TALL * table->ncolumns;
  brink_text_add(text, "\n<div class=\"scroll%s\"><table class=\"data\"><thead><tr>",
                 tall ? " tall\" tabindex=\"0" : "");
  for (size_t k = 0; k < table->ncolumns; k++)
    add_element(text, "th", is_numeric(table, k) ? "number" : "", table->columns[k]);
  brink_text_add(text, "</thead><tbody>\n");
  for (size_t k = 0; k < table->ncells; k++) {
    size_t column = k % table->ncolumns;
    if (column == 0) brink_text_add(text, "<tr>");
    add_element(text, "td", is_numeric(table, column) ? "number" : "", table->cells[k]);
    if (column + 1 == table->ncolumns) brink_text_add(text, "\n");
  }
  brink_text_add(text, "</tbody></table></div>\n");
}

static void add_notes(brink_text *text, const brink_lab *lab) {
  if (lab->notes.count == 0) return;
  brink_text_add(text, "<h3>What the paper leaves open</h3>\n<ul class=\"notes\">\n");
  for (size_t k = 0; k < lab->notes.count; k++) {
    add_element(text, "li", "", lab->notes.items[k]);
    brink_text_add(text, "\n");
  }
  brink_text_add(text, "</ul>\n");
}

static void add_sources(brink_text *text, const brink_lab *lab) {
  for (size_t k = 0; k < lab->sources.count; k++) {
    const char *path = lab->sources.items[k], *source = brink_lab_text(path);
    if (source == NULL) continue;
    brink_text_add(text, "<details><summary>");
    brink_page_text(text, path);
    brink_text_add(text, "</summary>");
    add_element(text, "pre", "", source);
    brink_text_add(text, "</details>\n");
  }
}

static void add_experiment(brink_text *text, const brink_lab *lab, size_t *id) {
  brink_text_add(text, "<section id=\"%s\">", lab->experiment->name);
  add_element(text, "h2", "", lab->experiment->title);
  brink_text_add(text, "\n<p class=\"dim\">");
  brink_page_text(text, lab->experiment->paper);
  brink_text_add(text, " · <code>brink reproduce %s</code></p>\n", lab->experiment->name);
  for (size_t k = 0; k < lab->paragraphs.count; k++) {
    add_element(text, "p", "", lab->paragraphs.items[k]);
    brink_text_add(text, "\n");
  }
  add_comparisons(text, lab);
  add_figures(text, lab, id);
  for (size_t k = 0; k < lab->ntables; k++) add_table(text, lab->tables[k]);
  add_notes(text, lab);
  add_sources(text, lab);
  brink_text_add(text, "</section>\n");
}

/* ---- the page ---- */

static void add_contents(brink_text *text, brink_lab *const *labs, size_t count) {
  brink_text_add(text, "<div class=\"scroll\"><table><thead><tr><th>experiment<th>paper"
                       "<th>verdicts</thead><tbody>\n");
  for (size_t k = 0; k < count; k++) {
    const brink_experiment *e = labs[k]->experiment;
    brink_text_add(text, "<tr><td><a href=\"#%s\">", e->name);
    brink_page_text(text, e->title);
    brink_text_add(text, "</a><td>");
    brink_page_text(text, e->paper);
    brink_text_add(text, "<td>");
    const char *between = "";
    for (int v = BRINK_MATCHES; v <= BRINK_DIFFERS; v++) {
      size_t n = brink_lab_count(labs[k], (brink_verdict)v);
      if (n == 0) continue;
      const char *word = brink_verdict_text((brink_verdict)v);
      brink_text_add(text, "%s<span class=\"verdict %s\">%zu %s</span>", between, word, n, word);
      between = ", ";
    }
    brink_text_add(text, "\n");
  }
  brink_text_add(text, "</tbody></table></div>\n");
}

static void add_meanings(brink_text *text) {
  static const char *const meanings[] = {
#define MEANING(name, words, meaning) [name] = meaning,
      BRINK_VERDICT_LIST(MEANING)
#undef MEANING
  };
  brink_text_add(text, "<p class=\"dim\">");
  for (int v = BRINK_MATCHES; v <= BRINK_DIFFERS; v++) {
    const char *word = brink_verdict_text((brink_verdict)v);
    brink_text_add(text, "<span class=\"verdict %s\">%s</span>: %s%s", word, word, meanings[v],
                   v < BRINK_DIFFERS ? "; " : ".</p>\n");
  }
}

void brink_lab_page(brink_lab *const *labs, size_t count, const brink_lab_options *options,
                    brink_text *text) {
  size_t id = 0;
  brink_text_add(text,
                 "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                 "<title>The papers, reproduced</title>\n<style>\n%s</style></head><body>\n",
                 style);
  brink_text_add(text,
                 "<header><h1>The papers, reproduced</h1>\n<p class=\"dim\">Published experiments "
                 "on the simulation of hybrid systems, run again by Brink %s. Seed %llu",
                 brink_version(), (unsigned long long)options->seed);
  if (options->repetitions > 0)
    brink_text_add(text, "; %zu repetitions instead of the published numbers",
                   options->repetitions);
  brink_text_add(text, ".</p>\n");
  add_contents(text, labs, count);
  add_meanings(text);
  brink_text_add(text, "</header>\n<main>\n");
  for (size_t k = 0; k < count; k++) add_experiment(text, labs[k], &id);
  brink_text_add(text, "</main></body></html>\n");
}
