/* SPDX-License-Identifier: BSD-2-Clause */
/* sink.h - a place that a report goes to. */
#ifndef SRC_REPORT_SINK_H
#define SRC_REPORT_SINK_H

#include <stddef.h>

/* Where a report goes. Called with whole lines, ending in "\n", as they arise.
 * Neither function may block or fail: what cannot be written is the sink's own
 * business. */
struct sink {
    void (*write)(void *self, const char *text, size_t bytes);
    void (*flush)(void *self); /* after each test */
    void *self;
    void (*tick)(void *self); /* again and again meanwhile; may be NULL */
    /* What went wrong since the last call, for the other sinks; NULL: nothing.
     * The function itself may be NULL. */
    const char *(*failure)(void *self);
};

#endif
