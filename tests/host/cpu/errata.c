/* SPDX-License-Identifier: BSD-2-Clause */
/* errata.c - which erratum which model has, and under which name. */
#include "src/cpu/errata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *name(unsigned model, unsigned stepping, enum erratum erratum)
{
    static struct erratum_found found;
    struct identity id = {.vendor = "GenuineIntel",
                          .family = 6,
                          .model = (uint16_t)model,
                          .stepping = (uint8_t)stepping};

    return errata_find(&id, erratum, &found) ? found.name : "none";
}

/* From the specification updates: what one model of each generation calls an
 * erratum, by its own update or else its sibling's; "-" where none has it. */
static const struct {
    unsigned model, stepping;
} generations[] = {
    {0x2a, 7}, {0x2d, 7}, {0x3a, 9}, {0x3c, 3}, {0x45, 1},
    {0x47, 1}, {0x3d, 4}, {0x5e, 3}, {0x8e, 9}, {0x9e, 10},
    {0xa5, 2}, {0xa7, 1}, {0x97, 2},
};

/* clang-format off */
static const struct {
    enum erratum erratum;
    const char *names;
} rows[] = {
    {ERRATUM_INSTRUCTIONS_INCONSISTENT,
     "BJ136 BK136 BV112 HSD140 HSM151 BDD058 BDM061 - - - - - -"},
    {ERRATUM_FIXED0_32_MORE,
     "- - - HSD143 HSM154 - - - - - - - -"},
    {ERRATUM_BRANCHES_OF_THREAD_1,
     "- - - - - BDD101 BDD101 - - - - - -"},
    {ERRATUM_PMC2_OVER_ABORTS,
     "- - - HSD176 HSM186 - - SKL194 KBL151 CML134 CML134 - -"},
    {ERRATUM_EVTSEL4_TO_7_READ,
     "- - BV080 - - - - - - - - - -"},
    {ERRATUM_OVERFLOW_STAYS,
     "BJ058 BK058 BV085 - - - - - - - - - -"},
    {ERRATUM_FIXED1_WRITE,
     "BJ054 BK054 BV036 - - - - - - - - - -"},
    {ERRATUM_INV_COUNTS_OTHER_CPL,
     "- - - HSD073 HSM074 - - - - - - - -"},
    {ERRATUM_CPL_FILTER_UNDERCOUNTS,
     "- - - - - BDM120 BDM120 SKL117 KBL063 CFL062 CML062 - -"},
    {ERRATUM_PMC4_TO_7_USR_ALONE,
     "- - - - - BDD116 BDM126 - - - - - -"},
    {ERRATUM_ANYTHREAD_ONE_CPL,
     "- - - - - BDD059 BDM062 - - - - - -"},
    {ERRATUM_LLC_EVENTS,
     "- - - - - - - SKL057 KBL042 CFL042 CML042 - -"},
    {ERRATUM_FREEZE_PMC4_TO_7,
     "- - - - - - - SKL090 KBL056 CFL056 CML056 - -"},
    {ERRATUM_TOPA_PMI_NO_FREEZE,
     "- - - - - - - SKL125 KBL070 CFL067 CML067 - -"},
    {ERRATUM_PMI_REPEATED,
     "- - - HSD091 HSM097 BDD038 BDM038 - - - - - -"},
    {ERRATUM_FIXED0_PMI_REPEATED,
     "- - BV043 - - - - - - - - - -"},
    {ERRATUM_STATUS_SET_63,
     "- - - - - - - SKL164 KBL118 CFL103 CML098 - -"},
    {ERRATUM_STATUS_SET_55,
     "- - - - - - - SKL051 - - - - -"},
    {ERRATUM_LBR_DUPLICATE_AT_FREEZE,
     "- - - - - - - SKL186 KBL143 CFL135 CML121 - -"},
    {ERRATUM_LBR_FROM_AT_FREEZE,
     "BJ094 BK093 - - - - - - - - - - -"},
    {ERRATUM_LBR_FAULTS_WITH_TRACE,
     "- - - - - BDD096 BDM110 - - - - - -"},
    {ERRATUM_LBR_CALL_OF_NO_LENGTH,
     "- - - HSD080 HSM083 - - - - - - - -"},
    {ERRATUM_EVENTING_IP_BEFORE_JCC,
     "- - - - - BDD049 BDM050 SKL018 KBL018 CFL018 CML018 - -"},
    {ERRATUM_EVENTING_IP,
     "- - - HSD167 HSM177 BDD111 BDM121 SKL120 KBL067 CFL064 CML064 - -"},
    {ERRATUM_RECORD_OF_LATER,
     "- - - HSD110 HSM119 - - - - - - - -"},
    {ERRATUM_RECORD_AFTER_DISABLING,
     "- - - HSD159 HSM169 BDD102 BDM114 SKL104 - - - - -"},
    {ERRATUM_PMI_OF_FULL_BUFFER,
     "BJ101 BK100 BV051 - - - - - - - - - -"},
    {ERRATUM_PDIR_REDUNDANT,
     "- - - - - BDD053 BDM055 - - - - - -"},
    {ERRATUM_LOAD_LATENCY_STOPS,
     "- - - HSD171 HSM181 - - - KBL115 CFL100 CML095 - -"},
    {ERRATUM_LOAD_SOURCE,
     "- - - HSD025 HSM026 BDD085 BDM100 - - - - - -"},
    {ERRATUM_LOCKED_LOADS,
     "- - - HSD076 HSM077 BDD035 BDM035 - - - - - -"},
    {ERRATUM_MEMORY_EVENTS_WITH_HT,
     "BJ122 BJ122 BV098 HSD029 HSM030 - - - - - - - -"},
    {ERRATUM_MEMORY_EVENTS_ONE_CPL,
     "- - - HSD169 HSM179 BDD113 BDM123 SKL128 KBL073 CFL070 CML070 - -"},
    {ERRATUM_UNCORE_ABSENT,
     "- - - HSD079 HSM081 - - - - - - - -"},
    {ERRATUM_OFFCORE_RFO,
     "- - - - - - - SKL095 KBL058 CFL058 CML058 - -"},
    {ERRATUM_OFFCORE_RFO_SUPPLIER,
     "- - - - - BDM115 BDM115 - - - - - -"},
    {ERRATUM_PT_PSB_UNEXPECTED,
     "- - - - - BDD065 BDM070 SKL021 KBL021 CFL021 CML021 RKL028 ADL030"},
    {ERRATUM_PT_PSB_PIP,
     "- - - - - BDD062 BDM066 - - - - - -"},
    {ERRATUM_PT_LATE_MODE,
     "- - - - - BDD057 BDM060 - - - - - -"},
    {ERRATUM_PT_PGD_WITHOUT_IP,
     "- - - - - - - SKL014 KBL014 CFL014 CML014 RKL027 -"},
    {ERRATUM_PT_STOPS_EARLY,
     "- - - - - BDD048 BDM049 - - - - - -"},
    {ERRATUM_PT_DROPS_ALL,
     "- - - - - - - SKL171 KBL126 CFL114 CML106 - -"},
    {ERRATUM_PT_ABORT_IP,
     "- - - - - BDD060 BDM064 - - - - - -"},
    {ERRATUM_PT_CYC_DROPPED,
     "- - - - - - - SKL168 KBL122 CFL108 CML102 - -"},
    {ERRATUM_PT_OVF_WITHOUT_FUP,
     "- - - - - - - SKL033 KBL030 CFL030 CML030 - -"},
    {ERRATUM_HLE_OLD_VALUE,
     "- - - - - BDD050 BDM051 - - - - - -"},
};
/* clang-format on */

