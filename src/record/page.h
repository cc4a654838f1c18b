/* page.h: the templates of the report pages, made when the program is built (page/, cmake/BrinkPage.cmake). */
#ifndef BRINK_RECORD_PAGE_H
#define BRINK_RECORD_PAGE_H

#include <stddef.h>

/* Of a run. */
extern const unsigned char brink_page[];
extern const size_t brink_page_size;

/* Of a sweep. */
extern const unsigned char brink_sweep_page[];
extern const size_t brink_sweep_page_size;

#endif
