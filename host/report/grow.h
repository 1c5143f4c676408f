/* SPDX-License-Identifier: BSD-2-Clause */
/* grow.h - arrays that grow. */
#ifndef HOST_REPORT_GROW_H
#define HOST_REPORT_GROW_H

#include <stdlib.h>

/* Room for one more in `array` of `count`: doubled at each power of two. Aborts
 * where there is no memory. */
static inline void *grow(void *array, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return array;
    array = reallocarray(array, count == 0 ? 1 : 2 * count, size);
    if (array == NULL)
        abort();
    return array;
}

#define APPEND(array, count, ...)                        \
    ((array) = grow((array), (count), sizeof(*(array))), \
     (array)[(count)++] = (__VA_ARGS__))

#endif
