/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_letters.h - streams with transactions, a letter for each packet, and what
 * is said of their transitions, as text. */
#ifndef TESTS_HOST_PT_TSX_LETTERS_H
#define TESTS_HOST_PT_TSX_LETTERS_H

#include "src/pt/tsx_events.h"
#include "tests/pt/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define IP(n) (UINT64_C(0x401000) + (n))

/* clang-format off */

/* A letter is a packet. The n-th packet with an address has IP(n). */
static void write_letter(struct stream *out, char letter, unsigned *ips)
{
    switch (letter) {
    case 'P': put_psb(out); break;
    case 'E': put2(out, 0x02, 0x23); break;
    case 'B': put_mode_tsx(out, 1, 0); break;
    case 'C': put_mode_tsx(out, 0, 0); break;
    case 'A': put_mode_tsx(out, 0, 1); break;
    case 'X': put_mode_tsx(out, 1, 1); break;
    case 'F': put_fup(out, 3, IP((*ips)++)); break;
    case 'T': put_tip(out, 3, IP((*ips)++)); break;
    case 'G': put_ip(out, 0x11, 3, IP((*ips)++)); break;
    case 'D': put_ip(out, 0x01, 3, IP((*ips)++)); break;
    case '0': put_fup(out, 0, 0); break; /* suppressed */
    case '1': put_tip(out, 0, 0); break;
    case 'd': put_ip(out, 0x01, 0, 0); break;
    case 'h': put_fup(out, 1, *ips); break; /* compressed */
    case 'H': put_tip(out, 1, *ips); break;
    case 'z': put_fup(out, 6, 0x1234000000401000); break;
    case 'Z': put_tip(out, 6, 0x1234000000401000); break;
    case 'n': put_tnt(out, 1, 2); break;
    case 'N': put_tnt_64(out, 5, 7); break;
    case 'p': put(out, 0, 1); break;
    case 'c': put_cyc(out, 7); break;
    case 'y': put_cyc(out, 70000); break;
    case 'm': put_mtc(out, 0x17); break;
    case 't': put(out, 0x19, 8); break;
    case 'a': put2(out, 0x02, 0x73); put(out, 0x33, 5); break;
    case 'r': put2(out, 0x02, 0x03); put(out, 0x20, 2); break;
    case 'O': put2(out, 0x02, 0xf3); break;
    case 's': put2(out, 0x02, 0x83); break;
    case 'I': put2(out, 0x02, 0x43); put(out, 0x30, 6); break;
    case 'V': put2(out, 0x02, 0xc8); put(out, 0x30, 5); break;
    case 'x': put2(out, 0x99, 0x01); break;
    case 'w': put2(out, 0x02, 0x12); put(out, 9, 4); break;
    case 'W': put2(out, 0x02, 0x92); put(out, 9, 4); break;
    case 'S': put2(out, 0x02, 0xe2); break;
    case 'M': put2(out, 0x02, 0xc2); put(out, 9, 8); break;
    case 'e': put2(out, 0x02, 0xb3); break;
    case 'f': put2(out, 0x02, 0x13); put(out, 0x81, 2); break;
    case 'g': put(out, 0xd9, 1); put(out, 0x80, 2); break;
    case 'i': put2(out, 0x99, 0x05); break; /* MODE.Exec with IF */
    case 'q': put2(out, 0x02, 0x13); put(out, 0x02, 2); break; /* no IP */
    case 'v': put2(out, 0x02, 0x53); put(out, 0, 1); put(out, 0, 8); break;
    case 'k': put2(out, 0x02, 0x22); put(out, 0x00, 2); break;
    case 'j': put2(out, 0x02, 0xa2); put(out, 0x00, 5); break;
    case 'l': put2(out, 0x02, 0xc3); put(out, 0x88, 8); put(out, 0, 1); break;
    case 'Y': put2(out, 0x99, 0x03); break; /* refused and stepped over */
    case 'Q': put_psb(out); out->bytes[out->size - 7] ^= 0x10; break;
    case '!': put(out, 0x05, 1); break;
    case ' ': break;
    default: fail();
    }
}
/* clang-format on */

