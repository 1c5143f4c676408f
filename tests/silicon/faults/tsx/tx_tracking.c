/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_tracking.c - XSUSLDTRK and XRESLDTRK: what joins the sets between them,
 * and what aborts. Each entry names what it breaks: rules.h.
 */
#include "tests/silicon/model/fault.h"

FAULT(tracking_not_suspended,
      .what = "[sapphirerapids] loads after XSUSLDTRK are in the read set",
      .caught = {"sapphirerapids off 2 tsx_load_tracking FAIL"},
      .breaks = SUSPENDED_NOT_TRACKED)

FAULT(tracking_not_resumed,
      .what = "[sapphirerapids] loads after XRESLDTRK are not in the read set",
      .caught = {"sapphirerapids off 2 tsx_load_tracking FAIL"},
      .breaks = RESUMED_TRACKED)

FAULT(tracking_spares_stores,
      .what = "[sapphirerapids] lines stored to after XSUSLDTRK are not in the "
              "write set",
      .caught = {"sapphirerapids off 2 tsx_load_tracking FAIL"},
      .breaks = SUSPENDED_STORES)

FAULT(tracking_lets_commit,
      .what = "[sapphirerapids] XEND and XBEGIN after XSUSLDTRK do not abort",
      .caught = {"sapphirerapids on 2 tsx_load_tracking FAIL"},
      .breaks = SUSPENDED_NO_XEND)

FAULT(tracking_keeps_stores,
      .what = "[sapphirerapids] an abort does not undo stores after XSUSLDTRK",
      .caught = {"sapphirerapids off 2 tsx_load_tracking FAIL"},
      .breaks = SUSPENDED_UNDONE)

FAULT(tracking_suspends_twice,
      .what = "[sapphirerapids] a second XSUSLDTRK does not abort",
      .caught = {"sapphirerapids on 2 tsx_load_tracking FAIL"},
      .breaks = SUSPENDED_ONCE)
