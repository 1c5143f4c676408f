/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.c - where the options come from: \tsxpmu.cfg beside the report, then
 * the load options, which win. The grammar itself is src/options.c.
 *
 * UEFI specification, "EFI Loaded Image Protocol": LoadOptions is any bytes of
 * whoever started us. It is taken as text only where all of it is printable.
 */
#include "efi/platform.h"
#include "efi/start.h"

#define CONFIG_PATH L"\\tsxpmu.cfg"
#define TEXT_BYTES  4096

void warnings_add(void *context, const char *line)
{
    static const char more[] = "more warnings were left out";
    struct warnings *warnings = context;
    unsigned at = warnings->count;
    size_t i = 0;

    if (at == WARNINGS_MAX)
        line = more, at--;
    else
        warnings->count++;
    for (; line[i] != '\0' && i < WARNING_BYTES - 1; i++)
        warnings->text[at][i] = line[i];
    warnings->text[at][i] = '\0';
    warnings->lines[at] = warnings->text[at];
}

/* Characters taken over into `text`; 0 where the bytes are no text. */
static size_t narrow(const CHAR16 *wide, size_t characters, char *text)
{
    size_t n = 0;

    for (size_t i = 0; i < characters && wide[i] != 0 && n < TEXT_BYTES; i++) {
        if (i == 0 && wide[i] == 0xfeff)
            continue; /* byte order mark */
        bool blank = wide[i] == '\t' || wide[i] == '\r' || wide[i] == '\n';
        if (!blank && (wide[i] < ' ' || wide[i] > '~'))
            return 0;
        text[n++] = (char)wide[i];
    }
    return n;
}

void options_gather(struct options *out, struct warnings *warnings)
{
    static char text[TEXT_BYTES];
    EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
    EFI_LOADED_IMAGE *image = platform_protocol(platform_image, &guid);

    options_default(out);
    size_t bytes = file_read(CONFIG_PATH, text, TEXT_BYTES);
    options_parse(out, text, bytes, warnings_add, warnings);

    if (image == NULL || image->LoadOptionsSize < sizeof(CHAR16))
        return;
    bytes = narrow(image->LoadOptions, image->LoadOptionsSize / sizeof(CHAR16),
                   text);
    options_parse(out, text, bytes, warnings_add, warnings);
}
