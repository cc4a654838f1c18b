/* instance_native.c: machine code for what runs often (see instance.h). */
#include "native/instance.h"

brink_status brink_instance_compile(brink_instance *instance, const char *cache,
                                    brink_diag *diag) {
  (void)instance, (void)cache, (void)diag;
  return BRINK_OK; /* the interpreter does it */
}

void brink_instance_unload(brink_instance *instance) {
  (void)instance;
}
