/* SPDX-License-Identifier: BSD-2-Clause */
/* packet.c - each packet of Processor Trace by its bytes, cut at every length,
 * refused where the manual reserves it. */
#include "src/pt/ip.h"
#include "tests/host/pt/reading.h"

/* SDM 3C, "Packet Definitions": a row for each packet and each form of it. */
static const struct row {
    const char *bytes;
    unsigned length, kind, detail;
    uint64_t payload;
} rows[] = {
    {"\x00", 1, PT_PAD, 0, 0},
    {"\x04", 1, PT_TNT_8, 1, 0},
    {"\x06", 1, PT_TNT_8, 1, 1},
    {"\x0a", 1, PT_TNT_8, 2, 1},
    {"\x80", 1, PT_TNT_8, 6, 0},
    {"\xfe", 1, PT_TNT_8, 6, 0x3f},
    {"\xc2", 1, PT_TNT_8, 6, 0x21},
    {"\x82", 1, PT_TNT_8, 6, 1},
    {"\x02\xa3\x02\x00\x00\x00\x00\x00", 8, PT_TNT_64, 1, 0},
    {"\x02\xa3\x03\x00\x00\x00\x00\x00", 8, PT_TNT_64, 1, 1},
    {"\x02\xa3\xff\xff\xff\xff\xff\xff", 8, PT_TNT_64, 47, 0x7fffffffffff},
    {"\x02\xa3\x01\x00\x00\x00\x00\x80", 8, PT_TNT_64, 47, 1},
    {"\x0d", 1, PT_TIP, 0, 0},
    {"\x2d\x34\x12", 3, PT_TIP, 1, 0x1234},
    {"\x4d\x78\x56\x34\x12", 5, PT_TIP, 2, 0x12345678},
    {"\x6d\xbc\x9a\x78\x56\x34\x12", 7, PT_TIP, 3, 0x123456789abc},
    {"\x8d\xbc\x9a\x78\x56\x34\x92", 7, PT_TIP, 4, 0x923456789abc},
    {"\xcd\xf0\xde\xbc\x9a\x78\x56\x34\x12", 9, PT_TIP, 6, 0x123456789abcdef0},
    {"\x11", 1, PT_TIP_PGE, 0, 0},
    {"\x31\x34\x12", 3, PT_TIP_PGE, 1, 0x1234},
    {"\x71\xbc\x9a\x78\x56\x34\x12", 7, PT_TIP_PGE, 3, 0x123456789abc},
    {"\x01", 1, PT_TIP_PGD, 0, 0},
    {"\x41\x78\x56\x34\x12", 5, PT_TIP_PGD, 2, 0x12345678},
    {"\x1d", 1, PT_FUP, 0, 0},
    {"\x3d\x34\x12", 3, PT_FUP, 1, 0x1234},
    {"\xdd\xf0\xde\xbc\x9a\x78\x56\x34\x12", 9, PT_FUP, 6, 0x123456789abcdef0},
    {"\x99\x00", 2, PT_MODE_EXEC, 0, 0x00},
    {"\x99\x01", 2, PT_MODE_EXEC, 0, 0x01},
    {"\x99\x1e", 2, PT_MODE_EXEC, 0, 0x1e}, /* reserved bits */
    {"\x99\x20", 2, PT_MODE_TSX, 0, 0x20},
    {"\x99\x21", 2, PT_MODE_TSX, 0, 0x21},
    {"\x99\x22", 2, PT_MODE_TSX, 0, 0x22},
    {"\x99\x3d", 2, PT_MODE_TSX, 0, 0x3d}, /* reserved bits */
    {"\x19\x01\x02\x03\x04\x05\x06\x07", 8, PT_TSC, 0, 0x07060504030201},
    {"\x59\xa5", 2, PT_MTC, 0, 0xa5},
    {"\x03", 1, PT_CYC, 0, 0},
    {"\xfb", 1, PT_CYC, 0, 31},
    {"\x07\x02", 2, PT_CYC, 0, 32},
    {"\xff\xfe", 2, PT_CYC, 0, 4095},
    {"\x07\x01\x02", 3, PT_CYC, 0, 4096},
    {"\xff\xff\xff\xff\xff\xff\xff\xff\xfe", 9, PT_CYC, 0, 0x1fffffffffffffff},
    {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x0e", 10, PT_CYC, 0, UINT64_MAX},
    {"\x02\x03\x18\xff", 4, PT_CBR, 0, 0xff18}, /* reserved byte */
    {"\x02\x73\x34\x12\xee\xcd\x01", 7, PT_TMA, 0, 0x1cdee1234},
    {SYNC, 16, PT_PSB, 0, 0},
    {"\x02\x23", 2, PT_PSBEND, 0, 0},
    {"\x02\xf3", 2, PT_OVF, 0, 0},
    {"\x02\x83", 2, PT_TRACESTOP, 0, 0},
    {"\x02\x43\x01\x02\x03\x04\x05\x06", 8, PT_PIP, 0, 0x060504030201},
    {"\x02\xc8\x01\x02\x03\x04\x05", 7, PT_VMCS, 0, 0x0504030201},
    {"\x02\xc3\x88\x01\x02\x03\x04\x05\x06\x07\x08", 11, PT_MNT, 0,
     0x0807060504030201},
    {"\x02\x12\x01\x02\x03\x04", 6, PT_PTW, 0, 0x04030201},
    {"\x02\x92\x01\x02\x03\x04", 6, PT_PTW, 1, 0x04030201},
    {"\x02\x32\x01\x02\x03\x04\x05\x06\x07\x08", 10, PT_PTW, 0,
     0x0807060504030201},
    {"\x02\xb2\x01\x02\x03\x04\x05\x06\x07\x08", 10, PT_PTW, 1,
     0x0807060504030201},
    {"\x02\x62", 2, PT_EXSTOP, 0, 0},
    {"\x02\xe2", 2, PT_EXSTOP, 1, 0},
    {"\x02\xc2\x01\x02\x03\x04\x05\x06\x07\x08", 10, PT_MWAIT, 0,
     0x0807060504030201},
    {"\x02\x22\x80\x21", 4, PT_PWRE, 0, 0x2180},
    {"\x02\xa2\x01\x02\x03\x04\x05", 7, PT_PWRX, 0, 0x0504030201},
    {"\x02\x63\x84", 3, PT_BBP, 0, 0x84},
    {"\x02\x33", 2, PT_BEP, 0, 0},
    {"\x02\xb3", 2, PT_BEP, 1, 0},
    {"\x02\x13\x01\x20", 4, PT_CFE, 0, 0x2001},
    {"\x02\x13\x81\x20", 4, PT_CFE, 1, 0x2081},
    {"\x02\x53\xc7\x01\x02\x03\x04\x05\x06\x07\x08", 11, PT_EVD, 7,
     0x0807060504030201},
    {"\xd9\x00\x01", 3, PT_TRIG, 0, 0x0100},
    {"\xd9\xc0\x01\x02\x03", 5, PT_TRIG, 1, 0x030201c0},
};

static void assert_row(const struct row *row, const struct pt_packet *packet)
{
    assert_int_equal(packet->kind, row->kind);
    assert_int_equal(packet->length, row->length);
    assert_int_equal(packet->detail, row->detail);
    assert_int_equal(packet->payload, row->payload);
}

static void each_packet(void **state)
{
    unsigned seen = 0;

    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct reading in;
        struct pt_packet packet;
        begin_synced(&in, rows[i].bytes, rows[i].length, true);
        assert_int_equal(pt_next(&in.reader, &packet), PT_OK);
        assert_row(&rows[i], &packet);
        for (unsigned again = 0; again < 2; again++)
            assert_int_equal(pt_next(&in.reader, &packet), PT_END);
        assert_int_equal(pt_offset(&in.reader), START_SIZE + rows[i].length);
        finish(&in);
        seen |= 1u << rows[i].kind;
    }
    assert_int_equal(seen | 1u << PT_BIP, (UINT64_C(1) << PT_KINDS) - 1);
}

