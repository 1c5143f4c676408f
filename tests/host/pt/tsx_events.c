/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_events.c - transitions of transactions: the golden streams, and a table
 * of short ones, each read whole, in blocks, and with packets between that may
 * stand anywhere. */
#include "src/pt/golden.h"
#include "src/pt/psb.h"
#include "tests/host/pt/tsx_letters.h"

/* Letters, and what is said of them. PFCE, a PSB+ outside of a transaction,
 * stands in front of all that do not begin with P. */
static const char *const rows[][2] = {
    /* "TSX Packet Scenarios" */
    {"BF nTn CF", "S0@0 B@1 C@3<1 "},
    {"BF nTn AFT n", "S0@0 B@1 A@3>4<1 "},
    {"BFCF BFAFT BFCF", "S0@0 B@1 C@2<1 B@3 A@4>5<3 B@6 C@7<6 "},
    {"BpcmtaryF n CpcmtaryF", "S0@0 B@1 C@2<1 "},
    {"BF ApcmtaryFpcmtaryT", "S0@0 B@1 A@2>3<1 "},
    {"BlF AlFlT FlT CF", "S0@0 B@1 A@2>3<1 C@6!outside "},
    {"BF AFT FT n", "S0@0 B@1 A@2>3<1 "}, /* an interrupt */
    {"BF AFD", "S0@0 B@1 A@2>3<1 "},
    {"BF AFd", "S0@0 B@1 A@2<1 "},
    {"B0 C0", "S0@0 B C "},
    {"BF A01", "S0@0 B@1 A<1 "},
    /* "Packet Generation under Different Enable Conditions" */
    {"BF AD", "S0@0 B@1 A>2<1 "},        /* row 28c */
    {"BF Ad", "S0@0 B@1 A<1 "},          /* the same, suppressed */
    {"BF D AG n", "S0@0 B@1 A>3<1 "},    /* row 28b */
    {"BF D A s", "S0@0 B@1 A<1 "},       /* row 28e */
    {"D B C B G CF", "S0@0 B C B C@3 "}, /* FilterEn = 0 */
    {"d BI CV AP FE", "S0@0 B C A!abort "},
    {"D B", "S0@0 B!end "},
    /* deviations */
    {"B n CF", "S0@0 B!fup C@1 "},
    {"BF C T", "S0@0 B@1 C<1!fup "},
    {"BF A T", "S0@0 B@1 A>2<1!fup "},
    {"BF A n", "S0@0 B@1 A<1!fup "},
    {"BF A N", "S0@0 B@1 A<1!fup "},
    {"B B F", "S0@0 B!fup B@1!inside "},
    {"BFBF", "S0@0 B@1 B@2!inside "},
    {"CF", "S0@0 C@1!outside "},
    {"BFCFCF", "S0@0 B@1 C@2<1 C@3!outside "},
    {"AFT", "S0@0 A@1>2!abort "},
    {"BF AF n", "S0@0 B@1 A@2<1!target "},
    {"BF AF BF", "S0@0 B@1 A@2<1!target B@3 "},
    {"BF AF F T", "S0@0 B@1 A@2<1!target "},
    {"XF BF", "S0@0 -!both B@2 "},
    {"B X F n BF", "S0@0 B!fup -!both B@2 "},
    {"BF AF X FT", "S0@0 B@1 A@2<1!target -!both "},
    {"BF X n F n CF", "S0@0 B@1 -!both -@2!tip C@3<1 "},
    {"BF FT CF", "S0@0 B@1 -@2!event C@4<1 "},
    {"Bz CF", "S0@0 B!canonical C@1 "},
    {"BF AFZ", "S0@0 B@1 A<1!canonical "},
    {"BF AzT", "S0@0 B@1 A@1311673391471656960>2<1 "}, /* a fault's */
    {"F n", "S0@0 -@1!tip "},
    {"BF F n CF", "S0@0 B@1 -@2!tip C@3<1 "},
    {"F BF", "S0@0 -@1!tip B@2 "},
    {"FIVxT FD", "S0@0 "},
    {"B", "S0@0 B!end "},
    {"BF A", "S0@0 B@1 A<1!end "},
    {"BF AF", "S0@0 B@1 A@2<1!end "},
    {"BF Ac", "S0@0 B@1 A<1!end "},
    /* FUPs that belong to others */
    {"BF WF SF MF eF fF gF OF BF", "S0@0 B@1 O B@9 "},
    {"BF wn MrSF CF", "S0@0 B@1 C@3<1 "},
    {"BF iF n CF", "S0@0 B@1 C@3<1 "}, /* STI, event trace on */
    {"BF icF iF CF", "S0@0 B@1 C@4<1 "},
    {"BF iT n CF", "S0@0 B@1 C@3<1 "},
    {"BF i n FT CF", "S0@0 B@1 -@2!event C@4<1 "},
    {"BF Bi", "S0@0 B@1 B!end "},
    {"BF AF xT CF", "S0@0 B@1 A@2>3<1 C@4!outside "},
    {"BF AiFxT", "S0@0 B@1 A@2>3<1 "},
    {"BF AFT fFiT n", "S0@0 B@1 A@2>3<1 "}, /* an interrupt, event trace on */
    {"BF AFT vfFiT n", "S0@0 B@1 A@2>3<1 "},
    {"BF AFT qFiT n", "S0@0 B@1 A@2>3<1 "},
    {"BF AFT qF n", "S0@0 B@1 A@2>3<1 -@4!tip "},
    {"D iG BF", "S0@0 B@3 "},
    {"BF AFT MkSF j n BF", "S0@0 B@1 A@2>3<1 B@5 "},
    /* only a FUP that is next to it is a MWAIT's */
    {"M n F n", "S0@0 -@1!tip "},
    {"M T F n", "S0@0 -@2!tip "},
    {"M k S F F n", "S0@0 -@2!tip "},
    {"M BF CF F n", "S0@0 B@1 C@2<1 -@3!tip "},
    {"M PFCE F n", "S0@0 S0@1 -@2!tip "},
    {"BF M n FT CF", "S0@0 B@1 -@2!event C@4<1 "},
    /* a FUP that was promised; one is missing, and one is said */
    {"BF W n CF", "S0@0 B@1 -!owner C@2<1 "},
    {"S M W n FT", "S0@0 -!owner "},
    {"f T", "S0@0 -!owner "},
    {"W BF CF", "S0@0 -!owner B@1 C@2<1 "},
    {"e OF BF", "S0@0 O B@2 "},
    {"d W G BF", "S0@0 B@2 "}, /* PacketEn = 0 */
    /* PSB+ is no event; an OVF ends it too */
    {"BF PBFE CF", "S0@0 B@1 S1@2 C@3<1 "},
    {"BF PtaIVrxFBE CF", "S0@0 B@1 S1@2 C@3<1 "},
    {"BF PCFE CF", "S0@0 B@1 S0@2!differs C@3!outside "},
    {"PBFE PCFE BF", "S1@0 S0@1!differs B@2 "},
    {"PBFE CF", "S1@0 C@1 "},
    {"PE B", "B!end "},
    {"PE BF CF", "B@0 C@1<0 "},
    {"PFE CF CF", "C@1 C@2!outside "},
    {"PFC OF BF", "S0@0 O B@2 "},
    {"PFC n BF", "S0@0!psbend B@1 "},
    {"PF n BF", "-!psbend B@1 "},
    {"PBF W n CF", "S1@0!psbend -!owner C@1 "},
    {"PFC PFCE", "S0@0!psbend S0@1 "},
    {"PFClE n", "S0@0 "},
    {"PFCXE n", "-!both S0@0 "},
    {"PFC", "S0@0!end "},
    {"PF", "-!end "},
    /* OVF: what was is not known; what is pending is said before */
    {"BF OF BF CF", "S0@0 B@1 O B@3 C@4<3 "},
    {"BF OF CF CF", "S0@0 B@1 O C@3 C@4!outside "},
    {"B OF n CF", "S0@0 B O C@2 "},
    {"BF C OF n", "S0@0 B@1 C<1 O "},
    {"BF A OF n", "S0@0 B@1 A<1 O "},
    {"BF AF OG n CF", "S0@0 B@1 A@2<1 O C@4 "},
    {"F OF n", "S0@0 O "},
    {"O PE G BF", "S0@0 O B@2 "},
    {"O PCE F BF", "S0@0 O S0 B@2 "},
    {"O B C G CF", "S0@0 O B C C@2!outside "},
    {"O PCFE nTn F n", "S0@0 O S0@1 -@3!tip "},
    {"O n F n", "S0@0 O -@1!tip "}, /* not the OVF's: it has none */
    {"O D BF", "S0@0 O B@2 "},
    {"O OF BF", "S0@0 O O B@2 "},
    {"O x F n", "S0@0 O "},
    /* damage: as little is known as at the start */
    {"BF ! PFCE CF", "S0@0 B@1 error lost S0@2 C@3!outside "},
    {"BF A ! PFE CF", "S0@0 B@1 A<1!end error lost C@3 "},
    {"BF AF ! PFE CF", "S0@0 B@1 A@2<1!end error lost C@4 "},
    {"B ! PFE CF", "S0@0 B!end error lost C@2 "},
    {"PC ! PFE CF", "S0!end error lost C@1 "},
    {"BF Y CF", "S0@0 B@1 error C@2<1 "},
    {"B Y F CF", "S0@0 error B@1 C@2<1 "},
    {"BF !", "S0@0 B@1 error lost "},
    /* a PSB that is damaged is one */
    {"BF QFBE CF", "S0@0 B@1 error S1@2 C@3<1 "},
    {"B QFBE CF", "S0@0 B!fup error S1@1 C@2 "},
};

