/* SPDX-License-Identifier: BSD-2-Clause */
/* status.c - the abort status in words, every bit of it. */
#include "src/tsx/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void each_bit_has_its_name(void **state)
{
    static const struct {
        uint32_t status;
        const char *text;
    } rows[] = {
        {0, "0"},
        {1u << 0, "xabort"},
        {1u << 1, "retry"},
        {1u << 2, "conflict"},
        {1u << 3, "capacity"},
        {1u << 4, "breakpoint"},
        {1u << 5, "nested"},
        {1u << 6, "reserved"},
        {1u << 23, "reserved"},
        {0xa5000001, "xabort+code A5H"},
        {0x01000000, "code 01H"},
        {0x6, "retry+conflict"},
    };
    char text[RTM_STATUS_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(rtm_status_text(rows[i].status, text),
                            rows[i].text);
}

static void all_bits_fit(void **state)
{
    char text[RTM_STATUS_TEXT];

    (void)state;
    assert_string_equal(rtm_status_text(UINT32_MAX, text),
                        "xabort+retry+conflict+capacity+breakpoint+nested+"
                        "reserved+code FFH");
    assert_true(strlen(text) < RTM_STATUS_TEXT);
}

/* [23:6] are reserved; a code without XABORT there is not, nor a retry with it.
 */
static void which_are_possible(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 32; bit++)
        for (unsigned with = 0; with < 2; with++) {
            const uint32_t status = 1u << bit | with;
            const bool reserved = bit >= 6 && bit <= 23;
            const bool wrong = with != 0 ? bit == 1 : bit >= 24;

            assert_int_equal(rtm_status_is_possible(status),
                             !reserved && !wrong);
        }
    assert_true(rtm_status_is_possible(0));
}

static void masks_cover_each_bit_once(void **state)
{
    const uint32_t masks[] = {RTM_STATUS_XABORT,     RTM_STATUS_RETRY,
                              RTM_STATUS_CONFLICT,   RTM_STATUS_CAPACITY,
                              RTM_STATUS_BREAKPOINT, RTM_STATUS_NESTED,
                              RTM_STATUS_RESERVED,   RTM_STATUS_CODE};
    uint32_t all = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
        assert_int_equal(all & masks[i], 0);
        all |= masks[i];
    }
    assert_int_equal(all, UINT32_MAX);
    /* What stands in EAX before XBEGIN cannot be an abort status. */
    assert_int_not_equal(RTM_STATUS_STARTED & RTM_STATUS_RESERVED, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bit_has_its_name),
        cmocka_unit_test(all_bits_fit),
        cmocka_unit_test(which_are_possible),
        cmocka_unit_test(masks_cover_each_bit_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