/* Cut at every length: PT_CUT at the end of the data, PT_MORE at that of a
 * block, and then the rest gives the packet. */
static void each_packet_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (unsigned size = 1; size < rows[i].length; size++) {
            struct reading in;
            struct pt_packet packet;
            begin_synced(&in, rows[i].bytes, size, true);
            assert_int_equal(pt_next(&in.reader, &packet), PT_CUT);
            assert_int_equal(in.reader.where, START_SIZE);
            assert_int_equal(pt_offset(&in.reader), START_SIZE + size);
            assert_int_equal(pt_next(&in.reader, &packet), PT_END);
            finish(&in);
            begin_synced(&in, rows[i].bytes, size, false);
            for (unsigned again = 0; again < 2; again++)
                assert_int_equal(pt_next(&in.reader, &packet), PT_MORE);
            assert_int_equal(in.reader.size - in.reader.at, size);
            uint8_t *whole = malloc(rows[i].length);
            memcpy(whole, rows[i].bytes, rows[i].length);
            pt_feed(&in.reader, whole, rows[i].length, true);
            assert_int_equal(pt_next(&in.reader, &packet), PT_OK);
            assert_row(&rows[i], &packet);
            free(whole);
            finish(&in);
        }
}

/* Reserved encodings and what has no length. */
static void refused(void **state)
{
    static const struct {
        const char *bytes;
        unsigned size;
        enum pt_result result;
        bool goes_on; /* with the packet after it, a TNT */
    } wrong[] = {
        {"\xad\x04", 2, PT_RESERVED_IPBYTES, false},
        {"\xed\x04", 2, PT_RESERVED_IPBYTES, false},
        {"\xb1\x04", 2, PT_RESERVED_IPBYTES, false},
        {"\xe1\x04", 2, PT_RESERVED_IPBYTES, false},
        {"\xbd\x04", 2, PT_RESERVED_IPBYTES, false},
        {"\x02\x52\x04", 3, PT_RESERVED_PTW_SIZE, false},
        {"\x02\xf2\x04", 3, PT_RESERVED_PTW_SIZE, false},
        {"\x05\x04", 2, PT_UNDEFINED_OPCODE, false},
        {"\x39\x04", 2, PT_UNDEFINED_OPCODE, false},
        {"\x02\x00\x04", 3, PT_UNDEFINED_OPCODE, false},
        {"\x02\xff\x04", 3, PT_UNDEFINED_OPCODE, false},
        {"\x02\xc3\x87\x04", 4, PT_UNDEFINED_OPCODE, false},
        {"\x02\x82\x02\x83\x04", 5, PT_BROKEN_PSB, false},
        {"\x02\x82\x03\x04", 4, PT_BROKEN_PSB, false},
        {"\x07\x01\x01\x01\x01\x01\x01\x01\x01\x10\x04", 11, PT_CYC_TOO_LONG,
         false},
        {"\x07\x01\x01\x01\x01\x01\x01\x01\x01\x03\x00\x04", 12,
         PT_CYC_TOO_LONG, false},
        {"\x99\x23\x04", 3, PT_RESERVED_MODE_TSX, true},
        {"\x99\x3f\x04", 3, PT_RESERVED_MODE_TSX, true},
        {"\x99\x03\x04", 3, PT_RESERVED_MODE_EXEC, true},
        {"\x99\x40\x04", 3, PT_RESERVED_MODE_LEAF, true},
        {"\x99\xe2\x04", 3, PT_RESERVED_MODE_LEAF, true},
        {"\x02\xa3\x00\x00\x00\x00\x00\x00\x04", 9, PT_TNT_EMPTY, true},
        {"\x02\xa3\x01\x00\x00\x00\x00\x00\x04", 9, PT_TNT_EMPTY, true},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        struct reading in;
        struct pt_packet packet;
        begin_synced(&in, wrong[i].bytes, wrong[i].size, true);
        assert_int_equal(pt_next(&in.reader, &packet), wrong[i].result);
        assert_int_equal(in.reader.where, START_SIZE);
        if (wrong[i].goes_on) {
            assert_int_equal(pt_next(&in.reader, &packet), PT_OK);
            assert_int_equal(packet.kind, PT_TNT_8);
        } else {
            assert_int_equal(pt_next(&in.reader, &packet), PT_LOST);
            assert_int_equal(in.reader.where, START_SIZE);
        }
        assert_int_equal(pt_next(&in.reader, &packet), PT_END);
        assert_int_equal(pt_offset(&in.reader), START_SIZE + wrong[i].size);
        finish(&in);
    }
}

