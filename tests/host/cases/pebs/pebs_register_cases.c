/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_register_cases.c - the registers of PEBS of each generation, on two
 * processors: bits that are kept, lost or refused, and registers that the two
 * have together. (Of the 6th generation bit by bit: register_cases.c.) */
#include "tests/host/cases/case_fixture.h"

extern const struct test test_pebs_registers;

#define DATA_CFG 0x3f2
#define LD_LAT   0x3f6

static struct device {
    unsigned model, format;
    uint32_t shared;  /* this register is both processors' */
    uint32_t kept;    /* of this one `bits` are taken though reserved, */
    uint32_t lost;    /* or not held, */
    uint32_t refused; /* or refused */
    uint64_t bits;
    bool lowest, highest; /* each bit of an address was 1 in IA32_DS_AREA */
} device;

/* SDM 3B, "Layout of IA32_PEBS_ENABLE MSR", "Layout of MSR_PEBS_LD_LAT MSR";
 * with extended PEBS a bit of each counter; "MSR_PEBS_DATA_CFG". */
static uint64_t bits_of(uint32_t number)
{
    if (number == DATA_CFG)
        return 0xff00000f;
    if (number == LD_LAT)
        return 0xffff;
    if (device.format == 4)
        return UINT64_C(0xf0000000f);
    return UINT64_C(0xf0000000f) |
           (device.model == 0x2a || device.model == 0x3a ? BIT(63) : 0);
}

static bool is_canonical(uint64_t address)
{
    return address >> 47 == 0 || address >> 47 == 0x1ffff;
}

static bool is_refused(uint32_t number, uint64_t value)
{
    const uint64_t kept = device.kept == number ? device.bits : 0;

    if (device.refused == number && (value & device.bits) != 0)
        return true;
    if (number == IA32_DS_AREA)
        return !is_canonical(value) && !is_canonical(value & ~kept);
    return (value & ~bits_of(number) & ~kept) != 0;
}

static int access(uint32_t number, const uint64_t *written)
{
    const bool own = number == DATA_CFG || number == LD_LAT ||
                     number == IA32_PEBS_ENABLE || number == IA32_DS_AREA;

    if (written == NULL || !own)
        return HW_NO_FAULT;
    if (is_refused(number, *written))
        return HW_GP;
    device.lowest |= number == IA32_DS_AREA && *written == BITS(46, 3);
    device.highest |= number == IA32_DS_AREA && *written == BITS(63, 47);
    fake_msr(number)->writable =
        device.lost == number ? ~device.bits : UINT64_MAX;
    if (device.shared == number) {
        const unsigned here = fake_current;

        fake_current = !here;
        *msr(number) = *written;
        fake_current = here;
    }
    return HW_NO_FAULT;
}

/* The worst of the two, and what it says. */
static const char *text;
static enum verdict verdict(void)
{
    static const uint32_t numbers[] = {IA32_PEBS_ENABLE, LD_LAT, IA32_DS_AREA,
                                       DATA_CFG};
    enum verdict worst;

    fake_reset();
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (numbers[i] != DATA_CFG || device.format == 4)
            *msr(numbers[i]) = numbers[i] == IA32_PEBS_ENABLE ? 0 : 8;
    fake_msr(0x30c);
    fake_processors(PROCESSORS);
    case_start(&test_pebs_registers, 0);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        all[p].cpu.model = (uint16_t)device.model;
        all[p].cpu.pebs_format = (uint8_t)device.format;
        all[p].cpu.fixed_set = device.format == 4 ? 0xf : 7;
        all[p].cpu.microcode_known = false;
    }
    fake_device = access;
    fake_body(t);
    fake_device = NULL;
    worst = case_close();
    text = all[0].text;
    for (unsigned p = 0; p < PROCESSORS; p++)
        if (p != 0 && all[p].checks != 0) {
            context_close(&all[p]);
            if (worst == VERDICT_PASS) {
                worst = all[p].verdict;
                text = all[p].text;
            }
        }
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        for (size_t i = 0; i < 3; i++)
            if (device.shared == 0 && device.bits == 0)
                assert_int_equal(*msr(numbers[i]),
                                 numbers[i] == IA32_PEBS_ENABLE ? 0 : 8);
    }
    fake_current = 0;
    return worst;
}

