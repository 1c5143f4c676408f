/* SPDX-License-Identifier: BSD-2-Clause */
/* errata.c - the names of each erratum, and whose updates speak of a model. */
#include "src/cpu/errata.h"

#include <stddef.h>

#include "src/base/text.h"

/* clang-format off */
static const char *const names[ERRATUM_COUNT] = {
    [ERRATUM_INSTRUCTIONS_INCONSISTENT] =
        "BJ136 BK136 BV112 HSD140 HSM151 BDD058 BDM061",
    [ERRATUM_FIXED0_32_MORE] = "HSD143 HSM154",
    [ERRATUM_BRANCHES_OF_THREAD_1] = "BDD101",
    [ERRATUM_PMC2_OVER_ABORTS] = "HSD176 HSM186 SKL194 KBL151 CML134",
    [ERRATUM_EVTSEL4_TO_7_READ] = "BV080",
    [ERRATUM_OVERFLOW_STAYS] = "BJ058 BK058 BV085",
    [ERRATUM_FIXED1_WRITE] = "BJ054 BK054 BV036",
    [ERRATUM_INV_COUNTS_OTHER_CPL] = "HSD073 HSM074",
    [ERRATUM_CPL_FILTER_UNDERCOUNTS] = "BDM120 SKL117 KBL063 CFL062 CML062",
    [ERRATUM_PMC4_TO_7_USR_ALONE] = "BDD116 BDM126",
    [ERRATUM_ANYTHREAD_ONE_CPL] = "BDD059 BDM062",
    [ERRATUM_LLC_EVENTS] = "SKL057 KBL042 CFL042 CML042",
    [ERRATUM_FREEZE_PMC4_TO_7] = "SKL090 KBL056 CFL056 CML056",
    [ERRATUM_TOPA_PMI_NO_FREEZE] = "SKL125 KBL070 CFL067 CML067",
    [ERRATUM_PMI_REPEATED] = "HSD091 HSM097 BDD038 BDM038",
    [ERRATUM_FIXED0_PMI_REPEATED] = "BV043",
    [ERRATUM_STATUS_SET_63] = "SKL164 KBL118 CFL103 CML098",
    [ERRATUM_STATUS_SET_55] = "SKL051",
    [ERRATUM_LBR_DUPLICATE_AT_FREEZE] = "SKL186 KBL143 CFL135 CML121",
    [ERRATUM_LBR_FROM_AT_FREEZE] = "BJ094 BK093",
    [ERRATUM_LBR_FAULTS_WITH_TRACE] = "BDD096 BDM110",
    [ERRATUM_LBR_CALL_OF_NO_LENGTH] = "HSD080 HSM083",
    [ERRATUM_EVENTING_IP_BEFORE_JCC] =
        "BDD049 BDM050 SKL018 KBL018 CFL018 CML018",
    [ERRATUM_EVENTING_IP] =
        "HSD167 HSM177 BDD111 BDM121 SKL120 KBL067 CFL064 CML064",
    [ERRATUM_RECORD_OF_LATER] = "HSD110 HSM119",
    [ERRATUM_RECORD_AFTER_DISABLING] = "HSD159 HSM169 BDD102 BDM114 SKL104",
    [ERRATUM_PMI_OF_FULL_BUFFER] = "BJ101 BK100 BV051",
    [ERRATUM_PDIR_REDUNDANT] = "BDD053 BDM055",
    [ERRATUM_LOAD_LATENCY_STOPS] = "HSD171 HSM181 KBL115 CFL100 CML095",
    [ERRATUM_LOAD_SOURCE] = "HSD025 HSM026 BDD085 BDM100",
    [ERRATUM_LOCKED_LOADS] = "HSD076 HSM077 BDD035 BDM035",
    [ERRATUM_MEMORY_EVENTS_WITH_HT] = "BJ122 BV098 HSD029 HSM030",
    [ERRATUM_MEMORY_EVENTS_ONE_CPL] =
        "HSD169 HSM179 BDD113 BDM123 SKL128 KBL073 CFL070 CML070",
    [ERRATUM_UNCORE_ABSENT] = "HSD079 HSM081",
    [ERRATUM_OFFCORE_RFO] = "SKL095 KBL058 CFL058 CML058",
    [ERRATUM_OFFCORE_RFO_SUPPLIER] = "BDM115",
    [ERRATUM_PT_PSB_UNEXPECTED] =
        "BDD065 BDM070 SKL021 KBL021 CFL021 CML021 RKL028 ADL030",
    [ERRATUM_PT_PSB_PIP] = "BDD062 BDM066",
    [ERRATUM_PT_LATE_MODE] = "BDD057 BDM060",
    [ERRATUM_PT_PGD_WITHOUT_IP] = "SKL014 KBL014 CFL014 CML014 RKL027",
    [ERRATUM_PT_STOPS_EARLY] = "BDD048 BDM049",
    [ERRATUM_PT_DROPS_ALL] = "SKL171 KBL126 CFL114 CML106",
    [ERRATUM_PT_ABORT_IP] = "BDD060 BDM064",
    [ERRATUM_PT_CYC_DROPPED] = "SKL168 KBL122 CFL108 CML102",
    [ERRATUM_PT_OVF_WITHOUT_FUP] = "SKL033 KBL030 CFL030 CML030",
    [ERRATUM_HLE_OLD_VALUE] = "BDD050 BDM051",
};