/* Every first byte, and every second one after 02H: a packet of the rows, or
 * refused. */
static void every_opcode(void **state)
{
    (void)state;
    for (unsigned extended = 0; extended < 2; extended++)
        for (unsigned byte = 0; byte < 256; byte++) {
            uint8_t bytes[34] = {0x02, (uint8_t)byte};
            struct reading in;
            struct pt_packet packet;
            bool known = false;
            if (!extended)
                bytes[0] = (uint8_t)byte, bytes[1] = 0;
            if (extended && byte == 0xc3)
                bytes[2] = 0x88;
            for (size_t i = 0; i < LENGTH(rows); i++) {
                const uint8_t first = (uint8_t)rows[i].bytes[0];
                known |= extended
                             ? first == 2 && (uint8_t)rows[i].bytes[1] == byte
                             : first == byte;
            }
            if (!extended) /* TNT, CYC, and IP packets are not all in rows */
                known |= (byte & 1) == 0 || (byte & 3) == 3 ||
                         (((byte & 0x1f) == 0x01 || (byte & 0x1f) == 0x11 ||
                           (byte & 0x1f) == 0x0d || (byte & 0x1f) == 0x1d) &&
                          byte >> 5 != 5 && byte >> 5 != 7);
            if (!extended && byte == 0x02)
                continue;
            if (extended && byte == 0x82)
                continue; /* PSB: elsewhere */
            if (extended && byte == 0xa3)
                bytes[2] = 2;
            begin_synced(&in, bytes, sizeof(bytes), true);
            assert_int_equal(pt_next(&in.reader, &packet) == PT_OK, known);
            finish(&in);
        }
}

