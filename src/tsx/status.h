/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * status.h - the abort status that an aborted transaction leaves in EAX.
 *
 * SDM 1, "Programming with Intel Transactional Synchronization Extensions",
 * table "RTM Abort Status Definition".
 */
#ifndef SRC_TSX_STATUS_H
#define SRC_TSX_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#define RTM_STATUS_XABORT     (UINT32_C(1) << 0) /* XABORT was executed */
#define RTM_STATUS_RETRY      (UINT32_C(1) << 1) /* may succeed on a retry */
#define RTM_STATUS_CONFLICT   (UINT32_C(1) << 2)
#define RTM_STATUS_CAPACITY   (UINT32_C(1) << 3)
#define RTM_STATUS_BREAKPOINT (UINT32_C(1) << 4)
#define RTM_STATUS_NESTED     (UINT32_C(1) << 5)
#define RTM_STATUS_RESERVED   UINT32_C(0x00ffffc0) /* [23:6] */
#define RTM_STATUS_CODE       UINT32_C(0xff000000) /* [31:24], where [0] is 1 */

/* All that name a cause, or where it was met; retry is a guess. */
#define RTM_STATUS_CAUSES                                            \
    (RTM_STATUS_XABORT | RTM_STATUS_CONFLICT | RTM_STATUS_CAPACITY | \
     RTM_STATUS_BREAKPOINT | RTM_STATUS_NESTED)

/* A forced abort leaves 0 (white paper 604224, table A-1). */
#define RTM_STATUS_FORCED UINT32_C(0)

/* What EAX holds before XBEGIN here, and after it where it starts: no abort
 * status, because reserved bits are set. */
#define RTM_STATUS_STARTED UINT32_C(0xffffffff)

/* False where reserved bits are set, or, contrary to the table, a code without
 * XABORT, or XABORT and retry. */
bool rtm_status_is_possible(uint32_t status);

#define RTM_STATUS_TEXT 80

/* The names of the bits that are set, "0" where none is, in text[80]. Reserved
 * bits are named as such. Returns text. */
const char *rtm_status_text(uint32_t status, char text[RTM_STATUS_TEXT]);

#endif
