# KLU of SuiteSparse. Sets KLU_FOUND, KLU_INCLUDE_DIR, KLU_LINK (its static archives, in link order, or, where these are
# missing, the shared library), KLU_NAMES (the same for a linker) and KLU_SHARED_LIBRARY.

find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
find_library(KLU_SHARED_LIBRARY NAMES klu)
mark_as_advanced(KLU_INCLUDE_DIR KLU_SHARED_LIBRARY)

# A library stands before the ones it uses.
set(KLU_NAMES klu btf amd colamd suitesparseconfig)
set(KLU_LINK "")
foreach(part IN LISTS KLU_NAMES)
  find_library(KLU_${part}_ARCHIVE NAMES lib${part}.a)
  mark_as_advanced(KLU_${part}_ARCHIVE)
  if(KLU_${part}_ARCHIVE)
    list(APPEND KLU_LINK ${KLU_${part}_ARCHIVE})
  else()
    set(klu_archive_missing TRUE)
  endif()
endforeach()
if(klu_archive_missing)
  set(KLU_LINK ${KLU_SHARED_LIBRARY})
endif()

set(KLU_FOUND OFF)
if(KLU_INCLUDE_DIR AND KLU_SHARED_LIBRARY)
  set(KLU_FOUND ON)
endif()
