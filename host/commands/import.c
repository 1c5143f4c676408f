/* SPDX-License-Identifier: BSD-2-Clause */
/* import.c - tsxpmu import: reports into a database; one that is there already
 * is not added again. */
#include "host/commands/arguments.h"
#include "host/commands/commands.h"
#include "host/db/db.h"

#include <stdio.h>

struct importing {
    struct db db;
    size_t added, there, superseded, broken;
    bool failed;
};

static enum status one(void *context, const char *name,
                       const struct report *report,
                       const struct cleaned *cleaned)
{
    struct importing *importing = context;

    (void)cleaned;
    if (importing->failed)
        return STATUS_TROUBLE;
    if (report->superseded) {
        importing->superseded++;
        return STATUS_GOOD;
    }
    importing->broken += report_problems(report, NULL, NULL) != 0;
    switch (db_add(&importing->db, name, report)) {
    case DB_ADDED:
        importing->added++;
        return STATUS_GOOD;
    case DB_THERE:
        importing->there++;
        return STATUS_GOOD;
    default:
        importing->failed = true;
        db_failed(&importing->db);
        return STATUS_TROUBLE;
    }
}

int command_import(int argc, char **argv)
{
    static const struct usage usage = {
        .words = "DB REPORT...",
        .doc = "Adds reports to an SQLite database, which is made where it is "
               "not there: machine, processors, microcode, verdicts, figures "
               "and the text. All of them or, after an error, none. A report "
               "that is in it already is not added again. Reports that are "
               "not whole are marked so. Its status is 1 where a file has no "
               "report.",
        .least = 2,
        .most = ANY_NUMBER,
    };
    struct arguments arguments = arguments_read(&usage, argc, argv, NULL);
    struct importing importing = {0};
    enum status status;

    if (!db_open(&importing.db, arguments.words[0], true))
        return STATUS_TROUBLE;
    arguments.words++;
    arguments.count--;
    status = arguments_each(&arguments, one, &importing);
    if (!db_close(&importing.db, !importing.failed) || importing.failed)
        return STATUS_TROUBLE;
    printf("%zu added, %zu already there, %zu left out as continued by "
           "another; %zu not whole\n",
           importing.added, importing.there, importing.superseded,
           importing.broken);
    return (int)status;
}
