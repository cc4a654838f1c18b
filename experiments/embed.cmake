# Writes files as C, as <experiments/lab.h> declares them:
#   cmake -D ROOT=… -D "FILES=models/a/model.hsml;…" -D OUT=carried.c -P embed.cmake
set(bodies "")
set(rows "")
set(number 0)
string(REPLACE "|" ";" FILES "${FILES}")
foreach(path IN LISTS FILES)
  file(READ ${ROOT}/${path} bytes HEX)
  string(LENGTH "${bytes}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  string(APPEND bodies "static const unsigned char text${number}[] = {\n${bytes}0\n};\n")
  string(APPEND rows "    {\"${path}\", text${number}, ${length}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "/* Made by experiments/embed.cmake. */
#include \"experiments/lab.h\"

${bodies}
const brink_lab_file brink_lab_files[] = {
${rows}};
const size_t brink_lab_file_count = sizeof brink_lab_files / sizeof *brink_lab_files;
")
