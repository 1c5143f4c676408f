/* SPDX-License-Identifier: BSD-2-Clause */
/* resume.h - a report goes on where a reset or a power cut ended it. */
#ifndef SRC_SESSION_RESUME_H
#define SRC_SESSION_RESUME_H

#include "src/session/outcomes.h"
#include "src/report/ktap.h"
#include "src/session/session.h"
#include "src/store/store.h"

/* What store_find() has found, as a line: how far the run came. Returns out. */
const char *resume_offer(const struct store *found, char out[STORE_LINE_BYTES]);

/* Opens the report after what is written of it, which every sink but the
 * store's own gets again: each of them then holds the whole. The test that ran
 * is an ERROR. point: store_resumed(). */
void resume_report(struct ktap *out, const struct session_setup *setup,
                   const struct resume_point *point, const struct suite *suite,
                   struct outcomes *outcomes);

/* The next result is ERROR, and its test is not tried. */
void resume_error(struct ktap *out, const struct suite *suite,
                  struct outcomes *outcomes, const char *reason);
/* The same: its test reset the machine in an earlier round. */
void resume_refuse(struct ktap *out, const struct suite *suite,
                   struct outcomes *outcomes);

/* The rest of the suite as ERROR, no test tried (store_is_given_up()). */
void resume_give_up(struct ktap *out, const struct suite *suite,
                    struct outcomes *outcomes);

#endif
