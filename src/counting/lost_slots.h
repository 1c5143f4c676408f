/* SPDX-License-Identifier: BSD-2-Clause */
/* lost_slots.h - work that some slots of the pipeline are certainly lost in, as
 * counting_work(); the argument is a uint64_t. */
#ifndef SRC_COUNTING_LOST_SLOTS_H
#define SRC_COUNTING_LOST_SLOTS_H

/* By branches of random direction, which the argument is changed by. */
void lost_unpredictable(void *argument);

/* By a load of the argument, whose line was flushed. */
void lost_from_memory(void *argument);

/* By a call of code that was flushed. */
void lost_code_from_memory(void *argument);

#endif
