/* SPDX-License-Identifier: BSD-2-Clause */
/* add.c - one report as rows. */
#include "host/db/db.h"

#include <stdlib.h>
#include <string.h>

/* Binds one value after another to a statement. */
struct binding {
    sqlite3_stmt *statement;
    int next;
};

static void number(struct binding *to, uint64_t value)
{
    sqlite3_bind_int64(to->statement, ++to->next, (sqlite3_int64)value);
}

/* An empty text is NULL. It stays until the statement is done. */
static void text(struct binding *to, struct span value)
{
    ++to->next;
    if (value.bytes == 0)
        sqlite3_bind_null(to->statement, to->next);
    else
        sqlite3_bind_text64(to->statement, to->next, value.at, value.bytes,
                            SQLITE_STATIC, SQLITE_UTF8);
}

static void words(struct binding *to, const char *value)
{
    text(to, (struct span){value, strlen(value)});
}

static void none(struct binding *to)
{
    sqlite3_bind_null(to->statement, ++to->next);
}

static bool run(struct binding *binding)
{
    const int status = sqlite3_step(binding->statement);

    sqlite3_reset(binding->statement);
    return status == SQLITE_DONE;
}

/* The id that is found, or 0. */
static int64_t found(struct binding *binding)
{
    int64_t id = 0;

    if (sqlite3_step(binding->statement) == SQLITE_ROW)
        id = sqlite3_column_int64(binding->statement, 0);
    sqlite3_reset(binding->statement);
    return id;
}

/* Of a table of texts: by memory, else by the database, else it is added. 0:
 * it failed. shape: NULL where the text alone is the key. */
static int64_t id_of(struct db *db, struct words *known, enum insert insert,
                     enum insert find, const char *shape, struct span what)
{
    struct word *word = words_find(known, what);
    struct binding finding = {db->statements[find], 0};
    struct binding adding = {db->statements[insert], 0};
    struct span stored = what;
    int64_t id;

    if (word->text != NULL)
        return word->id;
    if (shape != NULL) {
        take(&stored, shape); /* before it, in memory alone */
        words(&finding, shape);
        words(&adding, shape);
    }
    text(&finding, stored);
    text(&adding, stored);
    id = found(&finding);
    if (id == 0 && run(&adding))
        id = sqlite3_last_insert_rowid(db->sqlite);
    if (id != 0)
        words_add(known, word, what, id);
    return id;
}

static int64_t wording_of(struct db *db, const struct figure *figure)
{
    const char *shape = figure_shape(figure->shape);
    char key[1024];
    size_t bytes = strlen(shape), more = figure->what.bytes;

    if (more > sizeof(key) - bytes)
        more = sizeof(key) - bytes;
    memcpy(key, shape, bytes);
    memcpy(key + bytes, figure->what.at, more);
    return id_of(db, &db->wordings, INSERT_WORDING, FIND_WORDING, shape,
                 (struct span){key, bytes + more});
}

static bool add_figure(struct db *db, int64_t result, size_t line,
                       const struct figure *figure)
{
    struct binding to = {db->statements[INSERT_FIGURE], 0};
    bool hexadecimal;
    const unsigned numbers = figure_numbers(figure->shape, &hexadecimal);
    const int64_t wording = wording_of(db, figure);

    number(&to, (uint64_t)result);
    number(&to, line);
    text(&to, figure->processors);
    number(&to, (uint64_t)wording);
    if (figure->shape == SHAPE_MAY)
        number(&to, figure->observed);
    else
        none(&to);
    for (unsigned i = 0; i < 2; i++) {
        const struct range range = i == 0 ? figure->a : figure->b;
        if (i < numbers) {
            number(&to, range.least);
            number(&to, range.most);
        } else {
            none(&to);
            none(&to);
        }
    }
    return wording != 0 && run(&to);
}

/* Lines without a number say what is in the text, too; but what failed is
 * asked for. */
