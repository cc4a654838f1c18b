/* test_cache.c: objects are found again, never taken from where others could have put them, and what
 * goes wrong leaves a reason behind. */
#define _DEFAULT_SOURCE /* syscall */
#include "base/sha256.h"
#include "check.h"
#include "support/counting.h"
#include "support/formats.h"
#include "support/kernels.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char place[256], cache[300]; /* a directory for this test, and the cache in it */

/* ---- a model as small as can be: x' = value ---- */

static void emit_constant_model(double value, brink_emission *emission) {
  brink_system system;
  kernels_system(&system, NULL);
  brink_kernel *kernel = kernels_make(&system.arena, "x'", 1);
  kernels_output(kernel, BRINK_SPACE_DX, 0, 0, brink_graph_constant(&kernel->graph, value));
  kernels_add_to(&system.rhs, &system.arena, kernel);
  if (!brink_emit(&system, &(brink_emit_options){0}, NULL, emission)) abort();
  brink_arena_free(&system.arena);
}

/* Loads it; checks that it does what it should. */
static brink_object *load(double value, const char *directory, char *reason) {
  brink_emission emission;
  brink_object *object;
  emit_constant_model(value, &emission);
  brink_status status = brink_object_load(emission.source.data, emission.source.length, directory,
                                          NULL, &object, reason);
  CHECK(status == (object != NULL ? BRINK_OK : BRINK_ERR_UNSUPPORTED));
  CHECK((object == NULL) == (reason[0] != '\0'));
  if (object != NULL) {
    double dx = 0.0;
    object->rhs(&(brink_frame){.dx = &dx}, &(brink_tables){0});
    CHECK(dx == value);
  }
  brink_emission_free(&emission);
  return object;
}

typedef enum outcome { NOTHING, MADE, FOUND } outcome;

static outcome load_once(double value, const char *directory) {
  char reason[BRINK_REASON];
  brink_object *object = load(value, directory, reason);
  outcome result = object == NULL ? NOTHING : object->from_cache ? FOUND : MADE;
  brink_object_unload(object);
  return result;
}

/* ---- files ---- */

static void start_anew(void) {
  char command[800];
  snprintf(command, sizeof command, "rm -rf '%s' && mkdir -m 700 '%s'", cache, cache);
  CHECK(system(command) == 0);
}

/* The path of the only object; how many files there are that are none. */
static size_t look(char path[600]) {
  size_t others = 0;
  DIR *list = opendir(cache);
  if (list == NULL) return 0;
  path[0] = '\0';
  for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
    size_t length = strlen(entry->d_name);
    if (length == 67)
      snprintf(path, 600, "%s/%s", cache, entry->d_name);
    else if (entry->d_name[0] != '.' && strcmp(entry->d_name, "pruned") != 0)
      others++;
  }
  closedir(list);
  return others;
}

/* ---- claims ---- */

static void check_hash(const char *data, size_t repeat, const char *expected) {
  unsigned char digest[BRINK_SHA256_BYTES];
  char text[BRINK_SHA256_TEXT];
  brink_sha256 hash;
  brink_sha256_init(&hash);
  for (size_t k = 0; k < repeat; k++) brink_sha256_add(&hash, data, strlen(data));
  brink_sha256_finish(&hash, digest);
  brink_sha256_text(digest, text);
  CHECK_MSG(strcmp(text, expected) == 0, "%s", text);
}

