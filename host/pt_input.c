/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_input.c - reads blocks, and says what is wrong with the packets. */
#include "host/pt_input.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

bool pt_read_block(struct pt_input *input, struct pt_reader *reader)
{
    size_t rest = reader->size - reader->at, got;

    if (rest != 0)
        memmove(input->bytes, reader->bytes + reader->at, rest);
    got = fread(input->bytes + rest, 1, PT_BLOCK, input->file);
    if (ferror(input->file)) {
        fprintf(stderr, "tsxpmu: %s: at 0x%" PRIx64 ": %s\n", input->name,
                pt_offset(reader) + rest, strerror(errno));
        return input->good = false;
    }
    pt_feed(reader, input->bytes, rest + got, got < PT_BLOCK);
    return true;
}

bool pt_complains(struct pt_input *input)
{
    input->good = false;
    return input->complaints++ < PT_COMPLAINTS && !input->quiet;
}

/* The opcode: one byte, or two from 02H on. */
static void print_opcode_error(const struct pt_reader *reader)
{
    const uint8_t *bytes = reader->bytes + reader->at;

    fprintf(stderr, "%s %02XH", pt_result_text(PT_UNDEFINED_OPCODE), bytes[0]);
    if (bytes[0] == 0x02)
        fprintf(stderr, " %02XH", bytes[1]);
    fputc('\n', stderr);
}

void pt_complain(struct pt_input *input, const struct pt_reader *reader,
                 enum pt_result result)
{
    const uint64_t from = reader->where, to = pt_offset(reader);

    if (!pt_complains(input))
        return;
    fprintf(stderr, "tsxpmu: %s: at 0x%" PRIx64 ": ", input->name, from);
    if (result == PT_LOST)
        fprintf(stderr, "%" PRIu64 " bytes passed over: %s\n", to - from,
                reader->synced ? "then a PSB" : "no PSB to the end");
    else if (result == PT_CUT)
        fprintf(stderr, "%s, after %" PRIu64 " bytes of it\n",
                pt_result_text(result), to - from);
    else if (result == PT_UNDEFINED_OPCODE)
        print_opcode_error(reader);
    else
        fprintf(stderr, "%s\n", pt_result_text(result));
}

void pt_end_complaints(const struct pt_input *input)
{
    if (input->complaints > PT_COMPLAINTS && !input->quiet)
        fprintf(stderr, "tsxpmu: %s: %" PRIu64 " more of these\n", input->name,
                input->complaints - PT_COMPLAINTS);
}