static bool wanted(const struct figure *figure)
{
    bool hexadecimal;

    return figure->what.bytes != 0 &&
           (figure_numbers(figure->shape, &hexadecimal) != 0 ||
            figure->shape == SHAPE_FAIL || figure->shape == SHAPE_TROUBLE ||
            figure->shape == SHAPE_ERRATUM);
}

/* The processors that it is of: the first kind, or that of its microcode. */
static const struct kind *kind_of(const struct report *report,
                                  const struct result *result)
{
    static const struct kind unknown = {0};

    for (size_t i = 0; i < report->kind_count; i++)
        if (result->revision.bytes == 0 ||
            span_same(report->kinds[i].microcode, result->revision))
            return &report->kinds[i];
    return &unknown;
}

static bool add_result(struct db *db, int64_t id, const struct report *report,
                       const struct result *result)
{
    struct binding to = {db->statements[INSERT_RESULT], 0};
    const struct kind *kind = kind_of(report, result);
    const int64_t test =
        id_of(db, &db->tests, INSERT_TEST, FIND_TEST, NULL, result->test);
    struct figure figure;

    number(&to, (uint64_t)id);
    number(&to, result->number);
    number(&to, (uint64_t)test);
    text(&to, result->round);
    text(&to, kind->model);
    text(&to, kind->stepping);
    text(&to, result->revision.bytes != 0 ? result->revision : kind->microcode);
    text(&to, kind->regime);
    words(&to, verdict_name(result->verdict));
    number(&to, result->n);
    number(&to, result->of);
    text(&to, result->reason);
    if (test == 0 || !run(&to))
        return false;
    id = sqlite3_last_insert_rowid(db->sqlite);
    for (size_t i = result->first; i < result->end; i++)
        if (figure_read(report->lines[i], &figure) && wanted(&figure) &&
            !add_figure(db, id, i + 1, &figure))
            return false;
    return true;
}

static bool add_kind(struct db *db, int64_t id, const struct kind *kind)
{
    struct binding to = {db->statements[INSERT_PROCESSOR], 0};

    number(&to, (uint64_t)id);
    text(&to, kind->processors);
    text(&to, kind->vendor);
    text(&to, kind->model);
    text(&to, kind->stepping);
    text(&to, kind->microcode);
    text(&to, kind->brand);
    text(&to, kind->regime);
    text(&to, kind->evidence);
    return run(&to);
}

static bool add_head(struct db *db, const char *name,
                     const struct report *report, struct span all)
{
    struct binding to = {db->statements[INSERT_REPORT], 0};

    number(&to, report->crc);
    number(&to, all.bytes);
    words(&to, made_on_name(report->made_on));
    number(&to, report_problems(report, NULL, NULL) == 0);
    text(&to, report->machine);
    text(&to, report->system);
    text(&to, report->bios);
    text(&to, report->date);
    text(&to, report->version);
    text(&to, report->image_crc);
    text(&to, report->options);
    words(&to, name);
    text(&to, all);
    return run(&to);
}

static bool is_there(struct db *db, const struct report *report,
                     struct span all)
{
    struct binding finding = {db->statements[FIND_REPORT], 0};

    number(&finding, report->crc);
    number(&finding, all.bytes);
    text(&finding, all);
    return found(&finding) != 0;
}

enum db_added db_add(struct db *db, const char *name,
                     const struct report *report)
{
    struct span all;
    char *copy = report_text(report, &all.bytes);
    enum db_added added = DB_THERE;
    int64_t id;
    bool good;

    all.at = copy;
    if (!is_there(db, report, all)) {
        good = add_head(db, name, report, all);
        id = sqlite3_last_insert_rowid(db->sqlite);
        for (size_t i = 0; good && i < report->kind_count; i++)
            good = add_kind(db, id, &report->kinds[i]);
        for (size_t i = 0; good && i < report->result_count; i++)
            good = add_result(db, id, report, &report->results[i]);
        added = good ? DB_ADDED : DB_FAILED;
    }
    free(copy);
    return added;
}
