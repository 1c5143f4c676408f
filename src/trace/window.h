/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * window.h - the window of asm/trace_window.h traced, and its trace judged
 * packet by packet against the path that its body takes.
 */
#ifndef SRC_TRACE_WINDOW_H
#define SRC_TRACE_WINDOW_H

#include "asm/trace_window.h"
#include "src/trace/parts.h"
#include "src/trace/path.h"
#include "src/trace/trace.h"

#define WINDOW_TURNS_MAX  4096
#define WINDOW_TURN_STEPS (TRACE_LOOP_JUMPS + 1)

/* A window and what it leaves: TIP.PGE after the WRMSR that sets TraceEn, the
 * rows of the body, FUP and TIP.PGD at the WRMSR that clears it. */
struct window {
    struct trace_window code;
    const struct trace_row *rows; /* NULL: the loop, with code.count turns */
    uint8_t others[WINDOW_TURNS_MAX / 8]; /* a bit a turn */
    const struct parts
        *parts;      /* the output; NULL: the usual one, trace_arm() */
    uint8_t *gates;  /* the IDT meanwhile; NULL: as it is */
    const void *gdt; /* with gates: the GDT meanwhile; NULL: as it is */
    uint16_t gdt_bytes;
    unsigned fixed;   /* IA32_FIXED_CTRn, 0 before each try; 0: none */
    uint64_t counted; /* what it holds after the last */
    unsigned times;  /* how often it runs before the trace is read: usually 1 */
    uint64_t status; /* IA32_RTIT_STATUS before each but the first; 0: as is */
    unsigned runs;   /* of the last window_trace(), the disturbed ones too */
    bool bare;       /* the rows are all of it: PacketEn is 0 at both ends */
    bool repeated;   /* after the jump to the body the rows are those of one of
                        code.count turns, each with a branch back at its end */
    struct path path;
};

/* Fills it in; code.argument and count are the caller's. */
void window_set(struct window *w, const uint8_t *body,
                const struct trace_row *rows);

/* The same with trace_body_loop, so many turns of it, the path drawn by the
 * test's own random numbers. One turn leaves WINDOW_TURN_BYTES or more, and not
 * more than WINDOW_TURN_BYTES_MAX but for PSB+. */
void window_set_loop(struct window *w, struct test_context *t, unsigned turns);
#define WINDOW_TURN_BYTES     12
#define WINDOW_TURN_BYTES_MAX 44

/* Nothing is left: PacketEn stays 0. */
void window_set_silent(struct window *w, const uint8_t *body);

/* Arms, runs the window, stops; again where an SMI or an overflow came between,
 * at most TRACE_TRIES times. False where an access faulted (ERROR is said) or
 * none was undisturbed (SKIP). The trace is in memory then. */
bool window_trace(struct trace *p, struct window *w, struct path_seen *seen);

/* The same, checked; `what` is for the line. Returns whether the trace is that
 * of the path; false too where there is none. */
bool window_check(struct trace *p, const char *what, struct window *w,
                  struct path_seen *seen);

/* The same for an output in parts, of which at most WINDOW_COPY_BYTES may be
 * written: no byte outside, the pointers where the trace ends, neither Error
 * nor Stopped. */
bool window_check_parts(struct trace *p, const char *what, struct window *w,
                        const struct parts *parts, struct path_seen *seen);
#define WINDOW_COPY_BYTES 8192u

/* Checks these bits of IA32_RTIT_STATUS (571H), as trace_body_status read it
 * while TraceEn was 1. */
void window_check_status(struct trace *p, const char *what, uint64_t status,
                         uint64_t bits, uint64_t want);

/* The check alone. */
bool window_judge(struct trace *p, const char *what,
                  const struct path_seen *seen);

#endif
