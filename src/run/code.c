/* code.c: instances of what was built. The first one is translated and compiled; what it shares with its clones is kept
 * with what was built, so that further runs of an unchanged model, with the same settings, cost a few allocations. Machine
 * code that is loaded is kept with the model: most changes of values leave it as it is. */
#include <string.h>

#include "run/hsml.h"

struct brink_kept_code {
  brink_shared *shared; /* NULL: nothing yet */
  brink_instance_options wishes;
  brink_writable writable;
  char *cache;
};

static size_t count_systems(const brink_built *built) {
  return built->tables != NULL ? built->tables->npopulations + built->tables->npairs : 1;
}

/* What pointers in it lead to is compared by itself. Which slots vary follows from the system and from `writable`. */
static brink_instance_options without_pointers(const brink_instance_options *wishes) {
  brink_instance_options plain;
  memcpy(&plain, wishes, sizeof plain);
  plain.cache = NULL;
  plain.varies_p = plain.varies_mode = NULL;
  return plain;
}

static bool same_text(const char *a, const char *b) {
  return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

/* Bytes, not members: a member that nobody has thought of here is compared, too. */
static bool serves(const brink_kept_code *kept, const brink_instance_options *wishes,
                   brink_writable writable) {
  brink_instance_options plain = without_pointers(wishes);
  return kept->shared != NULL && kept->writable == writable &&
         same_text(kept->cache, wishes->cache) && memcmp(&kept->wishes, &plain, sizeof plain) == 0;
}

static void forget(brink_kept_code *kept) {
  brink_shared_release(kept->shared);
  if (kept->cache != NULL) brink_release(NULL, kept->cache, strlen(kept->cache) + 1, 1);
  *kept = (brink_kept_code){0};
}

/* Without memory for it nothing is kept. */
static void keep(brink_kept_code *kept, const brink_instance_options *wishes,
                 brink_writable writable, const brink_instance *instance) {
  forget(kept);
  if (wishes->cache != NULL) {
    size_t size = strlen(wishes->cache) + 1;
    kept->cache = brink_allocate(NULL, size, 1);
    if (kept->cache == NULL) return;
    memcpy(kept->cache, wishes->cache, size);
  }
  brink_instance_options plain = without_pointers(wishes);
  memcpy(&kept->wishes, &plain, sizeof plain);
  kept->writable = writable;
  kept->shared = brink_instance_share_more(instance);
}

brink_status brink_built_instance(brink_built *built, size_t which, brink_system *system,
                                  const brink_instance_options *wishes, brink_writable writable,
                                  brink_diag *diag, brink_instance **instance) {
  if (built->codes == NULL)
    built->codes = brink_allocate(NULL, count_systems(built), sizeof *built->codes);
  brink_kept_code *kept = built->codes != NULL ? &built->codes[which] : NULL;
  if (kept != NULL && serves(kept, wishes, writable))
    return brink_shared_instance(kept->shared, NULL, diag, instance);
  brink_hsml *model = built->model;
  if (model->objects == NULL) model->objects = brink_object_store_create(NULL);
  brink_instance_options with_objects = *wishes;
  with_objects.objects = model->objects;
  brink_status status = brink_instance_create(system, &with_objects, NULL, diag, instance);
  if (status == BRINK_OK && kept != NULL) keep(kept, wishes, writable, *instance);
  return status;
}

void brink_built_forget_code(brink_built *built) {
  size_t count = count_systems(built);
  for (size_t k = 0; built->codes != NULL && k < count; k++) forget(&built->codes[k]);
  brink_release(NULL, built->codes, count, sizeof *built->codes);
  built->codes = NULL;
}
