/* SPDX-License-Identifier: BSD-2-Clause */
/* synchronisation.c - where a reader of Processor Trace begins, and where it
 * goes on after damage; blocks of every size. */
#include "src/pt/psb.h"
#include "tests/host/pt/reading.h"

static void expect_next(struct reading *in, enum pt_result result,
                        uint64_t where, uint64_t offset)
{
    struct pt_packet packet;

    assert_int_equal(pt_next(&in->reader, &packet), result);
    if (result != PT_OK)
        assert_int_equal(in->reader.where, where);
    assert_int_equal(pt_offset(&in->reader), offset);
}

/* From `where` to the PSB is lost, the PSB is decoded. */
static void expect_psb_at(const void *bytes, size_t size, uint64_t at)
{
    struct reading in;

    begin(&in, bytes, size, true);
    if (at != 0)
        expect_next(&in, PT_LOST, 0, at);
    expect_next(&in, PT_OK, 0, at + PSB_LENGTH);
    finish(&in);
}

static void synchronises(void **state)
{
    struct reading in;
    uint8_t bytes[128];

    (void)state;
    begin(&in, "", 0, true);
    expect_next(&in, PT_END, 0, 0);
    finish(&in);
    begin(&in, "\x04\x04\x02\x82", 4, true);
    expect_next(&in, PT_LOST, 0, 4);
    expect_next(&in, PT_END, 4, 4);
    finish(&in);
    for (size_t before = 0; before < 64; before++)
        for (unsigned fill = 0; fill < 3; fill++) {
            memset(bytes, fill == 0 ? 0x04 : fill == 1 ? 0x02 : 0x82, before);
            memcpy(bytes + before, START, START_SIZE);
            expect_psb_at(bytes, before + START_SIZE, before);
        }
    /* Longer runs, also in the other phase: the last 16 bytes. */
    for (size_t run = 16; run < 100; run += 2)
        for (size_t odd = 0; odd < 2; odd++) {
            bytes[0] = 0x82;
            for (size_t i = 0; i < run; i++)
                bytes[odd + i] = (i & 1) == 0 ? 0x02 : 0x82;
            memcpy(bytes + odd + run, "\x02\x23", 2);
            expect_psb_at(bytes, odd + run + 2, odd + run - 16);
            expect_psb_at(bytes, odd + run, odd + run - 16);
        }
}

/* The same in two blocks, wherever the first ends: as long as the run may go
 * on, no PSB is there. */
static void synchronises_in_blocks(void **state)
{
    (void)state;
    for (size_t run = 16; run < 60; run += 2)
        for (size_t split = 0; split <= run + 4; split++) {
            uint8_t bytes[128] = {0x04, 0x82}, second[128];
            struct pt_packet packet;
            struct reading in;
            for (size_t i = 0; i < run; i++)
                bytes[2 + i] = (i & 1) == 0 ? 0x02 : 0x82;
            memcpy(bytes + 2 + run, "\x02\x23", 2);
            begin(&in, bytes, split, false);
            enum pt_result result = pt_next(&in.reader, &packet);
            if (result == PT_MORE) {
                const size_t at = (size_t)pt_offset(&in.reader);
                memcpy(second, bytes + at, run + 4 - at);
                pt_feed(&in.reader, second, run + 4 - at, true);
                result = pt_next(&in.reader, &packet);
            } else {
                assert_int_equal(split, run + 4);
            }
            assert_int_equal(result, PT_LOST);
            assert_int_equal(pt_offset(&in.reader), 2 + run - 16);
            expect_next(&in, PT_OK, 0, 2 + run);
            finish(&in);
        }
}

/* A PSB in a stream that is cut by another: after a whole packet, the run is
 * too long; and its last 16 bytes are found. */
static void psb_cut_by_a_psb(void **state)
{
    static const char bytes[] = "\x02\x82\x02\x82\x02\x82" START "\x04";
    struct reading in;

    (void)state;
    begin_synced(&in, bytes, sizeof(bytes) - 1, true);
    expect_next(&in, PT_BROKEN_PSB, 18, 18);
    expect_next(&in, PT_LOST, 18, 24);
    expect_next(&in, PT_OK, 0, 40);
    expect_next(&in, PT_OK, 0, 42);
    expect_next(&in, PT_OK, 0, 43);
    expect_next(&in, PT_END, 43, 43);
    finish(&in);
}

/* One of two bytes are not those of a PSB; or a TSC before it that was longer
 * has its beginning: it is stepped over, and nothing is lost. */
