/* Texts that others wrote reach the terminal only as something that can be seen: no control character, no line that is not
 * ours. And names of models that mean something to a C compiler. */
#include "check.h"
#include "support/program.h"

#include <stdbool.h>
#include <stdlib.h>

static const char model[] =
    "ctc Tank is\n"
    "  interface input(u, signal); output(y, signal); knob(k); end interface;\n"
    "  body\n"
    "    declarations\n"
    "      state(x, real); parameter(k, real); mode(phase, {\"a\\nforged: line\", \"b\\nforged: "
    "c\"});\n"
    "      flag(f);\n"
    "    end declarations;\n"
    "    initial x := 0.0; phase := \"a\\nforged: line\"; end initial;\n"
    "    dynamics x' = k*u; f = x - 0.5; end dynamics;\n"
    "    output y = x; end output;\n"
    "    event(f)\n"
    "      positive-going\n"
    "        phase := \"b\\nforged: c\"; note(\"n\\nforged: note\", x); stop(\"over\\nforged: "
    "stop\");\n"
    "      end positive-going;\n"
    "    end event;\n"
    "    assignments u : 1.0; k : 1.0; end assignments;\n"
    "  end body;\n"
    "end Tank;\n";

/* ESC, BEL, CSI of one byte (UTF-8 and raw), an override of direction, a line of its own. */
#define NASTY "n\x1b[31m\a\xc2\x9b\x9b\xe2\x80\xae\nforged: x"

/* Is there anything that a terminal obeys, or a line that begins with "forged"? */
static bool is_clean(const char *text) {
  if (strncmp(text, "forged", 6) == 0 || strstr(text, "\nforged") != NULL) return false;
  if (strstr(text, "\xc2\x9b") != NULL || strstr(text, "\xe2\x80\xae") != NULL) return false;
  for (const char *c = text; *c != '\0'; c++) {
    bool control = ((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f;
    bool lonely = (unsigned char)*c == 0x9b && (c == text || (unsigned char)c[-1] < 0x80);
    if (control || lonely) return false;
  }
  return true;
}

static outcome check_clean(const char *arguments) {
  outcome o = program_run(BRINK_PROGRAM, "%s", arguments);
  CHECK_MSG(is_clean(o.err), "%s: standard error: %s", arguments, o.err);
  CHECK_MSG(is_clean(o.out), "%s: standard output: %s", arguments, o.out);
  return o;
}

TEST(file_names_are_shown_escaped) {
  write_file("m.hsml", model);
  write_file(NASTY ".hsml", model);
  static const char *const commands[] = {
      "run '" NASTY "'",
      "run '" NASTY ".hsml' --until",
      "run '" NASTY ".hsml' --until 1 --out '" NASTY ".csv' --report '" NASTY ".html'",
      "run m.hsml --until 1 --out '/nowhere/" NASTY ".csv'",
      "run m.hsml --until 1 --out '" NASTY "'",
      "run m.hsml --until 1 --input '" NASTY "'",
      "run m.hsml --until 1 --resume '" NASTY "'",
      "run m.hsml --until 1 --set '" NASTY "=1'",
      "run m.hsml --until 1 --set 'k=" NASTY "'",
      "run m.hsml --until '" NASTY "'",
      "run m.hsml --until 1 --plot '" NASTY "'",
      "run m.hsml --until 1 --keep '" NASTY "'",
      "run m.hsml --top '" NASTY "'",
      "run m.hsml '--" NASTY "'",
      "'" NASTY "'",
      "help '" NASTY "'",
      "check '" NASTY "'",
      "fmt '" NASTY "'",
      "new '/nowhere/" NASTY "'",
      "sweep m.hsml --until 1 --vary k=1,2 --out '" NASTY ".csv'",
      "sweep m.hsml --until 1 --vary '" NASTY "'",
      "sweep m.hsml --until 1 --design '" NASTY ".csv'",
      "fit m.hsml --vary k=0:9 --data '" NASTY ".csv'",
      "reproduce '" NASTY "'"};
  for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
    outcome o = check_clean(commands[k]);
    done(&o);
  }
}

TEST(cells_and_columns_are_shown_escaped) {
  write_file("m.hsml", model);
  static const char *const tables[] = {
      "time,u\n0,1\n1,\"" NASTY "\"\n",    "time,u,\"" NASTY "\"\n0,1,1\n",
      "\"" NASTY "\",u\n0,1\n0,2\n-1,1\n", "time,\"" NASTY "\"\n0,1\n",
      "time,\"u [" NASTY "]\"\n0,1\n",     "time,u\n\"" NASTY "\",1\n"};
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
    write_file("t.csv", tables[k]);
    static const char *const commands[] = {
        "run m.hsml --until 1 --input t.csv", "fit m.hsml --vary k=0:9 --data t.csv",
        "fit m.hsml --vary k=0:9 --event-times t.csv", "sweep m.hsml --until 1 --design t.csv"};
    for (size_t n = 0; n < sizeof commands / sizeof *commands; n++) {
      outcome o = check_clean(commands[n]);
      done(&o);
    }
  }
}