static void each_row(void **state)
{
    static uint8_t bytes[8192];
    char said[512];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (size_t filling = 0; filling < 60; filling += 7)
            for (size_t step = 1; step < 8192; step *= 3) {
                struct stream stream = {bytes, 0, sizeof(bytes)};
                write_row(&stream, rows[i][0], filling);
                read_stream(&stream, step, said);
                if (strcmp(said, rows[i][1]) != 0)
                    print_error("%s: filling %zu, step %zu\n", rows[i][0],
                                filling, step);
                assert_string_equal(said, rows[i][1]);
            }
}

/* Addresses that continue one in which something may be wrong. */
static void doubtful(void **state)
{
    static const char *const doubted[][2] = {
        {"hn BhCF", "S0@0 -@-4095!tip B!doubt C@1 "},
        {"hn Bh Ch", "S0@0 -@-4095!tip B!doubt C!doubt "},
        {"hn B0CF", "S0@0 -@-4095!tip B C@1 "},
        {"hn BFCh", "S0@0 -@-4095!tip B@1 C@-4094<1 "},
        {"hn PFCE BhCF", "S0@0 -@-4095!tip S0@1 B@-4094 C@2<-4094 "},
        {"BF hn AhT Ch", "S0@0 B@1 -@-4094!tip A<1!doubt C!outside "},
        {"Y BhCF", "S0@0 error B!doubt C@1 "},
        {"G BhCF", "S0@0 B!doubt C@2 "},  /* PacketEn was 1 */
        {"dn BhCF", "S0@0 B!doubt C@1 "}, /* was 0 */
        {"dd Bh", "S0@0 B!doubt "},
        {"d G BhCF", "S0@0 B@-4094 C@2<-4094 "},
    };
    static uint8_t bytes[8192];
    char said[512];

    (void)state;
    doubts = true;
    for (size_t i = 0; i < sizeof(doubted) / sizeof(doubted[0]); i++)
        for (size_t filling = 0; filling < 60; filling += 20) {
            struct stream stream = {bytes, 0, sizeof(bytes)};
            write_row(&stream, doubted[i][0], filling);
            read_stream(&stream, 8192 >> filling / 4, said);
            assert_string_equal(said, doubted[i][1]);
        }
    doubts = false;
}

