/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings.h - what is found before there is a report: lines of it. */
#ifndef EFI_WARNINGS_H
#define EFI_WARNINGS_H

#define WARNINGS_MAX  16
#define WARNING_BYTES 160

struct warnings {
    char text[WARNINGS_MAX][WARNING_BYTES];
    const char *lines[WARNINGS_MAX];
    unsigned count;
};

/* Copies the line; what follows WARNINGS_MAX is dropped, and the last says so.
 */
void warnings_add(void *warnings, const char *line);
void warnings_copy(struct warnings *to, const struct warnings *from);

#endif
