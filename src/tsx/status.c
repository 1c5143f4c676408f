/* SPDX-License-Identifier: BSD-2-Clause */
/* status.c - the abort status in words. Pure. */
#include "src/tsx/status.h"

#include <stddef.h>

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

/* Appends s after `used` characters; what does not fit is left out. */
static size_t append(char text[RTM_STATUS_TEXT], size_t used, const char *s)
{
    while (*s != '\0' && used < RTM_STATUS_TEXT - 1)
        text[used++] = *s++;
    text[used] = '\0';
    return used;
}

const char *rtm_status_text(uint32_t status, char text[RTM_STATUS_TEXT])
{
    static const char digits[] = "0123456789ABCDEF";
    size_t used = append(text, 0, status == 0 ? "0" : "");

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if ((status & names[i].mask) == 0)
            continue;
        used = append(text, used, used == 0 ? "" : "+");
        used = append(text, used, names[i].name);
    }
    if (status & RTM_STATUS_CODE) {
        const char code[] = {digits[status >> 28], digits[status >> 24 & 15],
                             'H', '\0'};
        used = append(text, used, used == 0 ? "code " : "+code ");
        used = append(text, used, code);
    }
    return text;
}