/* A stream cut anywhere says nothing that the whole one does not, but for what
 * is pending at the end. */
static void prefixes(void **state)
{
    static uint8_t bytes[8192];
    char whole[512], said[512];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct stream stream = {bytes, 0, sizeof(bytes)};
        write_row(&stream, rows[i][0], 0);
        read_stream(&stream, sizeof(bytes), whole);
        if (strchr(rows[i][0], 'Q') != NULL)
            continue; /* cut in a damaged PSB, it is no PSB */
        for (; stream.size >= PSB_LENGTH; stream.size--) {
            read_stream(&stream, sizeof(bytes), said);
            char *cut = strstr(said, "cut ");
            if (cut != NULL)
                *cut = '\0';
            size_t length = strlen(said);
            if (length >= 5 && strcmp(said + length - 5, "!end ") == 0) {
                said[length - 1] = '\0';
                const char *before = strrchr(said, ' ');
                length = before == NULL ? 0 : (size_t)(before - said) + 1;
            }
            assert_memory_equal(said, whole, length);
        }
    }
}

/* Each PSB makes the last IP 0: compression begins anew. */
static void last_ip_at_psb(void **state)
{
    uint8_t bytes[64];
    char said[64], want[64];
    struct stream stream = {bytes, 0, sizeof(bytes)};

    (void)state;
    put_psb(&stream);
    put_fup(&stream, 3, 0x7fff12345678);
    put2(&stream, 0x02, 0x23);
    put_psb(&stream);
    put2(&stream, 0x02, 0x23);
    put_mode_tsx(&stream, 1, 0);
    put_fup(&stream, 1, 0xabcd);
    read_stream(&stream, sizeof(bytes), said);
    sprintf(want, "B@%" PRId64 " ", (int64_t)(0xabcd - IP(0)));
    assert_string_equal(said, want);
}