static void expect(enum verdict wanted, const char *line)
{
    const enum verdict found = verdict();

    if (found != wanted || strstr(text, line) == NULL)
        fail_msg("%xH, format %u: %d, wanted %d and \"%s\": %s", device.model,
                 device.format, (int)found, (int)wanted, line, text);
}

static const struct {
    unsigned model, format;
} processors[] = {{0x2a, 1}, {0x3a, 1}, {0x3c, 2}, {0x3d, 2},
                  {0x5e, 3}, {0x6a, 4}, {0x8f, 4}};

static const uint32_t all_of[] = {IA32_PEBS_ENABLE, LD_LAT, IA32_DS_AREA,
                                  DATA_CFG};

static void each(void (*job)(void))
{
    for (size_t i = 0; i < sizeof(processors) / sizeof(processors[0]); i++) {
        device = (struct device){.model = processors[i].model,
                                 .format = processors[i].format};
        job();
    }
}

static void passes(void)
{
    const bool precise_store = device.format == 1,
               adaptive = device.format == 4;

    expect(VERDICT_PASS, precise_store || adaptive
                             ? ""
                             : "NOT OBSERVED IA32_PEBS_ENABLE (3F1H)[63]");
    assert_true(device.lowest && device.highest);
    device.kept = IA32_PEBS_ENABLE;
    device.bits = BIT(63);
    if (!adaptive)
        expect(VERDICT_PASS,
               precise_store ? "" : "without precise store: 1 of 1");
}

static void healthy(void **state)
{
    (void)state;
    each(passes);
}

static void together(void)
{
    for (size_t i = 0; i < (device.format == 4 ? 4 : 3); i++) {
        device.shared = all_of[i];
        expect(VERDICT_FAIL, "after other processors wrote theirs");
    }
}

static void shared(void **state)
{
    (void)state;
    each(together);
}

static uint64_t defined(uint32_t number)
{
    return number == IA32_DS_AREA ? BITS(63, 3) : bits_of(number);
}

static void try_bit(uint32_t number, uint64_t bit)
{
    const bool is = (defined(number) & bit) != 0;

    device.bits = bit;
    if (number == IA32_DS_AREA && bit < 8)
        return;
    /* At least one of the low bits of a threshold is held. */
    device.lost = is ? number : 0;
    if (is)
        expect(VERDICT_FAIL, "");
    device.lost = 0;
    device.refused = is && bit <= BIT(46) ? number : 0;
    if (device.refused != 0)
        assert_true(verdict() >= VERDICT_FAIL);
    device.refused = 0;
    device.kept = !is || number == IA32_DS_AREA ? number : 0;
    if (number == IA32_PEBS_ENABLE && bit == BIT(63) && device.format < 4)
        return;
    if (number == IA32_PEBS_ENABLE && device.format == 4 && bit < BIT(8))
        return;
    if (device.kept != 0 && (number != IA32_DS_AREA || bit >= BIT(47)))
        expect(VERDICT_FAIL, "wanted #GP");
    device.kept = 0;
}

static void bit_by_bit(void **state)
{
    (void)state;
    device = (struct device){.model = 0x6a, .format = 4};
    for (size_t i = 0; i < 4; i++)
        for (unsigned bit = 0; bit < 64; bit++)
            try_bit(all_of[i], BIT(bit));
    device = (struct device){.model = 0x2a, .format = 1};
    for (unsigned bit = 0; bit < 64; bit++)
        try_bit(IA32_PEBS_ENABLE, BIT(bit));
}

/* E-cores can send records to a trace: [62:60] are theirs. */
static void output_to_trace(void **state)
{
    (void)state;
    device = (struct device){.model = 0xbe, .format = 4};
    device.kept = IA32_PEBS_ENABLE;
    device.bits = BITS(62, 60);
    expect(VERDICT_PASS, "");
    device.bits = BIT(59);
    expect(VERDICT_FAIL, "wanted #GP");
    device.bits = BIT(63);
    expect(VERDICT_FAIL, "wanted #GP");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),
        cmocka_unit_test(shared),
        cmocka_unit_test(bit_by_bit),
        cmocka_unit_test(output_to_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
