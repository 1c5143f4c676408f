/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_input.c - reads blocks, and says what is wrong with the packets. */
#include "host/pt_input.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Where the complaint is: the file, and which part of it. */
static void print_place(const struct pt_input *input, uint64_t offset)
{
    fprintf(stderr, "tsxpmu: %s: ", input->name);
    if (input->part != NULL)
        fprintf(stderr, "%s: ", input->part);
    fprintf(stderr, "at 0x%" PRIx64 ": ", offset);
}

/* The next bytes of the trace, as many as there are and `size` at most; a
 * piece is used up as it is read. */
static size_t read_bytes(struct pt_input *input, uint8_t *bytes, size_t size)
{
    size_t got = 0;

    if (input->pieces == NULL)
        return fread(bytes, 1, size, input->file);
    while (got < size && input->piece_count != 0) {
        struct pt_piece *piece = input->pieces;
        const size_t want =
            piece->size < size - got ? (size_t)piece->size : size - got;
        if (fseeko(input->file, (off_t)piece->at, SEEK_SET) != 0 ||
            fread(bytes + got, 1, want, input->file) != want)
            break;
        got += want;
        piece->at += want;
        piece->size -= want;
        if (piece->size == 0) {
            input->pieces++;
            input->piece_count--;
        }
    }
    return got;
}

/* How many bytes before the reader's place are kept, of those that are there:
 * what is passed over. */
static size_t bytes_to_hold(const struct pt_reader *reader, size_t there)
{
    const uint64_t lost = pt_offset(reader) - reader->lost;
    const size_t most = there < PT_SALVAGE ? there : PT_SALVAGE;

    if (reader->synced)
        return 0;
    return lost < most ? (size_t)lost : most;
}

/* The next block, after what the reader left of the last one. False: the file
 * cannot be read. */
static bool read_block(struct pt_input *input, struct pt_reader *reader)
{
    const size_t rest = reader->size - reader->at;
    const size_t held = bytes_to_hold(reader, input->held + reader->at);
    uint8_t *block = input->bytes + held;

    if (held + rest != 0)
        memmove(input->bytes, reader->bytes + reader->at - held, held + rest);
    const size_t got = read_bytes(input, block + rest, PT_BLOCK);
    if (ferror(input->file)) {
        print_place(input, pt_offset(reader) + rest);
        fprintf(stderr, "%s\n", strerror(errno));
        return input->good = false;
    }
    input->held = held;
    pt_feed(reader, block, rest + got, got < PT_BLOCK);
    return true;
}

void pt_continue(struct pt_input *input, struct pt_reader *reader)
{
    const uint64_t at = pt_offset(reader);

    input->held = bytes_to_hold(reader, (size_t)at);
    if (input->held != 0)
        memcpy(input->bytes, reader->bytes + reader->at - input->held,
               input->held);
    pt_feed(reader, input->bytes + input->held, 0, false);
    if (fseeko(input->file, (off_t)at, SEEK_SET) != 0)
        input->good = false;
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

/* A line for a result that is no packet. */
static void complain(struct pt_input *input, const struct pt_reader *reader,
                     enum pt_result result)
{
    const uint64_t from = reader->where, to = pt_offset(reader);

    if (!pt_complains(input))
        return;
    print_place(input, from);
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

bool pt_go_on(struct pt_input *input, struct pt_reader *reader,
              enum pt_result result, FILE *out)
{
    if (result == PT_MORE)
        return read_block(input, reader);
    if (result > PT_END && reader->where >= input->from &&
        reader->where < input->to) {
        if (input->complaints < PT_COMPLAINTS)
            fflush(out); /* so that the line comes last on a terminal */
        complain(input, reader, result);
    }
    if (result == PT_END && pt_offset(reader) == 0 && pt_complains(input)) {
        print_place(input, 0);
        fputs("empty, no packet\n", stderr);
    }
    return result != PT_END && pt_offset(reader) < input->to && !ferror(out);
}

void pt_end_complaints(const struct pt_input *input)
{
    if (input->complaints > PT_COMPLAINTS && !input->quiet)
        fprintf(stderr, "tsxpmu: %s: %" PRIu64 " more of these\n", input->name,
                input->complaints - PT_COMPLAINTS);
}
