# Writes a file as a C array: cmake -D IN=page.html -D OUT=page.c -D NAME=brink_page -P embed.cmake
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "/* Made by page/embed.cmake. */
#include \"record/page.h\"

const unsigned char ${NAME}[] = {
${bytes}
};
const size_t ${NAME}_size = sizeof ${NAME};
")