/* FIPS 180-2, appendix B, and the empty text. */
TEST(sha256_meets_its_published_vectors) {
  check_hash("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  check_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
             "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  check_hash("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  check_hash("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(an_object_is_made_once_and_found_again) {
  start_anew();
  CHECK(load_once(1.5, cache) == MADE);
  CHECK(load_once(1.5, cache) == FOUND);
  CHECK(load_once(2.5, cache) == MADE);
  CHECK(load_once(1.5, cache) == FOUND);
  char path[600];
  struct stat status;
  CHECK(look(path) == 0);
  CHECK(stat(path, &status) == 0 && (status.st_mode & 077) == 0);
}

TEST(objects_that_are_loaded_together_are_told_apart) {
  char reason[BRINK_REASON];
  brink_object *objects[3];
  start_anew();
  for (int round = 0; round < 3; round++) {
    for (int k = 0; k < 3; k++) objects[k] = load(k + 0.25, cache, reason);
    brink_object *again = load(0.25, cache, reason); /* the first, twice */
    brink_object_unload(objects[0]);
    brink_object *other = load(10.0 + round, cache, reason); /* may get its descriptor */
    double dx = 0.0;
    if (again != NULL) again->rhs(&(brink_frame){.dx = &dx}, &(brink_tables){0});
    CHECK(dx == 0.25);
    brink_object_unload(again);
    brink_object_unload(other);
    brink_object_unload(objects[1]);
    brink_object_unload(objects[2]);
  }
}

static brink_object *find_stored(brink_object_store *store, double value, const char *directory) {
  brink_emission emission;
  emit_constant_model(value, &emission);
  brink_object *object =
      brink_object_store_find(store, emission.source.data, emission.source.length, directory, NULL);
  brink_emission_free(&emission);
  return object;
}

static void store_one(brink_object_store *store, double value) {
  char reason[BRINK_REASON];
  brink_emission emission;
  brink_object *object = load(value, cache, reason);
  emit_constant_model(value, &emission);
  CHECK(object != NULL);
  if (object != NULL)
    brink_object_store_add(store, object, NULL, emission.source.data, emission.source.length,
                           cache);
  brink_object_unload(object);
  brink_emission_free(&emission);
}

TEST(a_store_finds_the_last_objects_by_their_source) {
  enum { MANY = 12 };
  counting state = {0};
  brink_allocator allocator = counting_allocator(&state);
  brink_object_store *store = brink_object_store_create(&allocator);
  brink_object *last = NULL;
  start_anew();
  for (int k = 0; k < MANY; k++) store_one(store, k + 0.5);
  CHECK(find_stored(store, 0.5, cache) == NULL); /* others came after it */
  CHECK(find_stored(store, 100.0, cache) == NULL);
  CHECK(find_stored(store, MANY - 0.5, NULL) == NULL); /* of another cache */
  for (int k = MANY - 8; k < MANY; k++) {
    double dx = 0.0;
    brink_object_unload(last);
    last = find_stored(store, k + 0.5, cache);
    CHECK(last != NULL);
    if (last != NULL) last->rhs(&(brink_frame){.dx = &dx}, &(brink_tables){0});
    CHECK(dx == k + 0.5);
  }
  brink_object_store_destroy(store); /* what was found outlives it */
  double dx = 0.0;
  if (last != NULL) last->rhs(&(brink_frame){.dx = &dx}, &(brink_tables){0});
  CHECK(dx == MANY - 0.5);
  brink_object_unload(last);
  CHECK_INT(state.live, 0);
  CHECK_INT(state.mismatch, 0);
}

TEST(a_store_without_memory_stores_nothing) {
  start_anew();
  for (long n = 1; n < 6; n++) {
    counting state = {.fail_at = n};
    brink_allocator allocator = counting_allocator(&state);
    brink_object_store *store = brink_object_store_create(&allocator);
    CHECK((store == NULL) == (n == 1));
    if (store == NULL) continue;
    store_one(store, 0.5);
    brink_object *found = find_stored(store, 0.5, cache);
    CHECK((found == NULL) == (n < 4));
    brink_object_unload(found);
    brink_object_store_destroy(store);
    CHECK_INT(state.live, 0);
  }
}

TEST(processes_that_compile_one_model_at_once_all_succeed) {
  enum { PROCESSES = 8 };
  pid_t children[PROCESSES];
  start_anew();
  fflush(stdout);
  for (int k = 0; k < PROCESSES; k++) {
    children[k] = fork();
    if (children[k] == 0) {
      bool ok = load_once(3.25, cache) != NOTHING && load_once(3.25, cache) == FOUND;
      _exit(ok && check_failures_here == 0 ? 0 : 1);
    }
  }
  for (int k = 0; k < PROCESSES; k++) {
    int status = 1;
    CHECK(children[k] > 0 && waitpid(children[k], &status, 0) == children[k]);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  char path[600];
  CHECK(look(path) == 0); /* nothing is left behind */
  CHECK(load_once(3.25, cache) == FOUND);
}

TEST(a_file_that_others_may_write_is_not_loaded) {
  char path[600];
  struct stat status;
  static const mode_t modes[] = {0666, 0620, 0602};
  for (int k = 0; k < 3; k++) {
    start_anew();
    load_once(4.5, cache);
    look(path);
    CHECK(chmod(path, modes[k]) == 0);
    CHECK(load_once(4.5, cache) == MADE);
    CHECK(stat(path, &status) == 0 && (status.st_mode & 077) == 0); /* and has been replaced */
  }
}

TEST(a_link_or_a_pipe_is_not_loaded) {
  char path[600], elsewhere[300];
  start_anew();
  load_once(5.5, cache);
  look(path);
  snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere.so", place);
  CHECK(rename(path, elsewhere) == 0 && symlink(elsewhere, path) == 0);
  CHECK(load_once(5.5, cache) == MADE);
  CHECK(load_once(5.5, cache) == FOUND);
  CHECK(unlink(path) == 0 && mkfifo(path, 0600) == 0);
  CHECK(load_once(5.5, cache) == MADE);
}

TEST(a_damaged_file_is_made_again) {
  char path[600];
  start_anew();
  load_once(6.5, cache);
  look(path);
  int fd = open(path, O_RDWR);
  char byte;
  CHECK(pread(fd, &byte, 1, 5000) == 1);
  byte ^= 1;
  CHECK(pwrite(fd, &byte, 1, 5000) == 1);
  close(fd);
  CHECK(load_once(6.5, cache) == MADE);
  static const off_t lengths[] = {9000, 100, 0};
  for (int k = 0; k < 3; k++) {
    CHECK(truncate(path, lengths[k]) == 0);
    CHECK(load_once(6.5, cache) == MADE);
    CHECK(load_once(6.5, cache) == FOUND);
  }
}

/* An object under the key of another: its seal does not fit. */
TEST(an_object_under_another_name_is_not_taken_for_it) {
  char first[600], second[600], command[1300];
  start_anew();
  load_once(7.5, cache);
  look(first);
  snprintf(command, sizeof command, "mv '%s' '%s/other'", first, place);
  CHECK(system(command) == 0);
  load_once(8.5, cache);
  look(second);
  snprintf(command, sizeof command, "cp '%s/other' '%s'", place, second);
  CHECK(system(command) == 0);
  CHECK(load_once(8.5, cache) == MADE);
}

TEST(a_directory_that_others_may_write_is_not_used) {
  char path[600];
  start_anew();
  CHECK(chmod(cache, 0777) == 0);
  CHECK(load_once(9.5, cache) == MADE);
  look(path);
  CHECK(path[0] == '\0');
  CHECK(load_once(9.5, cache) == MADE); /* a private one, gone by now */
}

/* ---- what others can change on the way ---- */

/* The cache is the user's own, but its name is in a directory where others may put another in its place. */
TEST(a_directory_whose_parent_others_may_write_is_not_used) {
  static const struct {
    mode_t parent;
    bool used;
  } cases[] = {{0755, true}, {0777, false}, {0775, false}, {0757, false}, {01777, true}};
  char parent[300], kept[300], path[600];
  snprintf(parent, sizeof parent, "%s/parent", place);
  snprintf(kept, sizeof kept, "%s", cache);
  CHECK(mkdir(parent, 0700) == 0);
  snprintf(cache, sizeof cache, "%.250s/cache", parent);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    CHECK(chmod(parent, 0700) == 0);
    start_anew();
    CHECK(chmod(parent, cases[k].parent) == 0);
    CHECK(load_once(18.5, cache) == MADE);
    look(path);
    CHECK_MSG((path[0] != '\0') == cases[k].used, "parent of mode %o: %s",
              (unsigned)cases[k].parent, path);
    CHECK(load_once(18.5, cache) == (cases[k].used ? FOUND : MADE));
  }
  snprintf(cache, sizeof cache, "%s", kept);
}

/* Links are followed, and where they lead is looked at in the same way. */
TEST(a_link_to_a_directory_is_as_good_as_the_directory) {
  char link[300], open_to_all[300], path[600];
  start_anew();
  snprintf(link, sizeof link, "%s/link", place);
  CHECK(symlink("cache", link) == 0);
  CHECK(load_once(19.5, link) == MADE);
  CHECK(load_once(19.5, cache) == FOUND);
  snprintf(open_to_all, sizeof open_to_all, "%s/open", place);
  CHECK(mkdir(open_to_all, 0700) == 0 && chmod(open_to_all, 0777) == 0);
  snprintf(link, sizeof link, "%s/open/link", place);
  CHECK(symlink(cache, link) == 0); /* others could have made it */
  start_anew();
  CHECK(load_once(19.5, link) == MADE);
  look(path);
  CHECK(path[0] == '\0');
  snprintf(link, sizeof link, "%s/round", place);
  CHECK(symlink("round", link) == 0);
  CHECK(load_once(19.5, link) == MADE);
}

static void write_script(const char *script, const char *text) {
  FILE *file = fopen(script, "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0 || chmod(script, 0700) != 0)
    abort();
}

/* Somebody moves the cache away while the compiler starts, and puts one in its place where the model says something else.
 * What is moved away still holds what was written to it. */
TEST(the_compiler_reads_what_was_written_whatever_the_name_leads_to) {
  char script[300], text[900], command[1600];
  start_anew();
  snprintf(script, sizeof script, "%s/slow-cc", place);
  write_script(script, "#!/bin/sh\nsleep 0.6\ncc \"$@\" || exit 1\nsleep 0.6\n");
  snprintf(text, sizeof text, "%s", place);
  /* 20.5 is 0x1.48p+4 */
  snprintf(command, sizeof command,
           "cd '%s'; (while ! find cache -name '*.c' -size +0 | grep -q .; do :; done; sleep 0.2;"
           "mv cache away; cp -r away cache;"
           "find cache -name '*.c' -exec sed -i 's/20\\.5/666.0/g;s/0x1\\.48p+4/666.0/g' {} +;"
           "sleep 0.8; cd cache; find . -name '*.so' -exec cp {} ../away/{} \\;; cd ..;"
           "rm -rf cache; mv away cache) 2>/dev/null &",
           text);
  setenv("BRINK_CC", script, 1);
  CHECK(system(command) == 0);
  char reason[BRINK_REASON];
  brink_object *object = load(20.5, cache, reason); /* checks the value */
  CHECK_MSG(object != NULL, "%s", reason);
  brink_object_unload(object);
  unsetenv("BRINK_CC");
  for (int k = 0; k < 100 && access(cache, F_OK) != 0; k++)
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* ---- what the compiler may do ---- */

TEST(the_compiler_sees_a_clean_environment) {
  char reason[BRINK_REASON], script[300], path[600];
  start_anew();
  snprintf(script, sizeof script, "%s/curious-cc", place);
  write_script(script, "#!/bin/sh\nenv | grep -v '^PWD=\\|^_=\\|^SHLVL=\\|^OLDPWD=' |"
                       "cut -d= -f1 | sort | tr '\\n' ' '\nexit 1\n");
  setenv("BRINK_CC", script, 1);
  setenv("CPATH", "/nonexistent", 1);
  setenv("DEPENDENCIES_OUTPUT", "/nonexistent/file", 1);
  char *kept = getenv("LD_LIBRARY_PATH") != NULL ? strdup(getenv("LD_LIBRARY_PATH")) : NULL;
  unsetenv("LD_LIBRARY_PATH");
  CHECK(load(21.5, cache, reason) == NULL);
  CHECK_CONTAINS(reason, "exit code 1: CCACHE_DISABLE LC_ALL PATH TMPDIR");
  if (kept != NULL) setenv("LD_LIBRARY_PATH", kept, 1);
  free(kept);
  unsetenv("BRINK_CC");
  CHECK(load_once(21.5, cache) == MADE);
  unsetenv("CPATH");
  unsetenv("DEPENDENCIES_OUTPUT");
  CHECK(look(path) == 0);
}

TEST(the_compiler_has_an_end_to_its_memory) {
  char reason[BRINK_REASON], script[300];
  start_anew();
  snprintf(script, sizeof script, "%s/large-cc", place);
  write_script(script,
               "#!/bin/sh\nsleep 0.05\necho memory $(ulimit -v) core $(ulimit -c)\nexit 1\n");
  setenv("BRINK_CC", script, 1);
  CHECK(load(22.5, cache, reason) == NULL);
  CHECK_MSG(strstr(reason, "memory unlimited") == NULL, "%s", reason);
  CHECK_CONTAINS(reason, "core 0");
  unsetenv("BRINK_CC");
}

/* Landlock came with Linux 5.13, and a system may be without it. */
static bool kernel_confines(void) {
#if defined(SYS_landlock_create_ruleset)
  return syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, 1) > 0;
#else
  return false;
#endif
}

TEST(the_compiler_writes_nowhere_else) {
  char reason[BRINK_REASON], script[300], text[1400], path[600], outside[300];
  if (!kernel_confines()) return;
  start_anew();
  load_once(23.5, cache); /* another object: it must stay as it is */
  look(path);
  snprintf(outside, sizeof outside, "%s/outside", place);
  snprintf(script, sizeof script, "%s/greedy-cc", place);
  snprintf(text, sizeof text,
           "#!/bin/sh\nprintf x > inside && printf made:inside\n"
           "(printf x > '%s') 2>/dev/null && printf ' made:outside'\n"
           "(printf x >> '%.200s') 2>/dev/null && printf ' made:object'\n"
           "(ln '%.200s' linked) 2>/dev/null && printf ' made:link'\n"
           "(exec 3<>/dev/null) && printf ' made:null'\nexit 1\n",
           outside, path, path);
  write_script(script, text);
  setenv("BRINK_CC", script, 1);
  CHECK(load(24.5, cache, reason) == NULL);
  CHECK_CONTAINS(reason, "made:inside made:null");
  CHECK(access(outside, F_OK) != 0);
  unsetenv("BRINK_CC");
  CHECK(load_once(23.5, cache) == FOUND);
  CHECK(look(path) == 0);           /* what it made is gone */
  FILE *file = fopen(outside, "w"); /* and this process has lost nothing */
  CHECK(file != NULL);
  if (file != NULL) fclose(file);
}

TEST(the_compiler_has_no_network) {
  char reason[BRINK_REASON], script[300];
  if (!kernel_confines() || access("/usr/bin/python3", X_OK) != 0) return;
  start_anew();
  snprintf(script, sizeof script, "%s/chatty-cc", place);
  write_script(script, "#!/usr/bin/python3\nimport socket, sys\n"
                       "for family in socket.AF_INET, socket.AF_INET6, socket.AF_UNIX:\n"
                       "  try:\n    socket.socket(family)\n    print('open', end=' ')\n"
                       "  except OSError as error:\n    print('no', error.errno, end=' ')\n"
                       "sys.exit(1)\n");
  setenv("BRINK_CC", script, 1);
  CHECK(load(25.5, cache, reason) == NULL);
  CHECK_CONTAINS(reason, "no 1 no 1 no 1");
  unsetenv("BRINK_CC");
}

/* Nothing is left in the directory for temporary files. */
static bool is_empty(const char *directory) {
  DIR *list = opendir(directory);
  size_t count = 0;
  if (list == NULL) return false;
  for (struct dirent *entry; (entry = readdir(list)) != NULL;) count += entry->d_name[0] != '.';
  closedir(list);
  return count == 0;
}

TEST(without_a_home_objects_are_made_in_private) {
  char temporary[300];
  snprintf(temporary, sizeof temporary, "%s/temporary", place);
  CHECK(mkdir(temporary, 0700) == 0);
  setenv("TMPDIR", temporary, 1);
  setenv("HOME", "", 1);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("BRINK_CACHE");
  CHECK(load_once(10.5, NULL) == MADE);
  CHECK(is_empty(temporary));
  unsetenv("TMPDIR");
}

TEST(the_environment_says_where_the_cache_is) {
  char home[300], made[400];
  struct stat status;
  snprintf(home, sizeof home, "%s/home", place);
  CHECK(mkdir(home, 0700) == 0);
  setenv("HOME", home, 1);
  CHECK(load_once(11.5, NULL) == MADE);
  snprintf(made, sizeof made, "%s/.cache/brink", home);
  CHECK(stat(made, &status) == 0 && (status.st_mode & 07777) == 0700);
  setenv("XDG_CACHE_HOME", place, 1);
  CHECK(load_once(11.5, NULL) == MADE);
  snprintf(made, sizeof made, "%s/brink", place);
  CHECK(stat(made, &status) == 0 && (status.st_mode & 07777) == 0700);
  start_anew();
  setenv("BRINK_CACHE", cache, 1);
  CHECK(load_once(11.5, NULL) == MADE);
  CHECK(load_once(11.5, cache) == FOUND);
  unsetenv("BRINK_CACHE");
}

static void age(const char *path, time_t seconds) {
  struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
  CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
}

TEST(old_objects_and_remains_are_forgotten) {
  char path[600], remains[400];
  start_anew();
  load_once(12.5, cache);
  look(path);
  age(path, 31 * 24 * 3600);
  snprintf(remains, sizeof remains, "%s/tmp-1-2-3.c", cache); /* of earlier versions */
  int fd = open(remains, O_WRONLY | O_CREAT, 0600);
  close(fd);
  age(remains, 24 * 3600);
  snprintf(remains, sizeof remains, "%s/tmp-1-2-4/", cache);
  CHECK(mkdir(remains, 0700) == 0);
  snprintf(remains, sizeof remains, "%s/tmp-1-2-4/model.c", cache);
  fd = open(remains, O_WRONLY | O_CREAT, 0600);
  close(fd);
  snprintf(remains, sizeof remains, "%s/tmp-1-2-4/", cache);
  age(remains, 24 * 3600);
  load_once(13.5, cache);
  CHECK(access(path, F_OK) == 0); /* not looked for more than once a day */
  snprintf(remains, sizeof remains, "%s/pruned", cache);
  age(remains, 25 * 3600);
  load_once(14.5, cache);
  CHECK(access(path, F_OK) != 0);
  CHECK(look(path) == 0);
}

TEST(an_object_in_use_stays_young) {
  char path[600];
  struct stat status;
  start_anew();
  load_once(15.5, cache);
  look(path);
  age(path, 29 * 24 * 3600);
  CHECK(load_once(15.5, cache) == FOUND);
  CHECK(stat(path, &status) == 0 && time(NULL) - status.st_mtime < 3600);
}

/* ---- failures ---- */

TEST(a_compiler_that_fails_leaves_a_reason) {
  char reason[BRINK_REASON], script[300], path[600];
  start_anew();
  setenv("BRINK_CC", "/bin/false", 1);
  CHECK(load(16.5, cache, reason) == NULL);
  CHECK_CONTAINS(reason, "false failed with exit code 1");
  snprintf(script, sizeof script, "%s/grumpy-cc", place);
  FILE *file = fopen(script, "w");
  if (file == NULL) return;
  fputs("#!/bin/sh\necho 'no space left' >&2\nkill -9 $$\n", file);
  fclose(file);
  chmod(script, 0700);
  setenv("BRINK_CC", script, 1);
  CHECK(load(16.5, cache, reason) == NULL);
  CHECK_CONTAINS(reason, "grumpy-cc was ended by a signal: no space left");
  setenv("BRINK_CC", "no-such-compiler", 1);
  CHECK(load(16.5, cache, reason) == NULL);
  CHECK_CONTAINS(reason, "no-such-compiler");
  setenv("BRINK_CC", "/bin/true", 1); /* says yes and makes nothing */
  CHECK(load(16.5, cache, reason) == NULL);
  CHECK(look(path) == 0);
  unsetenv("BRINK_CC");
}

TEST(without_a_compiler_there_is_a_reason) {
  char reason[BRINK_REASON], *path = getenv("PATH");
  char *kept = strdup(path == NULL ? "" : path);
  setenv("PATH", "/nonexistent:relative", 1);
  CHECK(load(17.5, cache, reason) == NULL);
  CHECK_CONTAINS(reason, "no C compiler");
  setenv("PATH", kept, 1);
  free(kept);
}

TEST(a_source_that_is_no_c_leaves_what_the_compiler_says) {
  char reason[BRINK_REASON];
  brink_object *object;
  CHECK(brink_object_load("int x = ;", 9, cache, NULL, &object, reason) == BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(reason, "error");
  CHECK(brink_object_load("int x;", 6, cache, NULL, &object, reason) == BRINK_ERR_UNSUPPORTED);
  CHECK_CONTAINS(reason, "not one of this version");
}

int main(void) {
  char reason[BRINK_REASON], command[300];
  if (!make_temporary_folder(place, sizeof place)) return 1;
  snprintf(cache, sizeof cache, "%s/cache", place);
  unsetenv("BRINK_CC");
  RUN(sha256_meets_its_published_vectors);
  brink_object *object = load(0.5, cache, reason);
  bool compiler_here = object != NULL;
  brink_object_unload(object);
  if (compiler_here) {
    RUN(an_object_is_made_once_and_found_again);
    RUN(objects_that_are_loaded_together_are_told_apart);
    RUN(a_store_finds_the_last_objects_by_their_source);
    RUN(a_store_without_memory_stores_nothing);
    RUN(processes_that_compile_one_model_at_once_all_succeed);
    RUN(a_file_that_others_may_write_is_not_loaded);
    RUN(a_link_or_a_pipe_is_not_loaded);
    RUN(a_damaged_file_is_made_again);
    RUN(an_object_under_another_name_is_not_taken_for_it);
    RUN(a_directory_that_others_may_write_is_not_used);
    RUN(a_directory_whose_parent_others_may_write_is_not_used);
    RUN(a_link_to_a_directory_is_as_good_as_the_directory);
    RUN(the_compiler_reads_what_was_written_whatever_the_name_leads_to);
    RUN(the_compiler_sees_a_clean_environment);
    RUN(the_compiler_has_an_end_to_its_memory);
    RUN(the_compiler_writes_nowhere_else);
    RUN(the_compiler_has_no_network);
    RUN(without_a_home_objects_are_made_in_private);
    RUN(the_environment_says_where_the_cache_is);
    RUN(old_objects_and_remains_are_forgotten);
    RUN(an_object_in_use_stays_young);
    RUN(a_source_that_is_no_c_leaves_what_the_compiler_says);
  } else {
    printf("not compiled: %s\n", reason);
  }
  RUN(a_compiler_that_fails_leaves_a_reason);
  RUN(without_a_compiler_there_is_a_reason);
  snprintf(command, sizeof command, "rm -rf '%s'", place);
  return system(command) == 0 ? check_done() : 1;
}
