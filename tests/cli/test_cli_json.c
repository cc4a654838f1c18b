/* Events in the JSON summary: of a small model with the whole state, of a large one with what changed. */
#include "check.h"
#include "support/program.h"

#define brink(...) program_run(BRINK_PROGRAM, __VA_ARGS__)

/* n neurons: v' = i/10 + 1.2 - v, which reaches 1 at log(a/(a - 1)), a = i/10 + 1.2; a counter, held; a mode. */
static void write_neurons(size_t n) {
  char text[2048];
  snprintf(text, sizeof text,
           "ctc Neuron is interface knob(a); end interface; body\n"
           "declarations state(v, real); state(spikes, integer); mode(m, {\"new\", \"used\"});\n"
           "  parameter(a, real); flag(fire); end declarations;\n"
           "initial v := 0.0; spikes := 0; m := \"new\"; end initial;\n"
           "dynamics v' = a - v; fire = v - 1.0; end dynamics;\n"
           "event(fire) positive-going v := 0.0; spikes := spikes + 1; m := \"used\";\n"
           "end positive-going; end event;\n"
           "assignments a : 2.0; end assignments;\n"
           "end body; end Neuron;\n"
           "system Net is body components n[%zu] : Neuron; end components;\n"
           "initial for i in 1..%zu loop n[i].a := i/10 + 1.2; end loop; end initial;\n"
           "simulation until : 0.6; tolerance : 1e-10; end simulation; end body; end Net;\n",
           n, n);
  write_file("net.hsml", text);
}

static size_t size_of(const json *object) {
  size_t count = 0;
  for (const json *e = json_at(object, 0); e != NULL; e = e->next) count++;
  return count;
}

static const json *get(const json *event, const char *key, const char *name) {
  return json_member(json_member(event, key), name);
}

TEST(an_event_of_a_small_model_has_the_whole_state) {
  write_neurons(10);
  outcome o = brink("run net.hsml --json --interpret --until 0.7");
  CHECK_EXIT(o, 0);
  const json *event = json_at(json_member(o.summary, "events"), 0); /* of n[10], a = 2.2 */
  CHECK_INT(size_of(json_member(event, "state")), 20);
  CHECK_INT(size_of(json_member(event, "after")), 30);
  CHECK_INT(size_of(json_member(event, "changed")), 3);
  CHECK_NEAR(json_member(event, "t")->number, 0.6061358035703156, 1e-9);
  done(&o);
}

TEST(an_event_of_a_large_model_has_what_changed) {
  write_neurons(40);
  outcome o = brink("run net.hsml --json --interpret");
  outcome all = brink("run net.hsml --json-states --interpret");
  CHECK_EXIT(o, 0);
  CHECK_EXIT(all, 0);
  const json *event = json_at(json_member(o.summary, "events"), 0);
  const json *whole = json_at(json_member(all.summary, "events"), 0);
  size_t count = size_of(json_member(o.summary, "events"));
  CHECK_INT(count, size_of(json_member(all.summary, "events")));
  CHECK(count > 30);
  /* The first is the one with the largest current: log(5.2/4.2). */
  CHECK(strcmp(json_member(event, "flag")->text, "n[40].fire") == 0);
  CHECK_NEAR(json_member(event, "t")->number, 0.21357410029805904, 1e-9);
  CHECK_NEAR(get(event, "state", "n[40].v")->number, 1.0, 1e-9);
  CHECK_NEAR(get(event, "after", "n[40].v")->number, 0.0, 0.0);
  CHECK(strcmp(get(event, "after", "n[40].m")->text, "used") == 0);
  for (; event != NULL; event = event->next, whole = whole->next) {
    CHECK_INT(size_of(json_member(whole, "state")), 80);
    CHECK_INT(size_of(json_member(whole, "after")), 120);
    size_t changed = size_of(json_member(event, "changed"));
    CHECK(changed == 2 || changed == 3); /* the mode only the first time */
    CHECK_INT(size_of(json_member(event, "state")), 2);
    CHECK_INT(size_of(json_member(event, "after")), changed);
    for (const json *one = json_at(json_member(event, "after"), 0); one != NULL; one = one->next) {
      const json *same = get(whole, "after", one->key);
      CHECK(same != NULL && same->kind == one->kind && same->number == one->number);
    }
  }
  done(&o);
  done(&all);
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(an_event_of_a_small_model_has_the_whole_state);
  RUN(an_event_of_a_large_model_has_what_changed);
  program_leave(folder);
  return check_done();
}
