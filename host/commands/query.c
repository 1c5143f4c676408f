/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * query.c - tsxpmu query: ready questions to a database.
 *
 * Each answer's first column is what the reports were made on, and nothing is
 * counted over several of these. Only whole reports are counted.
 */
#include "host/commands/arguments.h"
#include "host/commands/commands.h"
#include "host/db/db.h"
#include "host/report/grow.h"

#include <stdio.h>
#include <string.h>

/* Reports of machines that have no id count as one machine each. */
#define MACHINES \
    " count(DISTINCT coalesce(r.machine, 'report ' || r.id)) AS machines"
#define REPORTS " count(DISTINCT r.id) AS reports"

static const struct {
    const char *name, *sql;
} questions[] = {
    {"machines",
     "SELECT r.made_on, coalesce(r.machine, '-') AS machine, p.model,"
     " p.stepping, p.microcode, p.regime, max(r.date) AS last," REPORTS
     " FROM report r JOIN processor p ON p.report = r.id WHERE r.whole"
     " GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6"},
    {"regimes",
     "SELECT r.made_on, p.model, p.stepping, p.microcode, p.regime," MACHINES
     "," REPORTS
     " FROM report r JOIN processor p ON p.report = r.id WHERE r.whole"
     " GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"},
    {"counter3",
     "SELECT r.made_on, e.model, e.stepping, e.microcode, e.regime,"
     " t.name AS test," MACHINES "," REPORTS ","
     " sum(e.observed > 0) AS observed, sum(e.verdict = 'FAIL') AS failed,"
     " max(e.observed * 100 / nullif(e.of, 0)) AS percent"
     " FROM result e JOIN test t ON t.id = e.test"
     " JOIN report r ON r.id = e.report"
     " WHERE r.whole AND t.name GLOB 'counter3_*'"
     " AND (e.observed > 0 OR e.verdict = 'FAIL')"
     " GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6"},
    {"failed",
     "SELECT r.made_on, e.model, e.stepping, e.microcode, t.name AS test,"
     " e.verdict," MACHINES "," REPORTS
     ", min(coalesce(e.reason, (SELECT w.what FROM figure f JOIN wording w"
     " ON w.id = f.wording WHERE f.result = e.id AND w.shape = 'fail'"
     " ORDER BY f.line LIMIT 1))) AS first"
     " FROM result e JOIN test t ON t.id = e.test"
     " JOIN report r ON r.id = e.report"
     " WHERE r.whole AND e.verdict IN ('FAIL', 'ERROR', 'KNOWN')"
     " GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6"},
    {"broken", "SELECT made_on, coalesce(machine, '-') AS machine, date, file"
               " FROM report WHERE NOT whole ORDER BY 1, 2, 3, 4"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct table {
    char **cells; /* row by row; the first are the names */
    size_t count, columns;
};

static char *copy_of(const char *text)
{
    char *copy = strdup(text != NULL ? text : "-");

    if (copy == NULL)
        abort();
    return copy;
}

static bool fill(struct db *db, const char *sql, struct table *table)
{
    sqlite3_stmt *statement;
    int status;

    *table = (struct table){0};
    if (sqlite3_prepare_v2(db->sqlite, sql, -1, &statement, NULL) != SQLITE_OK)
        return db_failed(db);
    const int columns = sqlite3_column_count(statement);
    table->columns = (size_t)columns;
    for (int i = 0; i < columns; i++)
        APPEND(table->cells, table->count,
               copy_of(sqlite3_column_name(statement, i)));
    while ((status = sqlite3_step(statement)) == SQLITE_ROW)
        for (int i = 0; i < columns; i++)
            APPEND(table->cells, table->count,
                   copy_of((const char *)sqlite3_column_text(statement, i)));
    sqlite3_finalize(statement);
    return status == SQLITE_DONE || db_failed(db);
}

/* Columns by blanks, each as wide as its widest cell; the last is not filled
 * up. */
static void print(const struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const size_t column = i % table->columns;
        size_t width = 0;
        for (size_t n = column; n < table->count; n += table->columns)
            if (strlen(table->cells[n]) > width)
                width = strlen(table->cells[n]);
        if (column + 1 == table->columns)
            printf("%s\n", table->cells[i]);
        else
            printf("%-*s  ", (int)width, table->cells[i]);
    }
}

static void release(struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
}

int command_query(int argc, char **argv)
{
    static const struct usage usage = {
        .words = "DB QUESTION",
        .doc = "Asks a database of reports: machines (what is in it), regimes "
               "(which microcodes have which regime), counter3 (where counter "
               "3 miscounts), failed (what failed anywhere), broken (which "
               "reports are not whole, and so not counted). Its first column "
               "is what the reports were made on: silicon, SIMULATED, virtual "
               "or unknown, never counted together. Its status is 0 where "
               "there is an answer, 1 where there is none, 2 for trouble.",
        .least = 2,
        .most = 2,
    };
    const struct arguments arguments = arguments_read(&usage, argc, argv, NULL);
    struct db db;
    struct table table;
    size_t q = 0, rows;

    while (q < COUNT(questions) &&
           strcmp(arguments.words[1], questions[q].name) != 0)
        q++;
    if (q == COUNT(questions)) {
        fprintf(stderr, "tsxpmu: no such question: %s\n", arguments.words[1]);
        return STATUS_TROUBLE;
    }
    if (!db_open(&db, arguments.words[0], false))
        return STATUS_TROUBLE;
    const bool good = fill(&db, questions[q].sql, &table);
    db_close(&db, false);
    rows = table.columns == 0 ? 0 : table.count / table.columns;
    if (good && rows > 1)
        print(&table);
    release(&table);
    return !good ? STATUS_TROUBLE : rows > 1 ? STATUS_GOOD : STATUS_FOUND;
}
