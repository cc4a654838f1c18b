/* page_data.h: reads the data of a report back from its page. */
#ifndef BRINK_TESTS_PAGE_DATA_H
#define BRINK_TESTS_PAGE_DATA_H

#include "support/json.h"

/* The object in a page, to be freed by json_free; NULL if there is none. */
json *page_data(const char *page);

/* The numbers of an encoded array (malloc); *count of them. NULL: it is none, or is damaged. */
double *page_numbers(const json *array, size_t *count);

/* The numbers of a recorded column by its name. */
double *page_column(const json *data, const char *name, size_t *count);

#endif
