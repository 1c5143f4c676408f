/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * db.h - reports in an SQLite database. docs/report.md has its tables; numbers
 * of more than 63 bits are stored as the negative ones of the same bits.
 */
#ifndef HOST_DB_DB_H
#define HOST_DB_DB_H

#include "host/db/words.h"
#include "host/report/report.h"

#include <sqlite3.h>

enum insert {
    INSERT_REPORT,
    INSERT_PROCESSOR,
    INSERT_TEST,
    INSERT_RESULT,
    INSERT_WORDING,
    INSERT_FIGURE,
    FIND_REPORT,
    FIND_TEST,
    FIND_WORDING,
    STATEMENTS,
};

struct db {
    sqlite3 *sqlite;
    sqlite3_stmt *statements[STATEMENTS];
    struct words tests, wordings;
};

enum db_added { DB_ADDED, DB_THERE, DB_FAILED };

/* Opens, or makes where `writes`, and begins a transaction. False with a line
 * on the standard error. */
bool db_open(struct db *db, const char *path, bool writes);
/* Adds a report that is not there yet. */
enum db_added db_add(struct db *db, const char *name,
                     const struct report *report);
/* Ends the transaction where `keep`, else takes all of it back. */
bool db_close(struct db *db, bool keep);
/* Says on the standard error what SQLite says; false. */
bool db_failed(struct db *db);

#endif