static void damaged_psbs(void **state)
{
    uint8_t bytes[64];
    struct reading in;

    (void)state;
    for (size_t first = 2; first < PSB_LENGTH - 2; first++)
        for (size_t second = first; second < PSB_LENGTH - 2; second++) {
            memcpy(bytes, START START, 2 * START_SIZE);
            bytes[START_SIZE + first] ^= 0x11;
            bytes[START_SIZE + second] ^= 0x44;
            begin(&in, bytes, 2 * START_SIZE, true);
            expect_next(&in, PT_OK, 0, 16);
            expect_next(&in, PT_OK, 0, 18);
            expect_next(&in, PT_BROKEN_PSB, 18, 34);
            expect_next(&in, PT_OK, 0, 36);
            expect_next(&in, PT_END, 36, 36);
            finish(&in);
        }
    for (size_t missing = 1; missing < PSB_LENGTH / 2; missing++) {
        const size_t end = 24 - missing;
        memset(bytes, 0x04, sizeof(bytes));
        memcpy(bytes, "\x19\x01\x01\x01\x01\x01\x01\x01", 8);
        memcpy(bytes + 8 - missing, START, START_SIZE);
        begin_synced(&in, bytes, end + 8, true);
        expect_next(&in, PT_OK, 0, 18 + 8);
        if (missing % 2 != 0) /* 82H alone */
            expect_next(&in, PT_OK, 0, 18 + 9);
        expect_next(&in, PT_BROKEN_PSB, 18 + 8 + missing % 2, 18 + end);
        expect_next(&in, PT_OK, 0, 18 + end + 2);
        finish(&in);
    }
}

static void resumes_after_damage(void **state)
{
    static const char bytes[] = "\x04\x05\x04\x04\x04" START "\x06\x05\x00";
    struct reading in;

    (void)state;
    begin_synced(&in, bytes, sizeof(bytes) - 1, true);
    expect_next(&in, PT_OK, 0, 19);
    expect_next(&in, PT_UNDEFINED_OPCODE, 19, 19);
    expect_next(&in, PT_LOST, 19, 23);
    expect_next(&in, PT_OK, 0, 39);
    expect_next(&in, PT_OK, 0, 41);
    expect_next(&in, PT_OK, 0, 42);
    expect_next(&in, PT_UNDEFINED_OPCODE, 42, 42);
    expect_next(&in, PT_LOST, 42, 44);
    expect_next(&in, PT_END, 44, 44);
    finish(&in);
}

/* "BIP Packet Definition": in a block, what would be a TNT is a BIP, of 8 bytes
 * or (SZ) of 4; any packet that cannot be in a block ends it. */
static void blocks(void **state)
{
    static const struct {
        const char *bytes;
        unsigned size, kinds[5];
        uint64_t payload; /* of the BIP */
    } cases[] = {
        {"\x02\x63\x00\x2c\x01\x02\x03\x04\x05\x06\x07\x08\x02\x33\x2c",
         15,
         {PT_BBP, PT_BIP, PT_BEP, PT_TNT_8, PT_KINDS},
         0x0807060504030201},
        {"\x02\x63\x84\x2c\x01\x02\x03\x04\x02\xb3\x2c",
         11,
         {PT_BBP, PT_BIP, PT_BEP, PT_TNT_8, PT_KINDS},
         0x04030201},
        {"\x02\x63\x80\x03\x2c\x01\x02\x03\x04\x02\xf3\x2c",
         12,
         {PT_BBP, PT_CYC, PT_BIP, PT_OVF, PT_TNT_8},
         0x04030201},
        {"\x02\x63\x80\x06\x2c",
         5,
         {PT_BBP, PT_TNT_8, PT_TNT_8, PT_KINDS, PT_KINDS},
         0},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct reading in;
        struct pt_packet packet;
        begin_synced(&in, cases[i].bytes, cases[i].size, true);
        for (unsigned k = 0; k < 5 && cases[i].kinds[k] != PT_KINDS; k++) {
            assert_int_equal(pt_next(&in.reader, &packet), PT_OK);
            assert_int_equal(packet.kind, cases[i].kinds[k]);
            if (packet.kind == PT_BIP) {
                assert_int_equal(packet.payload, cases[i].payload);
                assert_int_equal(packet.detail, 5);
            }
        }
        assert_int_equal(pt_next(&in.reader, &packet), PT_END);
        finish(&in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(synchronises),
        cmocka_unit_test(synchronises_in_blocks),
        cmocka_unit_test(psb_cut_by_a_psb),
        cmocka_unit_test(damaged_psbs),
        cmocka_unit_test(resumes_after_damage),
        cmocka_unit_test(blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
