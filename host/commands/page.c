/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * page.c - tsxpmu page: reports as one HTML file that needs no network. D3
 * draws it, as SVG: text, so that it can be printed, read aloud and coloured by
 * its reader, which a canvas cannot. Debian packages it; its licence goes
 * along.
 */
#include "host/commands/arguments.h"
#include "host/commands/commands.h"
#include "host/db/db.h"
#include "host/page/data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "page.inc" /* page_html[], page_html_len */

/* Debian, node-d3: libjs-d3 is an older one. */
#define D3      "/usr/share/nodejs/d3/dist/d3.min.js"
#define LICENCE "/usr/share/doc/node-d3/copyright"

enum { KEY_OUTPUT = 'o', KEY_D3 = 'd' };

struct paging {
    const char *output, *d3;
    json_t *kinds;
    size_t broken;
};

static bool option(int key, const char *text, void *context)
{
    struct paging *paging = context;

    if (key == KEY_OUTPUT)
        paging->output = text;
    else
        paging->d3 = text;
    return true;
}

static enum status one(void *context, const char *name,
                       const struct report *report,
                       const struct cleaned *cleaned)
{
    struct paging *paging = context;

    (void)name;
    (void)cleaned;
    if (report_problems(report, NULL, NULL) == 0)
        data_add(paging->kinds, report);
    else if (!report->superseded)
        paging->broken++;
    return STATUS_GOOD;
}

static bool is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char begin[sizeof(magic)] = "";
    FILE *file = strcmp(path, "-") == 0 ? NULL : fopen(path, "rb");

    if (file == NULL)
        return false;
    const bool good = fread(begin, 1, sizeof(begin), file) == sizeof(begin) &&
                      memcmp(begin, magic, sizeof(magic)) == 0;
    fclose(file);
    return good;
}

/* The texts of a database, by the same reader. */
static enum status from_database(struct paging *paging, const char *path)
{
    sqlite3_stmt *statement;
    struct db db;
    int status;

    if (!db_open(&db, path, false))
        return STATUS_TROUBLE;
    status = sqlite3_prepare_v2(db.sqlite, "SELECT text FROM report", -1,
                                &statement, NULL);
    while (status == SQLITE_OK || status == SQLITE_ROW) {
        status = sqlite3_step(statement);
        if (status != SQLITE_ROW)
            break;
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        struct reports reports = reports_read(strdup(text), strlen(text));
        for (size_t i = 0; i < reports.count; i++)
            one(paging, path, &reports.report[i], &reports.cleaned);
        reports_close(&reports);
    }
    sqlite3_finalize(statement);
    const bool good = status == SQLITE_DONE || db_failed(&db);
    db_close(&db, false);
    return good ? STATUS_GOOD : STATUS_TROUBLE;
}

static bool copy(const char *path, FILE *out)
{
    char bytes[4096];
    FILE *file = fopen(path, "r");
    size_t got;

    if (file == NULL) {
        fprintf(stderr, "tsxpmu: %s: %s\n", path, strerror(errno));
        return false;
    }
    while ((got = fread(bytes, 1, sizeof(bytes), file)) != 0)
        fwrite(bytes, 1, got, out);
    const bool good = !ferror(file);
    if (!good)
        fprintf(stderr, "tsxpmu: %s: %s\n", path, strerror(errno));
    fclose(file);
    return good;
}

/* No text of a report can end the element, or begin another one in it: HTML,
 * "Restrictions for contents of script elements". */
static void print_data(const json_t *kinds, FILE *out)
{
    char *text = json_dumps(kinds, JSON_SORT_KEYS);

    if (text == NULL)
        abort();
    for (const char *c = text; *c != '\0'; c++)
        if (*c == '<')
            fputs("\\u003c", out);
        else
            fputc(*c, out);
    free(text);
}

/* The page's own text, with what its two marks stand for. */
static bool print(const struct paging *paging, FILE *out)
{
    struct span rest = {(const char *)page_html, page_html_len}, part;
    bool good;

    take_until(&rest, "@D3@", &part);
    fwrite(part.at, 1, part.bytes, out);
    fprintf(out, "/*\n");
    good = copy(LICENCE, out);
    fprintf(out, "*/\n");
    good = good && copy(paging->d3, out);
    take_until(&rest, "@DATA@", &part);
    fwrite(part.at, 1, part.bytes, out);
    print_data(paging->kinds, out);
    fwrite(rest.at, 1, rest.bytes, out);
    return good;
}

static enum status write_page(const struct paging *paging)
{
    FILE *out = fopen(paging->output, "w");
    struct stat about;
    bool good;

    if (out == NULL) {
        fprintf(stderr, "tsxpmu: %s: %s\n", paging->output, strerror(errno));
        return STATUS_TROUBLE;
    }
    good = print(paging, out);
    const bool written = fflush(out) == 0 && !ferror(out);
    if (fclose(out) != 0 || !written) {
        fprintf(stderr, "tsxpmu: %s: %s\n", paging->output, strerror(errno));
        good = false;
    }
    if (!good && stat(paging->output, &about) == 0 && S_ISREG(about.st_mode))
        remove(paging->output); /* half a page is none */
    return good ? STATUS_GOOD : STATUS_TROUBLE;
}

int command_page(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", KEY_OUTPUT, "FILE", 0, "the page (page.html)", 0},
        {"d3", KEY_D3, "FILE", 0, "the library that draws it (" D3 ")", 0},
        {0},
    };
    static const struct usage usage = {
        .words = "DB|REPORT...",
        .doc = "Writes one HTML file that needs no network: verdicts by "
               "processor and microcode, counter 3 against the others, causes "
               "of aborts, sizes of transactions, latencies, skid, and what a "
               "microcode changed. Of whole reports alone. Its status is 1 "
               "where some were not, or where there is none.",
        .options = options,
        .option = option,
        .least = 1,
        .most = ANY_NUMBER,
    };
    struct paging paging = {
        .output = "page.html", .d3 = D3, .kinds = json_object()};
    struct arguments arguments = arguments_read(&usage, argc, argv, &paging);
    enum status status = STATUS_GOOD;

    for (size_t i = 0; i < arguments.count; i++) {
        const struct arguments file = {arguments.words + i, 1};
        status = status_worst(status,
                              is_database(arguments.words[i])
                                  ? from_database(&paging, arguments.words[i])
                                  : arguments_each(&file, one, &paging));
    }
    if (json_object_size(paging.kinds) != 0) {
        status = status_worst(status, write_page(&paging));
    } else if (status != STATUS_TROUBLE) {
        fprintf(stderr, "tsxpmu: no whole report\n");
        status = STATUS_FOUND;
    }
    if (paging.broken != 0) {
        fprintf(stderr, "tsxpmu: %zu reports are not whole, and left out\n",
                paging.broken);
        status = status_worst(status, STATUS_FOUND);
    }
    json_decref(paging.kinds);
    return (int)status;
}
