/* hdf5.c: HDF5 files: the trajectory with everything that belongs to it.
 *
 *     /trajectory   time, and a dataset for each variable; arrays have a second dimension
 *     /names        the names of their elements
 *     /events       time, flag, direction, row, agents
 *     /parameters   what held still
 *     /provenance   attributes: where this comes from, and what became of the run
 *
 * Why a file can be read at any moment: hdf5_disk.h. It asks for metadata of the oldest kind (no
 * checksums, no marks of being open), for datasets that are made before any of them has data, and for
 * indices that need no splitting: with 65536 rows in a chunk and 4096 chunks in a node, a dataset of a
 * small model has 2.7e8 rows before the first split.
 *
 * Chunks of that size would make small files large. A run that ends before its first chunk is full and
 * before the first flush is written anew at its end, with chunks as long as the run. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "record/hdf5_parts.h"

#define MOST_ROWS ((size_t)65536)      /* of a chunk */
#define MOST_BYTES ((size_t)32 << 20)  /* of the chunks of all columns together */
#define COMMIT_BYTES ((size_t)1 << 20) /* of rows */
#define EVENT_ROWS ((size_t)4096)      /* of a chunk */
#define INDEX_BYTES ((size_t)8 << 20)  /* of the first nodes of all indices */
#define INDEX_ENTRY ((size_t)40)       /* bytes */
enum { TIME, FLAG, DIRECTION, ROW, AGENTS, EVENT_COLUMNS };

static bool fail(brink_results *results) {
  const brink_hdf5 *own = results->own;
  if (results->failed) return false;
  if (own->disk.error != 0) return brink_results_fail_file(results, own->disk.error);
  if (!brink_hdf5_has_memory()) return brink_results_fail_memory(results);
  return brink_results_fail(results, "cannot write to %s: the HDF5 library reports a failure",
                            results->name);
}

/* ---- committing ---- */

static bool commit(brink_results *results) {
  brink_hdf5 *own = results->own;
  if (!brink_hdf5_has_memory()) return brink_results_fail_memory(results);
  if (own->library.H5Fflush(own->file, H5F_SCOPE_LOCAL) < 0 ||
      !brink_hdf5_driver_commit(&own->disk))
    return fail(results);
  results->kept = own->rows.rows;
  if (own->rows.rows > 0) results->kept_t = own->last_t;
  return true;
}

static bool flush(brink_results *results) {
  brink_hdf5 *own = results->own;
  if (results->rows == results->kept && own->events.used == 0) return true;
  if (!brink_hdf5_table_write(&own->rows)) return fail(results);
  if (results->rows > 0) own->last_t = results->row[0];
  if (!brink_hdf5_table_write(&own->events)) return fail(results);
  return commit(results);
}

/* ---- rows and events ---- */

static bool row(brink_results *results) {
  brink_hdf5 *own = results->own;
  const brink_columns *columns = results->columns;
  memcpy(brink_hdf5_table_place(&own->rows, TIME), results->row, sizeof(double));
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    const double *values = results->row + 1 + tracked->first;
    unsigned char *out = brink_hdf5_table_place(&own->rows, 1 + k);
    for (size_t e = 0; e < tracked->count; e++)
      out = brink_hdf5_put_value(tracked->as, values[e], out);
  }
  if (!brink_hdf5_table_next(&own->rows)) return fail(results);
  if (own->rows.used > 0) return true;
  own->last_t = results->row[0]; /* a full chunk is committed, unless it is small */
  size_t rows = (size_t)(own->rows.rows - results->kept);
  return rows * own->row_bytes < COMMIT_BYTES || commit(results);
}

static void put_text(unsigned char *out, size_t size, const char *text) {
  size_t length = strlen(text) < size ? strlen(text) : size - 1;
  memset(out, 0, size);
  memcpy(out, text, length);
}

/* The names of both partners of a pair; of others, nothing. */
static bool put_agents(brink_hdf5 *own, const brink_system *system,
                       const brink_logged_event *logged) {
  const brink_flag *flag = &system->flags[logged->flag];
  unsigned char *out = brink_hdf5_table_place(&own->events, AGENTS);
  brink_text name = {.allocator = own->given.arena.allocator};
  for (int side = 0; side < 2; side++) {
    name.length = 0;
    if (flag->is_pair)
      brink_system_instance_name(system, logged->participants->group[side],
                                 logged->participants->instance[side], &name);
    put_text(out + (size_t)side * own->agent_size, own->agent_size,
             name.length > 0 ? name.data : "");
  }
  bool fine = !name.failed;
  brink_text_free(&name);
  return fine;
}