/* Random streams: what is stepped over many bytes at a time, and what is looked
 * at packet by packet because no block is longer than that. */
static void stepped_over(void **state)
{
    static uint8_t bytes[16384];
    static char whole[65536], said[65536];

    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct stream stream = {bytes, 0, sizeof(bytes)};
        uint64_t random = seed * 0x9e3779b97f4a7c15;
        unsigned before = PT_PAD, ips = 0;
        for (const char *l = "PFCE"; *l != '\0'; l++)
            write_letter(&stream, *l, &ips);
        while (stream.size + 64 < (seed < 200 ? 3000 : 300)) {
            struct pt_packet packet = random_packet(&random, before);
            for (; random_bits(&random, 3) != 0;)
                write_letter(&stream,
                             "nnncTHymt1npBhCF"[random_bits(&random, 4)], &ips);
            if (packet.kind == PT_BBP)
                continue;
            put_packet(&stream, &packet);
            before = packet.kind;
        }
        read_stream(&stream, sizeof(bytes), whole);
        read_stream(&stream, 1 + seed % 7, said);
        assert_true(strlen(whole) > 20); /* some were there */
        assert_string_equal(said, whole);
    }
}

static void golden_streams(void **state)
{
    size_t row = 0, end;

    (void)state;
    for (size_t first = 0; first < pt_golden_packets_rows; first = end) {
        uint8_t bytes[256];
        size_t size = pt_golden_bytes(first, bytes, sizeof(bytes), &end);
        struct pt_tsx tsx;
        struct pt_tsx_event got;
        assert_true(size <= sizeof(bytes));
        pt_tsx_open(&tsx);
        pt_feed(&tsx.reader, bytes, size, true);
        while (pt_tsx_next(&tsx, &got) == PT_OK) {
            const struct pt_golden_event *want = &pt_golden_events[row++];
            assert_string_equal(want->stream, pt_golden_packets[first].stream);
            assert_string_equal(pt_transition_name(got.transition),
                                want->transition);
            assert_int_equal(got.deviation, PT_NO_DEVIATION);
            assert_int_equal(got.offset, want->offset);
            assert_int_equal(got.has_ip, want->has_ip);
            assert_int_equal(got.has_target, want->has_target);
            assert_int_equal(got.has_region, want->has_region);
            if (want->has_ip)
                assert_int_equal(got.ip, want->ip);
            if (want->has_target)
                assert_int_equal(got.target, want->target);
            if (want->has_region)
                assert_int_equal(got.region, want->region);
        }
    }
    assert_int_equal(row, pt_golden_events_rows);
}

static void names_and_texts(void **state)
{
    (void)state;
    for (unsigned a = 0; a < PT_DEVIATIONS; a++)
        for (unsigned b = 0; b < a; b++)
            assert_string_not_equal(pt_deviation_text((enum pt_deviation)a),
                                    pt_deviation_text((enum pt_deviation)b));
    assert_string_equal(pt_deviation_text(PT_DEVIATIONS), "no such deviation");
    assert_string_equal(pt_transition_name(PT_STATE), "state");
    assert_string_equal(pt_transition_name(PT_TRANSITIONS), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row),       cmocka_unit_test(prefixes),
        cmocka_unit_test(last_ip_at_psb), cmocka_unit_test(stepped_over),
        cmocka_unit_test(golden_streams), cmocka_unit_test(names_and_texts),
        cmocka_unit_test(doubtful),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