static void names_by_generation(void **unused)
{
    (void)unused;
    assert_int_equal(sizeof(rows) / sizeof(rows[0]), ERRATUM_COUNT);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *want = rows[i].names;

        for (size_t g = 0; g < sizeof(generations) / sizeof(generations[0]);
             g++) {
            const char *got = name(generations[g].model,
                                   generations[g].stepping, rows[i].erratum);
            size_t length = strcspn(want, " ");

            if (strcmp(got, "none") == 0)
                got = "-";
            if (strlen(got) != length || memcmp(got, want, length) != 0)
                fail_msg("model %x: %s, wanted %.*s", generations[g].model, got,
                         (int)length, want);
            want += length + (want[length] == ' ');
        }
        assert_int_equal(*want, 0);
    }
}

/* Of a core that has no update of its own, and of no other. */
static void which_are_inferred(void **unused)
{
    static const unsigned inferred[] = {
        0x3e, 0x3f, 0x4f, 0x56, 0x55, 0x7d, 0x7e, 0x6a, 0x6c, 0x8c, 0x8d,
        0x8f, 0xcf, 0xb7, 0xba, 0xbf, 0xbe, 0xaa, 0xac, 0xad, 0xae};
    /* One of theirs is of another update of their core. */
    static const struct {
        unsigned model;
        enum erratum erratum;
    } single[] = {{0x2d, ERRATUM_MEMORY_EVENTS_WITH_HT}};
    struct identity id = {.vendor = "GenuineIntel", .family = 6};
    struct erratum_found found;
    unsigned models = 0;

    (void)unused;
    for (id.model = 0; id.model < 0x100; id.model++) {
        bool want = false, any = false;

        for (size_t i = 0; i < sizeof(inferred) / sizeof(inferred[0]); i++)
            want |= inferred[i] == id.model;
        for (enum erratum e = 0; e < ERRATUM_COUNT; e++)
            if (errata_find(&id, e, &found)) {
                bool other = false;
                for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++)
                    other |=
                        single[i].model == id.model && single[i].erratum == e;
                assert_int_equal(found.inferred, want || other);
                any = true;
            }
        models += any;
    }
    assert_int_equal(models, 38); /* of 11 updates */
}

