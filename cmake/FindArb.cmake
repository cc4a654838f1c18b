# Arb and the libraries it stands on. Debian 12 calls it libflint-arb and ships no .pc file.
# Sets ARB_FOUND and defines Arb::arb.

find_path(ARB_INCLUDE_DIR arb.h)
find_library(ARB_LIBRARY NAMES flint-arb arb)
find_library(FLINT_LIBRARY flint)
find_library(MPFR_LIBRARY mpfr)
find_library(GMP_LIBRARY gmp)
mark_as_advanced(ARB_INCLUDE_DIR ARB_LIBRARY FLINT_LIBRARY MPFR_LIBRARY GMP_LIBRARY)

set(ARB_FOUND FALSE)
if(ARB_INCLUDE_DIR AND ARB_LIBRARY AND FLINT_LIBRARY AND MPFR_LIBRARY AND GMP_LIBRARY)
  set(ARB_FOUND TRUE)
  if(NOT TARGET Arb::arb)
    add_library(Arb::arb INTERFACE IMPORTED)
    set_target_properties(Arb::arb PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES ${ARB_INCLUDE_DIR}
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${ARB_INCLUDE_DIR};${ARB_INCLUDE_DIR}/flint"
      INTERFACE_LINK_LIBRARIES "${ARB_LIBRARY};${FLINT_LIBRARY};${MPFR_LIBRARY};${GMP_LIBRARY}")
  endif()
endif()
