/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_clock.h - what time it is on the fake hardware. */
#ifndef TESTS_HOST_FAKES_FAKE_CLOCK_H
#define TESTS_HOST_FAKES_FAKE_CLOCK_H

#include <stdint.h>

extern uint64_t fake_tsc;

#endif
