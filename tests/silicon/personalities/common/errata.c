/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * errata.c - the errata that the model plays, of which processors. Source:
 * Intel's specification updates of the 2nd to 10th generation of Core, by id;
 * what each row does is said beside its name in model/errata.h.
 *
 * "Steppings: see the summary table of errata" of each update. Rows are bound
 * to family and model here, and that to what ids begin with.
 */
#include "tests/silicon/model/errata.h"

#include <stddef.h>

#include "tests/silicon/model/personality.h"
#include "tests/silicon/model/text.h"

#define IDS_MAX 8

static const struct {
    char letters[4];
    uint8_t model, first_stepping, last_stepping; /* of family 06H */
} updates[] = {
    {"BJ", 0x2A, 0, 15},   {"BV", 0x3A, 0, 15},  {"BU", 0x3A, 0, 15},
    {"HSD", 0x3C, 0, 15},  {"HSM", 0x3C, 0, 15}, {"HSM", 0x45, 0, 15},
    {"BDD", 0x47, 0, 15},  {"BDM", 0x3D, 0, 15}, {"SKL", 0x4E, 0, 15},
    {"SKL", 0x5E, 0, 15},  {"KBL", 0x8E, 9, 10}, {"KBL", 0x9E, 9, 9},
    {"CFL", 0x9E, 10, 13}, {"CML", 0xA5, 0, 15}, {"CML", 0xA6, 0, 15},
};

/* clang-format off */
static const char *const published[ERRATA][IDS_MAX] = {
    [ERRATUM_INSTRUCTIONS] = {"BJ136", "BV112", "BU115", "HSD140", "HSM151",
                              "BDD058", "BDM061"},
    [ERRATUM_FIXED0_32] = {"HSD143", "HSM154"},
    [ERRATUM_BRANCHES] = {"BJ090"},
    [ERRATUM_PMC2] = {"HSD176", "HSM186", "SKL194", "KBL151", "CML134"},
    [ERRATUM_CPL_FILTER] = {"BDM120", "SKL117", "KBL063", "CFL062", "CML062"},
    [ERRATUM_USR_4_TO_7] = {"BDD116", "BDM126"},
    [ERRATUM_CTR_FRZ_4_TO_7] = {"SKL090", "KBL056", "CFL056", "CML056"},
    [ERRATUM_SET_BIT_63] = {"SKL164", "KBL118", "CFL103", "CML098"},
    [ERRATUM_SET_BIT_55] = {"SKL051"},
    [ERRATUM_PMI_AGAIN] = {"HSD091", "HSM097", "BDD038", "BDM038"},
    [ERRATUM_SMI_CLEARS] = {"HSD052", "HSM053"},
    [ERRATUM_ABORTED_MISC4] = {"HSD065", "HSM066"},
    [ERRATUM_RFO] = {"SKL095", "KBL058", "CFL058", "CML058"},
    [ERRATUM_L3_SIDE] = {"HSD025", "HSM026"},
    [ERRATUM_L3_LOST] = {"BDD085", "BDM100", "BDD114", "BDM124"},
    [ERRATUM_LOCKED_LOADS] = {"HSD076", "HSM077", "BDD035", "BDM035"},
    [ERRATUM_MEMORY_ONE_CPL] = {"HSD169", "HSM179", "BDD113", "BDM123",
                                "SKL128", "KBL073", "CFL070", "CML070"},
    [ERRATUM_NOT_TAKEN_IP] = {"BDD049", "BDM050", "SKL018", "KBL018",
                              "CFL018", "CML018"},
    [ERRATUM_EVENTING_IP] = {"HSD167", "HSM177", "BDD111", "BDM121", "SKL120",
                             "KBL067", "CFL064", "CML064"},
    [ERRATUM_LATER_RECORD] = {"HSD110", "HSM119"},
    [ERRATUM_RECORD_AFTER] = {"HSD159", "HSM169", "BDD102", "BDM114",
                              "SKL104"},
    [ERRATUM_PDIR_TWICE] = {"BDD053", "BDM055"},
    [ERRATUM_LOAD_LATENCY] = {"HSD171", "HSM181", "KBL115", "CFL100",
                              "CML095"},
    [ERRATUM_PGD_IP] = {"SKL014", "KBL014", "CFL014", "CML014"},
    [ERRATUM_PSB_UNEXPECTED] = {"BDD065", "BDM070", "SKL021", "KBL021",
                                "CFL021", "CML021"},
    [ERRATUM_OVF_FUP] = {"SKL033", "KBL030", "CFL030", "CML030"},
    [ERRATUM_OVF_IN_CYC] = {"SKL049", "KBL041", "CFL041", "CML041"},
    [ERRATUM_CYC_13] = {"SKL069", "KBL050", "CFL050", "CML050"},
    [ERRATUM_CYC_DROPPED] = {"SKL168", "SKL175", "KBL122", "KBL131", "CFL108",
                             "CFL119", "CML102", "CML110"},
    [ERRATUM_ALL_DROPPED] = {"SKL171", "KBL126", "CFL114", "CML106"},
    [ERRATUM_STOPS_SOON] = {"BDD048", "BDM049"},
    [ERRATUM_MODE_AT_PSB] = {"BDD057", "BDM060"},
    [ERRATUM_PIP_WITHOUT_OS] = {"BDD062", "BDM066"},
    [ERRATUM_TOPA_NO_FREEZE] = {"SKL125", "KBL070", "CFL067", "CML067"},
    [ERRATUM_LBR_TRACED_GP] = {"BDD096", "BDM110"},
    [ERRATUM_LBR_TRACED_WRITE] = {"SKL047", "KBL039", "CFL039", "CML039"},
    [ERRATUM_CALL_OF_NO_LENGTH] = {"HSD080", "HSM083"},
    [ERRATUM_LOCK_LOOKS_FREE] = {"BDD050", "BDM051"},
};
/* clang-format on */

static bool begins_with(const char *text, const char *start)
{
    while (*start != '\0')
        if (*text++ != *start++)
            return false;
    return *text >= '0' && *text <= '9';
}

/* Is it of an update of this processor? CPUID.1:EAX: model, stepping. */
static bool is_of(const struct personality *cpu, const char *id)
{
    unsigned model =
                 (cpu->signature >> 12 & 0xF0) | (cpu->signature >> 4 & 0xF),
             stepping = cpu->signature & 0xF;

    for (size_t n = 0; n < sizeof(updates) / sizeof(updates[0]); n++)
        if (updates[n].model == model &&
            stepping >= updates[n].first_stepping &&
            stepping <= updates[n].last_stepping &&
            begins_with(id, updates[n].letters))
            return true;
    return false;
}

/* id: NULL for any. */
static uint64_t find(const struct personality *cpu, const char *id)
{
    uint64_t found = 0;

    for (unsigned e = 0; e < ERRATA; e++)
        for (unsigned n = 0; n < IDS_MAX && published[e][n] != NULL; n++)
            if (is_of(cpu, published[e][n]) &&
                (id == NULL || text_equal(id, published[e][n])))
                found |= UINT64_C(1) << e;
    return found;
}

uint64_t errata_of(const struct personality *cpu)
{
    return find(cpu, NULL);
}

uint64_t errata_find(const struct personality *cpu, const char *id)
{
    return find(cpu, id);
}