TEST(strings_of_a_model_forge_no_lines) {
  write_file("m.hsml", model);
  outcome o = check_clean("run m.hsml --until 1");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "over\\nforged: stop");
  CHECK_CONTAINS(o.out, "b\\nforged: c");
  done(&o);
  o = check_clean("run m.hsml --until 1 --json");
  CHECK_EXIT(o, 0);
  done(&o);
}

TEST(strings_of_a_model_hold_no_control_characters) {
  static const char *const bad[] = {"\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\xa8"};
  static const char *const words[] = {"U+009b", "U+202e", "U+2066", "U+2028"};
  char text[400];
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    snprintf(text, sizeof text,
             "ctc A is body declarations state(x, real); mode(m, {\"a%sb\"}); end declarations; "
             "initial x := 0.0; end initial; dynamics x' = 1.0; end dynamics; end body; end A;\n",
             bad[k]);
    write_file("bad.hsml", text);
    outcome o = check_clean("check bad.hsml");
    CHECK_EXIT(o, 3);
    CHECK_CONTAINS(o.err, words[k]);
    done(&o);
  }
  /* Letters of all languages stay. */
  write_file("good.hsml", "ctc A is body declarations state(x, real); mode(m, {\"h\xc3\xb6her "
                          "\xd7\xa9 \xe6\xb0\xb4\"}); end declarations; initial x := 0.0; m := "
                          "\"h\xc3\xb6her \xd7\xa9 \xe6\xb0\xb4\"; end initial; dynamics x' = 1.0; "
                          "end dynamics; end body; end A;\n");
  outcome o = check_clean("run good.hsml --until 1");
  CHECK_EXIT(o, 0);
  CHECK_CONTAINS(o.out, "h\xc3\xb6her \xd7\xa9 \xe6\xb0\xb4");
  done(&o);
}

/* ---- names that mean something to C ---- */

TEST(generated_c_compiles_whatever_the_names_are) {
  static const char *const names[] = {
      "_2",   "__3",   "_",        "linux",  "unix", "i386",    "class", "new",  "this",
      "NULL", "errno", "main",     "int",    "asm",  "wchar_t", "or_eq", "bool", "defined",
      "EOF",  "_Bool", "__LINE__", "static", "u32",  "x86",     "value", "a3"};
  char text[2000];
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    const char *n = names[k];
    snprintf(text, sizeof text,
             "ctc A is\n  interface input(%s_u, signal); end interface;\n  body\n"
             "    declarations state(%s, real); state(%s_q, real); flag(f); end declarations;\n"
             "    initial %s := 1.0; %s_q := 0.0; end initial;\n"
             "    dynamics %s' = -sin(%s) + %s_q*%s; %s_q' = %s*%s + %s_u; f = %s - %s_q*%s; end "
             "dynamics;\n    assignments %s_u : 1.0; end assignments;\n  end body;\nend A;\n",
             n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n);
    write_file("named.hsml", text);
    outcome o = program_run(BRINK_PROGRAM, "emit named.hsml >named.c");
    CHECK_MSG(o.exit == 0, "%s: %s", n, o.err);
    if (o.exit == 0) {
      CHECK_MSG(system("cc -w -c named.c -o named.o 2>cc.txt") == 0, "%s", n);
    }
    done(&o);
  }
}