/* Which update speaks of which model, and of whose core it is where none does;
 * SDM volume 4, table "CPUID Signature Values of DisplayFamily_DisplayModel".
 */
static void updates_by_model(void **unused)
{
    static const struct {
        unsigned model, stepping;
        enum erratum erratum;
        const char *want;
        bool inferred;
    } of[] = {
        {0x3e, 4, ERRATUM_OVERFLOW_STAYS, "BV085", true},
        {0x46, 1, ERRATUM_RECORD_OF_LATER, "HSD110", false},
        {0x3f, 2, ERRATUM_RECORD_OF_LATER, "HSD110", true},
        {0x4f, 1, ERRATUM_PT_ABORT_IP, "BDD060", true},
        {0x56, 2, ERRATUM_PT_ABORT_IP, "BDD060", true},
        {0x4e, 3, ERRATUM_STATUS_SET_55, "SKL051", false},
        {0x55, 4, ERRATUM_STATUS_SET_55, "SKL051", true},
        {0x8e, 10, ERRATUM_PMC2_OVER_ABORTS, "KBL151", false},
        {0x8e, 11, ERRATUM_PMC2_OVER_ABORTS, "CML134", false}, /* not CFL's */
        {0x8e, 12, ERRATUM_LLC_EVENTS, "CFL042", false},
        {0x9e, 9, ERRATUM_LLC_EVENTS, "KBL042", false},
        {0x9e, 13, ERRATUM_LLC_EVENTS, "CFL042", false},
        {0x9e, 12, ERRATUM_PMC2_OVER_ABORTS, "CML134", true},
        {0x2d, 7, ERRATUM_MEMORY_EVENTS_WITH_HT, "BJ122", true},
        {0x6a, 6, ERRATUM_PMC2_OVER_ABORTS, "SKL194", true},
        {0xad, 1, ERRATUM_PMC2_OVER_ABORTS, "SKL194", true},
        {0xad, 1, ERRATUM_PT_PSB_UNEXPECTED, "ADL030", true},
        {0xa6, 0, ERRATUM_LLC_EVENTS, "CML042", false},
        {0x7d, 5, ERRATUM_PT_PSB_UNEXPECTED, "RKL028", true},
        {0x7e, 5, ERRATUM_PT_PSB_UNEXPECTED, "RKL028", true},
        {0x6a, 6, ERRATUM_PT_PSB_UNEXPECTED, "RKL028", true},
        {0x6c, 1, ERRATUM_PT_PSB_UNEXPECTED, "RKL028", true},
        {0x9a, 3, ERRATUM_PT_PSB_UNEXPECTED, "ADL030", false},
        {0x8f, 4, ERRATUM_PT_PSB_UNEXPECTED, "ADL030", true},
    };
    struct identity id = {.vendor = "GenuineIntel", .family = 6};
    struct erratum_found found;

    (void)unused;
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        id.model = (uint16_t)of[i].model;
        id.stepping = (uint8_t)of[i].stepping;
        assert_true(errata_find(&id, of[i].erratum, &found));
        assert_string_equal(found.name, of[i].want);
        assert_int_equal(found.inferred, of[i].inferred);
    }
}

static void servers_are_inferred(void **unused)
{
    struct identity id = {
        .vendor = "GenuineIntel", .family = 6, .model = 0x55, .stepping = 4};
    struct erratum_found found;

    (void)unused;
    assert_true(errata_find(&id, ERRATUM_PMC2_OVER_ABORTS, &found));
    assert_string_equal(found.name, "SKL194");
    assert_true(found.inferred);
    id.model = 0x5e;
    assert_true(errata_find(&id, ERRATUM_PMC2_OVER_ABORTS, &found));
    assert_false(found.inferred);
    id.family = 15;
    assert_false(errata_find(&id, ERRATUM_PMC2_OVER_ABORTS, &found));
}

/* A name of another maker's processor would be a wrong excuse. */
static void others_have_none(void **unused)
{
    struct identity id = {
        .vendor = "AuthenticAMD", .family = 6, .model = 0x5e, .stepping = 3};
    struct erratum_found found;

    (void)unused;
    for (unsigned e = 0; e < ERRATUM_COUNT; e++)
        assert_false(errata_find(&id, (enum erratum)e, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_by_generation),
        cmocka_unit_test(which_are_inferred),
        cmocka_unit_test(updates_by_model),
        cmocka_unit_test(servers_are_inferred),
        cmocka_unit_test(others_have_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
