/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * option_sources.c - where the options come from: \tsxpmu.cfg beside the
 * report, or tsxpmu.cfg of the TFTP server, then the load options, which win.
 * The grammar itself is src/options/options.c.
 *
 * UEFI specification, "EFI Loaded Image Protocol".
 */
#include "efi/option_sources.h"
#include "efi/file.h"
#include "efi/network.h"
#include "efi/platform.h"
#include "efi/start.h"
#include "efi/warnings.h"
#include "src/base/text.h"

#define CONFIG_PATH L"\\tsxpmu.cfg"
#define TEXT_BYTES  16384

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

void warnings_copy(struct warnings *to, const struct warnings *from)
{
    to->count = 0;
    for (unsigned i = 0; i < from->count; i++)
        warnings_add(to, from->lines[i]);
}

static void print_line(void *context, const char *text)
{
    (void)context;
    platform_print(text);
    platform_print("\r\n");
}

bool options_helped(void)
{
    EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
    EFI_LOADED_IMAGE *image = platform_protocol(platform_image, &guid);

    if (image == NULL || image->LoadOptions == NULL ||
        !options_ask_help(image->LoadOptions, image->LoadOptionsSize))
        return false;
    options_help(print_line, NULL);
    return true;
}

void options_gather(struct options *out, struct warnings *warnings)
{
    static char bytes[TEXT_BYTES], text[TEXT_BYTES];
    EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
    EFI_LOADED_IMAGE *image = platform_protocol(platform_image, &guid);
    const char *why;
    size_t not_ascii, count = file_read(CONFIG_PATH, bytes, TEXT_BYTES, &why);
    char line[WARNING_BYTES];

    options_default(out);
    if (count == 0)
        count = network_read("tsxpmu.cfg", bytes, TEXT_BYTES);
    count = options_text(bytes, count, text, TEXT_BYTES, &not_ascii);
    options_parse(out, text, count, warnings_add, warnings);
    if (why != NULL) {
        text_format(line, sizeof(line), "tsxpmu.cfg: no option is read: %s",
                    why);
        warnings_add(warnings, line);
    }
    if (count == TEXT_BYTES)
        warnings_add(warnings, "tsxpmu.cfg: what follows 16384 bytes is not "
                               "read");
    if (image != NULL && image->LoadOptions != NULL)
        options_load(out, image->LoadOptions, image->LoadOptionsSize,
                     warnings_add, warnings);
}