/* ---- numbers at the end of the range ---- */

TEST(a_slope_that_is_no_number_is_told_with_its_line) {
  write_file("m.hsml", model);
  write_file("t.csv", "time,u\n0,0\n1,1e308\n2,-1e308\n");
  outcome o = program_run(BRINK_PROGRAM, "run m.hsml --until 2 --input t.csv");
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "t.csv:4: error: u goes from 1e+308 to -1e+308");
  CHECK_MSG(strstr(o.err, "p0[") == NULL, "%s", o.err);
  done(&o);
  write_file("t.csv", "time,u\n0,1e308\n0.5,-1e308\n1,0\n");
  o = program_run(BRINK_PROGRAM, "run m.hsml --until 2 --input t.csv");
  CHECK_EXIT(o, 5);
  CHECK_CONTAINS(o.err, "t.csv:3: error: u goes from");
  done(&o);
  write_file("t.csv", "time,u\n0,0\n1,1e300\n2,-1e300\n"); /* its states are another question */
  o = program_run(BRINK_PROGRAM, "run m.hsml --until 2 --input t.csv --input-hold");
  CHECK_MSG(o.exit != 5, "%s", o.err);
  done(&o);
}

/* Whatever is given, a message is read at a glance: what it is about, and why. */
TEST(what_is_quoted_in_a_message_is_shortened) {
  static const struct {
    const char *before, *after, *reason;
  } given[] = {{"run m.hsml --until 1 --method ", "", "it is one of auto, adams"},
               {"run m.hsml --until 1 --out ", ".csv", "too long"},
               {"run m.hsml --until 1 --input ", ".csv", "too long"},
               {"run m.hsml --until 1 --plot ", "", "there is no such quantity"},
               {"run m.hsml --until 1 --resume ", "", "too long"},
               {"run m.hsml --until 1 --seed ", "", "it must be a whole number"},
               {"run m.hsml --until ", "", "this name is longer than 255 characters"},
               {"fit m.hsml --until 1 --vary k=", "", "a fit looks between two bounds"},
               {"sweep m.hsml --until 1 --share ", "", "write K/N"},
               {"new ", "", "too long"},
               {"", "", "unknown command"}};
  char word[3001];
  memset(word, 'x', sizeof word - 1);
  word[sizeof word - 1] = '\0';
  write_file("m.hsml", model);
  for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
    outcome o = program_run(BRINK_PROGRAM, "%s%s%s", given[k].before, word, given[k].after);
    CHECK_MSG(strlen(o.err) < 1500, "%s: %zu bytes", given[k].before, strlen(o.err));
    CHECK_MSG(strstr(o.err, given[k].reason) != NULL, "%s: %s", given[k].before, o.err);
    done(&o);
  }
}

int main(void) {
  char folder[16];
  program_enter(folder);
  RUN(file_names_are_shown_escaped);
  RUN(cells_and_columns_are_shown_escaped);
  RUN(what_is_quoted_in_a_message_is_shortened);
  RUN(strings_of_a_model_forge_no_lines);
  RUN(strings_of_a_model_hold_no_control_characters);
  RUN(generated_c_compiles_whatever_the_names_are);
  RUN(a_slope_that_is_no_number_is_told_with_its_line);
  program_leave(folder);
  return check_done();
}
