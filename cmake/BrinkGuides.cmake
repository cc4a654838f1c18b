# Manual pages and completion, written by the program itself: it has the table of commands and options.
#
#   cmake -D PROGRAM=brink -D OUT=DIRECTORY -P BrinkGuides.cmake
#
# makes OUT/man1/brink.1, OUT/man1/brink-COMMAND.1 for every command, OUT/brink.bash, OUT/_brink (zsh) and
# OUT/brink.fish.

# guide(FILE WORD...): what `brink WORD...` prints becomes OUT/FILE
function(guide file)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${OUT}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${OUT}) # a page of a command that is no more
file(MAKE_DIRECTORY ${OUT}/man1)
guide(man1/brink.1 manual)

file(STRINGS ${OUT}/man1/brink.1 commands REGEX "^\\.It Cm ")
if(NOT commands)
  message(FATAL_ERROR "brink(1) names no commands")
endif()
foreach(command IN LISTS commands)
  string(REGEX REPLACE "^\\.It Cm ([a-z-]+).*" "\\1" command "${command}")
  guide(man1/brink-${command}.1 manual ${command})
endforeach()

guide(brink.bash completion bash)
guide(_brink completion zsh)
guide(brink.fish completion fish)
file(TOUCH ${OUT}/stamp)
