/* page.h: the template of the report's page, made when the program is built (page/, cmake/BrinkPage.cmake). */
#ifndef BRINK_RECORD_PAGE_H
#define BRINK_RECORD_PAGE_H

#include <stddef.h>

extern const unsigned char brink_page[];
extern const size_t brink_page_size;

#endif
