/* waiting.c: the picture of --waiting: which rank computes when, and which it waits for. */
#include "cli/run.h"
#include "run/ranks.h"

enum { LEFT = 70, WIDTH = 780, TOP = 40, ROW = 34, BAR = 24, THIN = 6, MOST = 60 };

static const char *const colours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                      "#66ccee", "#aa3377", "#997700", "#555555"};

static const char *colour_of(size_t rank) {
  return colours[rank % (sizeof colours / sizeof *colours)];
}

/* ---- bars ---- */

typedef struct scale {
  double from, per_second; /* seconds; units of the picture */
} scale;

static void bar(brink_text *svg, const scale *s, double from, double to, double y, double height,
                const char *colour, double opacity) {
  if (!(to > from)) return;
  brink_text_add(svg,
                 "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" "
                 "opacity=\"%.2g\"/>\n",
                 LEFT + (from - s->from) * s->per_second, y, (to - from) * s->per_second, height,
                 colour, opacity);
}

/* A rank in one round: it computes; it waits for others; rank 0 tells, and the others wait for it. */
static void draw_span(brink_text *svg, const scale *s, const brink_domain_span *span, size_t rank) {
  double y = TOP + (double)rank * ROW, middle = y + 0.5 * (BAR - THIN);
  bar(svg, s, span->begin, span->computed, y, BAR, colour_of(rank), span->refused ? 0.35 : 1.0);
  if (span->waited_for != rank)
    bar(svg, s, span->computed, span->heard, middle, THIN, colour_of(span->waited_for), 1.0);
  if (rank == 0)
    bar(svg, s, span->heard, span->told, y, BAR, colour_of(0), 0.7);
  else
    bar(svg, s, span->heard, span->told, middle, THIN, colour_of(0), 1.0);
}

/* ---- words ---- */

/* The rank for which this one has waited longest, and how long for all. */
static size_t longest(const brink_domain_stats *stats, size_t rank, double *sum) {
  const double *waited = stats->waited + rank * stats->ranks;
  size_t most = rank == 0 && stats->ranks > 1 ? 1 : 0;
  *sum = 0.0;
  for (size_t r = 0; r < stats->ranks; r++) {
    *sum += waited[r];
    if (r != rank && waited[r] > waited[most]) most = r;
  }
  return most;
}

static void write_words(brink_text *svg, const brink_domain_stats *stats, size_t shown) {
  double y = TOP + (double)stats->ranks * ROW + 16.0;
  double twice =
      stats->turns > 0 ? (double)(stats->turns + stats->halo_turns) / (double)stats->turns : 1.0;
  brink_text_add(
      svg,
      "<text x=\"%d\" y=\"%.0f\">Thick: computes a round (pale: in vain; rank 0, less pale: "
      "tells). Thin: waits for the rank of this colour.</text>\n",
      LEFT, y);
  brink_text_add(
      svg,
      "<text x=\"%d\" y=\"%.0f\">%lld rounds, of which %lld were refused; %.2f turns were "
      "computed for each that counts. Shown: rounds %zu to %zu.</text>\n",
      LEFT, y + 20.0, (long long)stats->rounds, (long long)stats->refused, twice,
      stats->nspans - shown + 1, stats->nspans);
  for (size_t r = 0; r < stats->ranks; r++) {
    double sum;
    size_t most = longest(stats, r, &sum);
    brink_text_add(svg,
                   "<text x=\"%d\" y=\"%.0f\" fill=\"%s\">rank %zu: computed %.3g s (of the "
                   "processor), waited %.3g s, longest for rank %zu: %.3g s</text>\n",
                   LEFT, y + 44.0 + 18.0 * (double)r, colour_of(r), r, stats->computing[r], sum,
                   most, stats->waited[r * stats->ranks + most]);
  }
}

/* ---- the picture ---- */

static void draw(const brink_domain_stats *stats, brink_text *svg) {
  size_t shown = stats->nspans < MOST ? stats->nspans : MOST, first = stats->nspans - shown;
  const brink_domain_span *spans = stats->spans + first * stats->ranks;
  double height = TOP + (double)stats->ranks * (ROW + 18.0) + 80.0;
  scale s = {.per_second = 1.0};
  if (shown > 0) {
    s.from = spans[0].begin;
    s.per_second = WIDTH / (spans[(shown - 1) * stats->ranks].told - s.from);
  }
  brink_text_add(svg,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
                 "font-family=\"sans-serif\" font-size=\"13\">\n"
                 "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                 LEFT + WIDTH + 10, height);
  if (shown > 0)
    brink_text_add(svg,
                   "<text x=\"%d\" y=\"26\">Who waits for whom: %.3g s, up to t = %.6g</text>\n",
                   LEFT, WIDTH / s.per_second, spans[(shown - 1) * stats->ranks].t);
  for (size_t r = 0; r < stats->ranks; r++) {
    brink_text_add(svg, "<text x=\"4\" y=\"%.0f\" fill=\"%s\">rank %zu</text>\n",
                   TOP + (double)r * ROW + 17.0, colour_of(r), r);
    for (size_t k = 0; k < shown; k++) draw_span(svg, &s, &spans[k * stats->ranks + r], r);
  }
  write_words(svg, stats, shown);
  brink_text_add(svg, "</svg>\n");
}

int cli_waiting_draw(const cli_simulation *sim) {
  brink_domain_stats stats;
  brink_text svg = {0};
  cli_output output;
  int outcome = CLI_FILE;
  if (sim->settings.waiting == NULL) return CLI_OK;
  if (!brink_run_rank_statistics(sim->run, &stats)) {
    cli_say("--waiting: there is nothing to draw: one process has made the run");
    return CLI_OK;
  }
  draw(&stats, &svg);
  if (svg.failed) {
    cli_say("out of memory");
    outcome = CLI_NUMERICS;
  } else if (cli_output_open(&output, sim->settings.waiting)) {
    cli_output_write(svg.data, svg.length, &output);
    outcome = cli_output_close(&output);
  }
  brink_text_free(&svg);
  return outcome;
}
