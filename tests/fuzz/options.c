/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.c - arbitrary bytes as load options and as a file. Nothing is written
 * beyond what is given; every warning is a line that fits; what was read, said
 * as words and read again, is the same and is no warning.
 */
#include "src/options/options.h"
#include "src/base/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned warnings;

static void warn(void *context, const char *line)
{
    (void)context;
    if (strlen(line) >= OPTIONS_WARNING_BYTES)
        abort();
    warnings++;
}

static void read_again(const struct options *first)
{
    char line[OPTIONS_LINE_BYTES], again[OPTIONS_LINE_BYTES];
    struct options second;
    size_t bytes = options_write(first, line);

    if (bytes >= sizeof(line) - 1)
        return; /* a list of processors too long for one line is cut */
    warnings = 0;
    options_default(&second);
    options_parse(&second, line, bytes, warn, NULL);
    options_write(&second, again);
    /* A list of tests that was refused is refused again. */
    if (warnings != (first->tests[0] == '\0') || strcmp(line, again) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct options options;
    char *text = malloc(size + 1); /* so that one byte too many is seen */
    size_t odd, n = options_text(data, size, text, size, &odd);

    if (n > size)
        abort();
    options_default(&options);
    options_parse(&options, text, n, warn, NULL);
    read_again(&options);
    options_default(&options);
    options_load(&options, data, size, warn, NULL);
    read_again(&options);
    free(text);
    return 0;
}