/* SDM 3C, "FUP/TIP IP Reconstruction". */
static void last_ip(void **state)
{
    static const struct {
        uint64_t last;
        unsigned ip_bytes;
        uint64_t payload, ip;
    } cases[] = {
        {0x1122334455667788, 0, 0xffff, 0x1122334455667788},
        {0x1122334455667788, 1, 0xaaaa, 0x112233445566aaaa},
        {0x1122334455667788, 2, 0xaaaabbbb, 0x11223344aaaabbbb},
        {0x1122334455667788, 3, 0x7fffaaaabbbb, 0x00007fffaaaabbbb},
        {0x1122334455667788, 3, 0x8000aaaabbbb, 0xffff8000aaaabbbb},
        {0x1122334455667788, 4, 0x8000aaaabbbb, 0x11228000aaaabbbb},
        {0x1122334455667788, 6, 0x8877665544332211, 0x8877665544332211},
        /* what is after the payload is not decoded */
        {0, 1, 0xeeeeeeeeeeeeaaaa, 0xaaaa},
        {0, 2, 0xeeeeeeeeaaaabbbb, 0xaaaabbbb},
        {0, 3, 0xeeee7fffaaaabbbb, 0x7fffaaaabbbb},
        {0, 4, 0xeeee8000aaaabbbb, 0x8000aaaabbbb},
    };

    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(
            pt_ip(cases[i].last, cases[i].ip_bytes, cases[i].payload),
            cases[i].ip);
}

static void names_and_texts(void **state)
{
    (void)state;
    for (unsigned a = 0; a < PT_RESULTS; a++)
        for (unsigned b = 0; b < a; b++)
            assert_string_not_equal(pt_result_text((enum pt_result)a),
                                    pt_result_text((enum pt_result)b));
    for (unsigned a = 0; a < PT_KINDS; a++)
        for (unsigned b = 0; b < a; b++)
            assert_string_not_equal(pt_kind_name(a), pt_kind_name(b));
    assert_string_equal(pt_kind_name(PT_KINDS), "no such packet");
    assert_string_equal(pt_result_text(PT_RESULTS), "no such result");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_packet), cmocka_unit_test(each_packet_cut),
        cmocka_unit_test(refused),     cmocka_unit_test(every_opcode),
        cmocka_unit_test(last_ip),     cmocka_unit_test(names_and_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
