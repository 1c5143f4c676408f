/* SPDX-License-Identifier: BSD-2-Clause */
/* db.c - the tables, and opening them. */
#include "host/db/db.h"

#include <stdio.h>
#include <stdlib.h>

/* "TXPM": a database of other tables is not taken for ours. */
#define APPLICATION_ID "1415073869"
#define VERSION        "1"

static const char schema[] =
    "CREATE TABLE report ("
    " id INTEGER PRIMARY KEY, crc INTEGER NOT NULL, bytes INTEGER NOT NULL,"
    " made_on TEXT NOT NULL, whole INTEGER NOT NULL, machine TEXT,"
    " system TEXT, bios TEXT, date TEXT, version TEXT, image_crc TEXT,"
    " options TEXT, file TEXT, text TEXT NOT NULL);"
    "CREATE INDEX report_crc ON report (crc, bytes);"
    "CREATE TABLE processor ("
    " report INTEGER NOT NULL REFERENCES report, processors TEXT, vendor TEXT,"
    " model TEXT, stepping TEXT, microcode TEXT, brand TEXT, regime TEXT,"
    " evidence TEXT);"
    "CREATE INDEX processor_report ON processor (report);"
    "CREATE TABLE test ("
    " id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE result ("
    " id INTEGER PRIMARY KEY, report INTEGER NOT NULL REFERENCES report,"
    " number INTEGER, test INTEGER NOT NULL REFERENCES test, round TEXT,"
    " model TEXT, stepping TEXT, microcode TEXT, regime TEXT,"
    " verdict TEXT NOT NULL, observed INTEGER, of INTEGER, reason TEXT);"
    "CREATE INDEX result_test ON result (test, verdict);"
    "CREATE TABLE wording ("
    " id INTEGER PRIMARY KEY, shape TEXT NOT NULL, what TEXT NOT NULL,"
    " UNIQUE (shape, what));"
    "CREATE TABLE figure ("
    " result INTEGER NOT NULL REFERENCES result, line INTEGER NOT NULL,"
    " processors TEXT, wording INTEGER NOT NULL REFERENCES wording,"
    " observed INTEGER, a_least INTEGER, a_most INTEGER, b_least INTEGER,"
    " b_most INTEGER, PRIMARY KEY (result, line)) WITHOUT ROWID;"
    "PRAGMA application_id = " APPLICATION_ID ";"
    "PRAGMA user_version = " VERSION;

/* How long, in ms, another import is waited for; one of 10,000 reports takes a
 * minute. */
#define PATIENCE 600000

/* Texts of 60 KB are many pages of the usual 4 KB; 64 MB of pages spare most of
 * the writing before the end. */
static const char begin[] = "PRAGMA page_size = 16384;"
                            "PRAGMA cache_size = -65536;"
                            "BEGIN IMMEDIATE";

static const char *const statements[STATEMENTS] = {
    [INSERT_REPORT] = "INSERT INTO report VALUES"
                      " (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_PROCESSOR] =
        "INSERT INTO processor VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_TEST] = "INSERT INTO test VALUES (NULL, ?)",
    [INSERT_RESULT] = "INSERT INTO result VALUES"
                      " (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_WORDING] = "INSERT INTO wording VALUES (NULL, ?, ?)",
    [INSERT_FIGURE] = "INSERT INTO figure VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [FIND_REPORT] =
        "SELECT id FROM report WHERE crc = ? AND bytes = ? AND text = ?",
    [FIND_TEST] = "SELECT id FROM test WHERE name = ?",
    [FIND_WORDING] = "SELECT id FROM wording WHERE shape = ? AND what = ?",
};

bool db_failed(struct db *db)
{
    fprintf(stderr, "tsxpmu: %s: %s\n",
            sqlite3_db_filename(db->sqlite, "main") != NULL
                ? sqlite3_db_filename(db->sqlite, "main")
                : "database",
            sqlite3_errmsg(db->sqlite));
    return false;
}

static int number_of(struct db *db, const char *sql)
{
    sqlite3_stmt *statement;
    int number = -1;

    if (sqlite3_prepare_v2(db->sqlite, sql, -1, &statement, NULL) ==
            SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

/* Empty, or of this tool and of this version. */
static bool is_ours(struct db *db, const char *path, bool writes, bool *empty)
{
    const int tables = number_of(db, "SELECT count(*) FROM sqlite_schema");

    *empty = tables == 0;
    if (tables < 0)
        return db_failed(db);
    if ((*empty && writes) ||
        (number_of(db, "PRAGMA application_id") == atoi(APPLICATION_ID) &&
         number_of(db, "PRAGMA user_version") == atoi(VERSION)))
        return true;
    fprintf(stderr, "tsxpmu: %s: no database of tsxpmu import, version %s\n",
            path, VERSION);
    return false;
}

static bool prepare(struct db *db)
{
    for (unsigned i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v3(db->sqlite, statements[i], -1,
                               SQLITE_PREPARE_PERSISTENT, &db->statements[i],
                               NULL) != SQLITE_OK)
            return db_failed(db);
    return true;
}

static bool run(struct db *db, const char *sql)
{
    return sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK ||
           db_failed(db);
}

bool db_open(struct db *db, const char *path, bool writes)
{
    const int flags = writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                             : SQLITE_OPEN_READONLY;
    bool empty;

    *db = (struct db){0};
    if (sqlite3_open_v2(path, &db->sqlite, flags, NULL) != SQLITE_OK) {
        fprintf(stderr, "tsxpmu: %s: %s\n", path, sqlite3_errmsg(db->sqlite));
    } else {
        sqlite3_busy_timeout(db->sqlite, PATIENCE);
        if ((!writes || run(db, begin)) && is_ours(db, path, writes, &empty) &&
            (!writes || ((!empty || run(db, schema)) && prepare(db))))
            return true;
    }
    db_close(db, false);
    return false;
}

bool db_close(struct db *db, bool keep)
{
    bool good = true;

    for (unsigned i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(db->statements[i]);
    if (keep)
        good = run(db, "COMMIT");
    sqlite3_close(db->sqlite); /* takes an open transaction back */
    words_free(&db->tests);
    words_free(&db->wordings);
    return good;
}