/* The specification updates that speak of a model, by the letters of their
 * names; the second, or a further row, where the first does not have it. Of a
 * server, those of its client sibling; of the 10th and 11th generations' new
 * core and its server, those of Rocket Lake, which has that core; of the 13th
 * and what has its core, those of the 12th. An update may be older than an erratum
 * that those of the same core have: then theirs. */
static const struct model {
    uint8_t model, steppings[2]; /* first and last */
    bool inferred; /* the updates of another that has its core */
    const char *updates[2];
} models[] = {
    {0x2a, {0, 15}, false, {"BJ", NULL}},
    {0x2d, {0, 15}, false, {"BK", NULL}},
    {0x2d, {0, 15}, true, {"BJ", NULL}},
    {0x3a, {0, 15}, false, {"BV", NULL}},
    {0x3e, {0, 15}, true, {"BV", NULL}},
    {0x3c, {0, 15}, false, {"HSD", "HSM"}},
    {0x46, {0, 15}, false, {"HSD", "HSM"}},
    {0x45, {0, 15}, false, {"HSM", "HSD"}},
    {0x3f, {0, 15}, true, {"HSD", NULL}},
    {0x47, {0, 15}, false, {"BDD", "BDM"}},
    {0x3d, {0, 15}, false, {"BDM", "BDD"}},
    {0x4f, {0, 15}, true, {"BDD", "BDM"}},
    {0x56, {0, 15}, true, {"BDD", "BDM"}},
    {0x4e, {0, 15}, false, {"SKL", NULL}},
    {0x5e, {0, 15}, false, {"SKL", NULL}},
    {0x55, {0, 15}, true, {"SKL", NULL}},
    {0x8e, {0, 10}, false, {"KBL", NULL}},
    {0x8e, {11, 15}, false, {"CFL", "CML"}},
    {0x9e, {0, 9}, false, {"KBL", NULL}},
    {0x9e, {10, 15}, false, {"CFL", NULL}},
    {0x9e, {10, 15}, true, {"CML", NULL}},
    {0xa5, {0, 15}, false, {"CML", NULL}},
    {0xa6, {0, 15}, false, {"CML", NULL}},
    {0xa7, {0, 15}, false, {"RKL", NULL}},
    {0x7d, {0, 15}, true, {"RKL", NULL}},
    {0x7e, {0, 15}, true, {"RKL", NULL}},
    {0x6a, {0, 15}, true, {"RKL", NULL}},
    {0x6c, {0, 15}, true, {"RKL", NULL}},
    {0x97, {0, 15}, false, {"ADL", NULL}},
    {0x9a, {0, 15}, false, {"ADL", NULL}},
    {0x8c, {0, 15}, true, {"RKL", NULL}},
    {0x8d, {0, 15}, true, {"RKL", NULL}},
    {0x8f, {0, 15}, true, {"ADL", NULL}},
    {0xcf, {0, 15}, true, {"ADL", NULL}},
    {0xb7, {0, 15}, true, {"ADL", NULL}},
    {0xba, {0, 15}, true, {"ADL", NULL}},
    {0xbf, {0, 15}, true, {"ADL", NULL}},
    {0xbe, {0, 15}, true, {"ADL", NULL}},
    {0xaa, {0, 15}, true, {"ADL", NULL}},
    {0xac, {0, 15}, true, {"ADL", NULL}},
    {0xad, {0, 15}, true, {"ADL", NULL}},
    {0xae, {0, 15}, true, {"ADL", NULL}},
};

/* Of these servers the updates above are of client processors without TSX,
 * which cannot list what aborts do; no document says that it was mended. */
static const uint8_t with_tsx[] = {0x6a, 0x6c, 0x8f, 0xcf, 0xad, 0xae};
/* clang-format on */

/* The name in `list` that has these letters before its digits. */
static bool find_name(const char *list, const char *letters, char out[8])
{
    const size_t count = text_length(letters);

    for (const char *at = list; *at != '\0';) {
        size_t length = 0, same = 0;
        while (at[length] != '\0' && at[length] != ' ')
            length++;
        while (same < count && at[same] == letters[same])
            same++;
        if (same == count && length == count + 3) {
            text_format(out, length + 1, "%s", at);
            return true;
        }
        at += length + (at[length] == ' ');
    }
    return false;
}

bool errata_find(const struct identity *id, enum erratum erratum,
                 struct erratum_found *found)
{
    if (!identity_is_intel(id) || id->family != 6)
        return false;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        const struct model *m = &models[i];
        if (m->model != id->model || id->stepping < m->steppings[0] ||
            id->stepping > m->steppings[1])
            continue;
        found->inferred = m->inferred;
        for (unsigned u = 0; u < 2 && m->updates[u] != NULL; u++)
            if (find_name(names[erratum], m->updates[u], found->name))
                return true;
    }
    for (size_t i = 0; i < sizeof(with_tsx); i++)
        if (erratum == ERRATUM_PMC2_OVER_ABORTS && with_tsx[i] == id->model) {
            found->inferred = true;
            return find_name(names[erratum], "SKL", found->name);
        }
    return false;
}
