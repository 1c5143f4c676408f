/* SPDX-License-Identifier: BSD-2-Clause */
/* status.c - the abort status in words. Pure. */
#include "src/tsx/status.h"

#include <stddef.h>

#include "src/base/text.h"

static const struct {
    uint32_t mask;
    const char *name;
} names[] = {
    {RTM_STATUS_XABORT, "xabort"},         {RTM_STATUS_RETRY, "retry"},
    {RTM_STATUS_CONFLICT, "conflict"},     {RTM_STATUS_CAPACITY, "capacity"},
    {RTM_STATUS_BREAKPOINT, "breakpoint"}, {RTM_STATUS_NESTED, "nested"},
    {RTM_STATUS_RESERVED, "reserved"},
};

bool rtm_status_is_possible(uint32_t status)
{
    uint32_t excluded =
        (status & RTM_STATUS_XABORT) != 0 ? RTM_STATUS_RETRY : RTM_STATUS_CODE;

    return (status & (RTM_STATUS_RESERVED | excluded)) == 0;
}

const char *rtm_status_text(uint32_t status, char text[RTM_STATUS_TEXT])
{
    text_format(text, RTM_STATUS_TEXT, "%s", status == 0 ? "0" : "");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if ((status & names[i].mask) != 0)
            text_append(text, RTM_STATUS_TEXT, "%s%s",
                        text[0] != '\0' ? "+" : "", names[i].name);
    if ((status & RTM_STATUS_CODE) != 0)
        text_append(text, RTM_STATUS_TEXT, "%scode %02XH",
                    text[0] != '\0' ? "+" : "", status >> 24);
    return text;
}
