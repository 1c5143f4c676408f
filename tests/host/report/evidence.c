/* SPDX-License-Identifier: BSD-2-Clause */
/* evidence.c - the lines of the machine and of processors as found. */
#include "src/report/evidence.h"
#include "src/base/msr.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PROCESSORS 16
#define MOST       4096 /* bytes of all of it */

static struct test_context contexts[PROCESSORS];
static struct machine machine;
static struct options options;

static void assert_line(const char *line)
{
    if (strstr(fake_report, line) == NULL) {
        print_error("not there: %s\nin:\n%s", line, fake_report);
        fail();
    }
}

/* Of processors that differ in all that they hold, and a machine whose names
 * are as long as they get. */
static void make(void)
{
    memset(contexts, 0, sizeof(contexts));
    for (unsigned p = 0; p < PROCESSORS; p++) {
        struct found *found = &contexts[p].found;
        contexts[p].processor = p;
        contexts[p].cpu.apic_id = 2 * p;
        contexts[p].cpu.physical_bits = 46;
        for (unsigned i = 0; i < FOUND_MSRS; i++)
            found->value[i] = UINT64_C(0xfedcba9876543210) + p;
        for (unsigned i = 0; i < FOUND_MSRS; i++)
            found->fault[i] = HW_NO_FAULT;
        for (unsigned i = 0; i < FOUND_LEAVES; i++)
            found->leaves[i] = (struct found_leaf){
                i + 1,
                0,
                true,
                {0xffffffff - p, 0xfffffff0 - p, 0xfffff000 - p, p}};
        found->lvt_known = true;
        found->lvt = 0x10000 + p;
        found->memory = (struct found_memory){.mapped = true,
                                              .contiguous = p != 3,
                                              .alike = p != 4,
                                              .physical = 0x7f000000 + 4096 * p,
                                              .bytes = 81920,
                                              .mtrr = "WB",
                                              .pat = p == 5 ? "UC" : "WB"};
    }
    memset(&machine, 0, sizeof(machine));
    for (unsigned i = 0; i < MACHINE_TEXTS; i++)
        memset(machine.text[i], 'a' + (int)i, MACHINE_TEXT_BYTES - 1);
    memset(machine.firmware, 'z', MACHINE_TEXT_BYTES - 1);
    machine.uefi_revision = 2 << 16 | 100;
    machine.uuid[0] = 0xab;
    options_default(&options);
}

static void write_all(unsigned count)
{
    struct sink sink;
    struct ktap out;

    fake_reset();
    fake_sink(&sink);
    ktap_open(&out, &sink, 1, 1);
    evidence_machine(&out, &machine, &options);
    evidence_processors(&out, contexts, count, &options);
}

static void below_4_kib(void **state)
{
    (void)state;
    make();
    options.identity = IDENTITY_FULL;
    write_all(PROCESSORS);
    assert_true(strlen(fake_report) < MOST);
    assert_line("# found: IA32_DEBUGCTL (1D9H) = "
                "0xfedcba9876543210..0xfedcba987654321f\n");
    assert_line("# found: MAXPHYADDR = 46\n");
    assert_line("# processor 3: found: the tests' memory = 0x7f003000, 80 KiB, "
                "in pieces: WB by the MTRRs, WB by the PAT\n");
    assert_line("# processor 4: found: the tests' memory = 0x7f004000, 80 KiB, "
                "physically contiguous: WB by the MTRRs, WB by the PAT, but "
                "not all of it\n");
    assert_line("# APIC IDs of the processors, in their order: 0H 2H 4H");
    assert_line("# machine: UUID ab000000000000000000000000000000, serial "
                "numbers: system \"hhh");
    assert_line("UEFI 2.10\n");
    options.verbosity = VERBOSITY_VERBOSE;
    write_all(PROCESSORS);
    assert_line("# processor 7: found: IA32_DEBUGCTL (1D9H) = "
                "0xfedcba9876543217\n");
}

static void who_it_is(void **state)
{
    (void)state;
    make();
    write_all(1);
    assert_line("# machine: date: its clock cannot be read\n");
    assert_line(" (hash of SMBIOS' UUID and serial numbers)\n");
    assert_null(strstr(fake_report, "hhh")); /* a serial number */
    assert_null(strstr(fake_report, "UUID ab"));
    memset(machine.uuid, 0, sizeof(machine.uuid));
    for (unsigned i = MACHINE_SYSTEM_SERIAL; i < MACHINE_TEXTS; i++)
        machine.text[i][0] = '\0';
    write_all(1);
    assert_line("# machine: id: none: ");
    strcpy(options.machine, "rack7");
    write_all(1);
    assert_line("# machine: id: rack7 (machine=)\n");
}

static void what_is_not_there(void **state)
{
    (void)state;
    make();
    struct found *found = &contexts[0].found;
    found->fault[4] = HW_GP;
    found->fault[5] = FOUND_NOT_READ;
    found->leaves[1].present = false;
    memset(&found->leaves[2].value, 0, sizeof(found->leaves[2].value));
    found->lvt_known = false;
    found->memory.mapped = false;
    contexts[1].lost = true;
    write_all(2);
    assert_line("# processor 0: found: RDMSR of IA32_MISC_ENABLE (1A0H) raises "
                "#GP\n");
    assert_null(strstr(fake_report, "1D9H"));
    assert_null(strstr(fake_report, "CPUID.02H"));
    assert_null(strstr(fake_report, "CPUID.03H"));
    assert_line("CPUID.04H.0: EAX = 0xffffffff");
    assert_null(strstr(fake_report, "LVT"));
    assert_line("# processor 0: found: the tests' memory is not mapped\n");
    assert_line("order: 0H -\n");
    for (unsigned p = 0; p < PROCESSORS; p++)
        contexts[p].cpu.apic_id = 0xffffff00;
    contexts[1].lost = false;
    write_all(PROCESSORS);
    assert_true(strlen(strstr(fake_report, "# APIC IDs")) < 260);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_4_kib),
        cmocka_unit_test(who_it_is),
        cmocka_unit_test(what_is_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