static bool event(brink_results *results, const brink_logged_event *logged, int64_t before) {
  brink_hdf5 *own = results->own;
  brink_hdf5_table *table = &own->events;
  int8_t direction = logged->direction == BRINK_NEGATIVE ? -1 : 1;
  memcpy(brink_hdf5_table_place(table, TIME), &logged->t, sizeof logged->t);
  put_text(brink_hdf5_table_place(table, FLAG), own->flag_size, logged->name);
  memcpy(brink_hdf5_table_place(table, DIRECTION), &direction, sizeof direction);
  memcpy(brink_hdf5_table_place(table, ROW), &before, sizeof before);
  if (table->ncolumns > AGENTS && !put_agents(own, results->columns->system, logged))
    return brink_results_fail_memory(results);
  return brink_hdf5_table_next(table) || fail(results);
}

/* ---- making the file ---- */

static bool create_group(const brink_hdf5 *own, const char *name) {
  hid_t group = own->library.H5Gcreate2(own->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  return group >= 0 && own->library.H5Gclose(group) >= 0;
}

/* An empty dataset without attributes. */
static bool create_plain(brink_hdf5_table *table, size_t k, hid_t type) {
  hid_t set = brink_hdf5_table_create(table, k, type);
  return set >= 0 && table->library->H5Dclose(set) >= 0;
}

static bool create_variable(brink_results *results, size_t k) {
  brink_hdf5 *own = results->own;
  const brink_hdf5_library *h5 = &own->library;
  const brink_columns *columns = results->columns;
  const brink_tracked *tracked = &columns->tracked[k];
  const brink_variable *variable = tracked->as;
  const brink_hdf5_column *column = &own->rows.columns[1 + k];
  hid_t type = brink_hdf5_value_type(h5, columns->system, tracked->as);
  hid_t set = brink_hdf5_table_create(&own->rows, 1 + k, type);
  bool fine = set >= 0 &&
              brink_hdf5_write_attribute(h5, set, "kind", brink_tracked_kind(tracked)) &&
              (column->width == 0 ||
               brink_hdf5_write_names(own, columns, tracked, strrchr(column->path, '/') + 1));
  if (fine && variable->unit != NULL && variable->unit[0] != '\0')
    fine = brink_hdf5_write_attribute(h5, set, "unit", variable->unit);
  if (set >= 0) h5->H5Dclose(set);
  h5->H5Tclose(type);
  return fine;
}

static bool create_trajectory(brink_results *results) {
  brink_hdf5 *own = results->own;
  bool fine = create_group(own, "trajectory") &&
              create_plain(&own->rows, TIME, own->library.H5T_NATIVE_DOUBLE_g);
  for (size_t k = 0; k < results->columns->ntracked && fine; k++)
    fine = create_variable(results, k);
  return fine;
}

static hid_t direction_type(const brink_hdf5_library *h5) {
  hid_t type = h5->H5Tenum_create(h5->H5T_NATIVE_INT8_g);
  h5->H5Tenum_insert(type, "negative", &(int8_t){-1});
  h5->H5Tenum_insert(type, "positive", &(int8_t){1});
  return type;
}

static bool create_events(brink_hdf5 *own) {
  const brink_hdf5_library *h5 = &own->library;
  brink_hdf5_table *table = &own->events;
  hid_t flag = brink_hdf5_text_type(h5, own->flag_size);
  hid_t agent = brink_hdf5_text_type(h5, own->agent_size), direction = direction_type(h5);
  bool fine = create_group(own, "events") && create_plain(table, TIME, h5->H5T_NATIVE_DOUBLE_g) &&
              create_plain(table, FLAG, flag) && create_plain(table, DIRECTION, direction) &&
              create_plain(table, ROW, h5->H5T_NATIVE_INT64_g) &&
              (table->ncolumns == AGENTS || create_plain(table, AGENTS, agent));
  h5->H5Tclose(direction);
  h5->H5Tclose(agent);
  h5->H5Tclose(flag);
  return fine;
}

/* Half the entries of a node, for as many as there is memory for; HDF5 itself takes 32. */
static unsigned index_half(const brink_hdf5 *own) {
  size_t sets = own->rows.ncolumns + own->events.ncolumns;
  size_t half = INDEX_BYTES / (sets * 2 * INDEX_ENTRY);
  return half < 32 ? 32 : half > 2048 ? 2048 : (unsigned)half;
}

static hid_t create_file(brink_hdf5 *own, bool compact) {
  const brink_hdf5_library *h5 = &own->library;
  char name[BRINK_HDF5_NAME];
  hid_t access = brink_hdf5_driver_use(h5, &own->disk, &own->driver, name);
  hid_t how = h5->H5Pcreate(h5->H5P_CLS_FILE_CREATE_ID_g);
  if (!compact) h5->H5Pset_istore_k(how, index_half(own));
  hid_t file = h5->H5Fcreate(name, BRINK_HDF5_TRUNCATE, how, access);
  h5->H5Pclose(how);
  h5->H5Pclose(access);
  return file;
}

/* Memory to make a file, and to close it. */
static bool set_aside(brink_hdf5 *own) {
  if (own->reserve == NULL) own->reserve = brink_hdf5_reserve();
  return own->reserve != NULL && brink_hdf5_has_memory();
}

/* Everything but rows and events. Their datasets come last, and time first of them. */
static bool create(brink_results *results, bool compact) {
  brink_hdf5 *own = results->own;
  const brink_hdf5_library *h5 = &own->library;
  if (!set_aside(own)) return brink_results_fail_memory(results);
  brink_disk_init(&own->disk, own->descriptor, &results->arena.allocator);
  own->file = own->rows.file = own->events.file = create_file(own, compact);
  if (own->file < 0 || !brink_hdf5_write_provenance(own, &results->def)) return fail(results);
  own->names = h5->H5Gcreate2(own->file, "names", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool fine = own->names >= 0 && brink_hdf5_write_parameters(own, &results->start) &&
              create_events(own) && create_trajectory(results);
  h5->H5Gclose(own->names);
  return fine || fail(results);
}

/* The library must be able to close its file whatever happened: it keeps one that it could not close,
 * and trips over it later. */
static void dismiss(brink_hdf5 *own) {
  const brink_hdf5_library *h5 = &own->library;
  brink_hdf5_spend(&own->reserve);
  if (own->file >= 0) h5->H5Fclose(own->file);
  if (own->driver >= 0) h5->H5FDunregister(own->driver);
  own->file = own->driver = -1;
}

/* ---- sizes ---- */

static size_t longest_flag(const brink_system *system, bool *pairs, size_t *agent) {
  brink_text name = {0};
  size_t longest = 1;
  *agent = 1;
  for (size_t k = 0; k < system->nflags; k++) {
    const brink_flag *flag = &system->flags[k];
    *pairs = *pairs || flag->is_pair;
    name.length = 0; /* the last instance has the longest indices */
    if (flag->count > 0) brink_system_flag_name(system, (uint32_t)k, flag->count - 1, &name);
    longest = name.length > longest ? name.length : longest;
    for (int side = 0; flag->is_pair && side < 2; side++) {
      uint32_t group = flag->partner_group[side];
      name.length = 0;
      brink_system_instance_name(system, group, system->groups[group].count - 1, &name);
      *agent = name.length > *agent ? name.length : *agent;
    }
  }
  brink_text_free(&name);
  return longest;
}

/* Columns of so many bytes each; their chunks together have at most MOST_BYTES. */
static bool make_room(brink_results *results, brink_hdf5_table *table, size_t most) {
  size_t bytes = 0;
  for (size_t k = 0; k < table->ncolumns; k++) bytes += table->columns[k].bytes;
  size_t rows = MOST_BYTES / bytes < most ? MOST_BYTES / bytes : most;
  table->chunk_rows = rows > 8 ? rows - rows % 8 : rows > 0 ? rows : 1;
  for (size_t k = 0; k < table->ncolumns; k++) {
    brink_hdf5_column *column = &table->columns[k];
    column->chunk = brink_arena_pack(&results->arena, table->chunk_rows, column->bytes);
    if (column->chunk == NULL) return false;
  }
  return true;
}

/* "trajectory/car.x"; NULL: out of memory. */
static const char *path_of(brink_results *results, const char *name) {
  brink_text bare = {.allocator = results->arena.allocator}, path = bare;
  brink_bare_name(name, &bare);
  brink_text_add(&path, "trajectory/%s", bare.data != NULL ? bare.data : "");
  bool fine = !bare.failed && !path.failed;
  const char *kept = fine ? brink_arena_text(&results->arena, path.data) : NULL;
  brink_text_free(&bare);
  brink_text_free(&path);
  return kept;
}

static bool lay_out_rows(brink_results *results) {
  brink_hdf5 *own = results->own;
  const brink_columns *columns = results->columns;
  brink_hdf5_table *table = &own->rows;
  *table = (brink_hdf5_table){.library = &own->library, .ncolumns = columns->ntracked + 1};
  table->columns = brink_arena_take(&results->arena, table->ncolumns, sizeof *table->columns);
  if (table->columns == NULL) return false;
  table->columns[TIME] = (brink_hdf5_column){.path = "trajectory/time", .bytes = sizeof(double)};
  for (size_t k = 0; k < columns->ntracked; k++) {
    const brink_tracked *tracked = &columns->tracked[k];
    brink_hdf5_column *column = &table->columns[1 + k];
    column->path = path_of(results, columns->name[tracked->first]);
    if (column->path == NULL) return false;
    column->width = brink_hdf5_is_array(columns, tracked) ? tracked->count : 0;
    column->bytes = tracked->count * brink_hdf5_value_size(tracked->as);
  }
  size_t most = results->def.chunk_rows;
  for (size_t k = 0; k < table->ncolumns; k++) own->row_bytes += table->columns[k].bytes;
  return make_room(results, table, most > 0 && most < MOST_ROWS ? most : MOST_ROWS);
}

static bool lay_out_events(brink_results *results) {
  brink_hdf5 *own = results->own;
  bool pairs = false;
  brink_hdf5_table *table = &own->events;
  own->flag_size = longest_flag(results->columns->system, &pairs, &own->agent_size) + 1;
  own->agent_size++;
  *table = (brink_hdf5_table){.library = &own->library, .ncolumns = pairs ? EVENT_COLUMNS : AGENTS};
  table->columns = brink_arena_take(&results->arena, EVENT_COLUMNS, sizeof *table->columns);
  if (table->columns == NULL) return false;
  const brink_hdf5_column made[EVENT_COLUMNS] = {
      [TIME] = {.path = "events/time", .bytes = sizeof(double)},
      [FLAG] = {.path = "events/flag", .bytes = own->flag_size},
      [DIRECTION] = {.path = "events/direction", .bytes = sizeof(int8_t)},
      [ROW] = {.path = "events/row", .bytes = sizeof(int64_t)},
      [AGENTS] = {.path = "events/agents", .bytes = 2 * own->agent_size, .width = 2}};
  memcpy(table->columns, made, sizeof made);
  return make_room(results, table, EVENT_ROWS);
}

/* ---- begin and end ---- */

static bool lay_out(brink_results *results) {
  brink_diag diag;
  brink_hdf5 *own = results->own = brink_arena_take(&results->arena, 1, sizeof *own);
  if (own == NULL) return brink_results_fail_memory(results);
  own->descriptor = -1;
  own->file = own->driver = own->names = -1;
  if (!brink_hdf5_load(&own->library, &diag))
    return brink_results_fail(results, "cannot write %s: %s", results->name, diag.message);
  if (brink_columns_init_given(&own->given, results->columns->system, &results->arena.allocator) !=
          BRINK_OK ||
      !brink_columns_names(&own->given) || !lay_out_rows(results) || !lay_out_events(results))
    return brink_results_fail_memory(results);
  return true;
}

static bool open_hdf5(brink_results *results) {
  if (!lay_out(results)) return false;
  brink_hdf5 *own = results->own;
  own->descriptor = brink_results_create(results);
  return own->descriptor >= 0 && create(results, false) && commit(results);
}

/* ---- going on ---- */

/* The file that an interrupted run has left. It may have more rows than the checkpoint knows of: these come again, with the
 * same values, and nothing is cut off before the end, so that it can be read at every moment. */
static bool reopen(brink_results *results, int64_t rows, int64_t events) {
  brink_hdf5 *own = results->own;
  const brink_hdf5_library *h5 = &own->library;
  char name[BRINK_HDF5_NAME];
  if (!set_aside(own)) return brink_results_fail_memory(results);
  off_t size = lseek(own->descriptor, 0, SEEK_END);
  if (size < 0) return brink_results_fail_file(results, errno);
  brink_disk_reopen(&own->disk, own->descriptor, (uint64_t)size, &results->arena.allocator);
  hid_t access = brink_hdf5_driver_use(h5, &own->disk, &own->driver, name);
  own->file = own->rows.file = own->events.file = h5->H5Fopen(name, BRINK_HDF5_CHANGE, access);
  h5->H5Pclose(access);
  own->disk.committed = own->disk.end;
  if (own->file >= 0 && brink_hdf5_table_reopen(&own->rows, rows) &&
      brink_hdf5_table_reopen(&own->events, events))
    return true;
  return brink_results_fail(results,
                            "cannot go on with %s: it is not the file that the checkpoint was "
                            "written beside, or a part of it is missing",
                            results->name);
}

static bool archive(brink_results *results, brink_archive *a) {
  if (a->reads && !lay_out(results)) return false;
  brink_hdf5 *own = results->own;
  int64_t rows = own->rows.rows, events = own->events.rows;
  if (!a->reads && fsync(own->descriptor) != 0) return brink_results_fail_file(results, errno);
  brink_archive_int64(a, &rows);
  brink_archive_int64(a, &events);
  brink_archive_double(a, &own->last_t);
  if (!brink_archive_check(a, rows == results->rows && events >= 0)) return false;
  if (!a->reads) return true;
  own->descriptor = brink_results_reopen(results);
  return own->descriptor >= 0 && reopen(results, rows, events);
}

static bool cut(brink_results *results) {
  (void)results;
  return true;
}

/* The whole run is still in memory, and the file says nothing of it: another one, without room. */
static bool start_over(brink_results *results) {
  brink_hdf5 *own = results->own;
  brink_hdf5_table *tables[] = {&own->rows, &own->events};
  own->disk.given_up = true;
  dismiss(own);
  brink_disk_free(&own->disk);
  if (ftruncate(own->descriptor, 0) != 0) return brink_results_fail_file(results, errno);
  for (size_t k = 0; k < 2; k++) tables[k]->chunk_rows = tables[k]->used > 0 ? tables[k]->used : 1;
  return create(results, true);
}

static bool close_hdf5(brink_results *results, const char *status, bool complete) {
  brink_hdf5 *own = results->own;
  bool short_run = results->kept == 0 && own->rows.rows == 0 && own->events.rows == 0;
  if (short_run && !start_over(results)) return false;
  if (!brink_hdf5_write_status(own, status, complete)) return fail(results);
  if (!flush(results)) return false;
  if (!brink_hdf5_table_trim(&own->rows) || !brink_hdf5_table_trim(&own->events))
    return fail(results);
  if (!commit(results)) return false;
  dismiss(own);
  if (!brink_hdf5_driver_commit(&own->disk)) return fail(results); /* the end of the file */
  int descriptor = own->descriptor;
  own->descriptor = -1;
  return close(descriptor) == 0 || brink_results_fail_file(results, errno);
}

static void release(brink_results *results) {
  brink_hdf5 *own = results->own;
  if (own == NULL) return;
  own->disk.given_up = true;
  dismiss(own);
  /* What was never committed nobody can read. */
  if (own->descriptor >= 0 && own->disk.committed == 0 && !own->disk.reopened &&
      ftruncate(own->descriptor, 0) != 0)
    errno = 0; /* it stays, and the run has failed */
  if (own->descriptor >= 0) close(own->descriptor);
  brink_disk_free(&own->disk);
  brink_columns_free(&own->given);
}

const brink_results_ops brink_results_hdf5 = {.ending = ".h5",
                                              .open = open_hdf5,
                                              .row = row,
                                              .event = event,
                                              .flush = flush,
                                              .close = close_hdf5,
                                              .archive = archive,
                                              .cut = cut,
                                              .release = release};
