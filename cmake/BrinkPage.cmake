# The pages of reports, of a run and of a sweep, bundled by scripts/page (node and npm) and built into the library:
#
#   brink_add_page(target)     adds the pages, as <record/page.h> declares them, to a target
#   brink_add_page_test()      the test that opens reports in a browser
#
# BRINK_PAGE  ON     bundle page/ (the packages that its lock file pins come from the npm registry)
#             FILE   take a page that was bundled before (page.html), and beside it that of sweeps (page-sweep.html)
#             OFF    a page that only holds the data

set(brink_page_default "OFF")
if(BRINK_PROGRAM)
  set(brink_page_default "ON")
endif()
set(BRINK_PAGE "${brink_page_default}" CACHE STRING "The page of reports: ON (bundle it), OFF (only its data), or a bundled page")

option(BRINK_BROWSER_TESTS "Test the page of reports in chromium (fetches npm packages)" OFF)

set(brink_page_embed ${PROJECT_SOURCE_DIR}/page/embed.cmake)

if(BRINK_PAGE MATCHES "^(OFF|NO|FALSE|0)$")
  set(brink_page_html ${PROJECT_SOURCE_DIR}/page/plain.html)
  set(brink_sweep_page_html ${brink_page_html})
elseif(NOT BRINK_PAGE MATCHES "^(ON|YES|TRUE|1)$")
  get_filename_component(brink_page_html ${BRINK_PAGE} ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  string(REGEX REPLACE "\\.html$" "" brink_sweep_page_html ${brink_page_html})
  string(APPEND brink_sweep_page_html "-sweep.html")
  foreach(file ${brink_page_html} ${brink_sweep_page_html})
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "BRINK_PAGE names a file that is not there: ${file} (scripts/page writes both of them)")
    endif()
  endforeach()
else()
  find_program(BRINK_NODE NAMES node nodejs)
  find_program(BRINK_NPM npm)
  if(NOT BRINK_NODE OR NOT BRINK_NPM)
    message(FATAL_ERROR "The pages of reports are bundled with node (18 or later) and npm: Debian packages "
      "nodejs and npm. Without them configure with -DBRINK_PAGE=OFF (reports hold their data, but no plots).")
  endif()
  set(brink_page_html ${PROJECT_BINARY_DIR}/page/page.html)
  set(brink_sweep_page_html ${PROJECT_BINARY_DIR}/page/page-sweep.html)
  file(GLOB page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/page/src/*.* ${PROJECT_SOURCE_DIR}/page/src/sweep/*)
  add_custom_command(
    OUTPUT ${brink_page_html} ${brink_sweep_page_html}
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/page ${brink_page_html}
    DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/page/build.mjs ${PROJECT_SOURCE_DIR}/page/package-lock.json
      ${PROJECT_SOURCE_DIR}/scripts/page
    COMMENT "Bundling the pages of reports"
    VERBATIM)
endif()

set(brink_page_sources)
foreach(name brink_page brink_sweep_page)
  set(source ${PROJECT_BINARY_DIR}/page/${name}.c)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -D IN=${${name}_html} -D OUT=${source} -D NAME=${name} -P ${brink_page_embed}
    DEPENDS ${${name}_html} ${brink_page_embed}
    COMMENT "Turning the page ${${name}_html} into C"
    VERBATIM)
  list(APPEND brink_page_sources ${source})
endforeach()
add_custom_target(page DEPENDS ${brink_page_sources})

function(brink_add_page target)
  target_sources(${target} PRIVATE ${brink_page_sources})
  add_dependencies(${target} page)
endfunction()

function(brink_add_page_test)
  if(NOT BRINK_BROWSER_TESTS)
    return()
  endif()
  find_program(BRINK_CHROMIUM NAMES chromium chromium-browser)
  if(NOT BRINK_CHROMIUM OR NOT BRINK_NODE)
    message(STATUS "chromium or node not found: the tests of the page are skipped "
      "(Debian packages chromium, nodejs and npm)")
    return()
  endif()
  brink_add_test_alone(test_page
    ${PROJECT_SOURCE_DIR}/scripts/page --test ${brink_page_html} $<TARGET_FILE:brink_program>)
  set_tests_properties(test_page PROPERTIES LABELS page ENVIRONMENT "BRINK_CHROMIUM=${BRINK_CHROMIUM}")
endfunction()
