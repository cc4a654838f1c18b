# Flags of every target of this project; users of the library inherit none of them.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE) # -O2 -g
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_definitions(_POSIX_C_SOURCE=200809L)

# The same bits with every compiler and level of optimisation: no fused multiply-add that the
# source does not ask for, and never -ffast-math.
add_compile_options(-ffp-contract=off)
if("${CMAKE_C_FLAGS}" MATCHES "-ffast-math|-Ofast|-funsafe-math-optimizations")
  message(FATAL_ERROR "Brink relies on IEEE arithmetic: build it without -ffast-math")
endif()

# Warnings are errors in the presets (CMAKE_COMPILE_WARNING_AS_ERROR), not for a packager with a
# compiler we have not seen. scripts/check-headers repeats this list.
add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
  -Wundef -Wformat=2)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wdouble-promotion) # clang takes NAN and INFINITY, which are floats, for slips
endif()

set(BRINK_SANITIZE "" CACHE STRING "Sanitizers to build with, such as address,undefined or thread")
if(BRINK_SANITIZE)
  add_compile_options(
    -fsanitize=${BRINK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${BRINK_SANITIZE})
endif()

# Coverage for libFuzzer in the library itself; the fuzzer's main only in the fuzz targets.
if(BRINK_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# What makes faults of memory harder to use (docs/decisions/0030-hostile-input.md): addresses that change with every start,
# tables of the linker that cannot be written, guards on the stack and on the way back from functions, checked
# calls of the C library. None of them changes a result.
option(BRINK_HARDEN "Compile and link with the hardening flags of the compiler" ON)
if(BRINK_HARDEN AND NOT BRINK_SANITIZE AND NOT BRINK_FUZZ)
  include(CheckCCompilerFlag)
  include(CheckPIESupported)
  cmake_policy(SET CMP0083 NEW)
  check_pie_supported(LANGUAGES C)
  set(harden -fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64|i[3-6]86")
    list(APPEND harden -fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    list(APPEND harden -mbranch-protection=standard)
  endif()
  foreach(flag IN LISTS harden)
    string(MAKE_C_IDENTIFIER "BRINK_HAS${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
      add_compile_options(${flag})
    endif()
  endforeach()
  # It needs optimisation.
  add_compile_options(
    "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
  endif()
endif()