/* What is said of one: the transition, @ its ip, > its target, < its region by
 * number, and ! the deviation. */
static void print_event(const struct pt_tsx_event *event, char *out)
{
    static const char *const transitions[] = {"-", "B", "C", "A", "S", "O"};
    static const char *const deviations[PT_DEVIATIONS] = {
        [PT_NO_DEVIATION] = "",           [PT_MODE_WITHOUT_FUP] = "!fup",
        [PT_BEGIN_INSIDE] = "!inside",    [PT_COMMIT_OUTSIDE] = "!outside",
        [PT_ABORT_OUTSIDE] = "!abort",    [PT_ABORT_WITHOUT_TARGET] = "!target",
        [PT_INTX_AND_TXABORT] = "!both",  [PT_EVENT_INSIDE] = "!event",
        [PT_FUP_WITHOUT_TIP] = "!tip",    [PT_STATE_DIFFERS] = "!differs",
        [PT_PSB_WITHOUT_END] = "!psbend", [PT_OWNER_WITHOUT_FUP] = "!owner",
        [PT_INCOMPLETE] = "!end",         [PT_NOT_CANONICAL] = "!canonical",
        [PT_DOUBTFUL] = "!doubt",
    };

    out += sprintf(out, "%s", transitions[event->transition]);
    if (event->transition == PT_STATE)
        out += sprintf(out, "%d", event->in_tx);
    if (event->has_ip)
        out += sprintf(out, "@%" PRId64, (int64_t)(event->ip - IP(0)));
    if (event->has_target)
        out += sprintf(out, ">%" PRId64, (int64_t)(event->target - IP(0)));
    if (event->has_region)
        out += sprintf(out, "<%" PRId64, (int64_t)(event->region - IP(0)));
    sprintf(out, "%s ", deviations[event->deviation]);
}

static bool doubts; /* of read_stream() */

/* Reads a stream in blocks of `step` bytes. */
static void read_stream(const struct stream *in, size_t step, char *out)
{
    struct pt_tsx tsx;
    struct pt_tsx_event event;
    uint8_t *block = NULL;
    size_t fed = 0;
    enum pt_result result;

    pt_tsx_open(&tsx);
    tsx.doubts = doubts;
    *out = '\0';
    do {
        const size_t rest = tsx.reader.size - tsx.reader.at;
        const size_t more = in->size - fed < step ? in->size - fed : step;
        result = pt_tsx_next(&tsx, &event);
        if (result == PT_MORE) {
            uint8_t *next = malloc(rest + PT_REST + more);
            const size_t left = tsx.reader.size - tsx.reader.at;
            assert_non_null(next);
            if (left != 0)
                memcpy(next, tsx.reader.bytes + tsx.reader.at, left);
            memcpy(next + left, in->bytes + fed, more);
            free(block);
            block = next;
            fed += more;
            pt_feed(&tsx.reader, block, left + more, fed == in->size);
        } else if (result == PT_OK) {
            print_event(&event, out);
            assert_true(event.offset < in->size && event.at >= event.offset);
            if (event.transition == PT_OVERFLOW)
                assert_int_equal(in->bytes[event.offset + 1], 0xf3);
            else if (event.transition != PT_NO_TRANSITION)
                assert_int_equal(in->bytes[event.offset], 0x99);
        } else if (result != PT_END) {
            strcpy(out, result == PT_LOST  ? "lost "
                        : result == PT_CUT ? "cut "
                                           : "error ");
        }
        out += strlen(out);
    } while (result != PT_END);
    free(block);
}

static void write_row(struct stream *out, const char *letters, size_t filling)
{
    unsigned ips = 0;

    for (const char *l = *letters == 'P' ? "" : "PFCE"; *l != '\0'; l++)
        write_letter(out, *l, &ips);
    for (; *letters != '\0'; letters++) {
        for (size_t i = 0; i < filling && out->size != 0; i++)
            write_letter(out, "cpmycc"[i % 6], &ips);
        write_letter(out, *letters, &ips);
    }
    for (size_t i = 0; i < filling; i++)
        write_letter(out, 'c', &ips);
}

#endif
