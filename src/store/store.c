/* SPDX-License-Identifier: BSD-2-Clause */
/* store.c - a run on the volume. */
#include "src/store/store.h"

#include "src/base/mem.h"
#include "src/base/crc.h"
#include "src/store/report_name.h"
#include "src/base/text.h"

static const char *volume_end_text(enum volume_end end)
{
    static const char *const texts[] = {
        [VOLUME_OK] = "nothing is wrong",
        [VOLUME_NONE] = "there is no volume",
        [VOLUME_NOT_FOUND] = "it is gone",
        [VOLUME_EXISTS] = "every name is taken",
        [VOLUME_READ_ONLY] = "the volume is write-protected",
        [VOLUME_FULL] = "the volume is full",
        [VOLUME_GONE] = "the volume does not answer",
        [VOLUME_NOT_FOLDER] = "\\tsxpmu is a file, and a folder is wanted",
        [VOLUME_FAILED] = "the volume failed",
    };

    return texts[end];
}

/* --- Finding ------------------------------------------------------------- */

static uint32_t crc_of_options(const struct options *options)
{
    char line[OPTIONS_LINE_BYTES];

    return crc32(0, line, options_write(options, line));
}

/* NULL where this program may continue it. */
static const char *why_not_resumable(const struct store *s,
                                     const struct checkpoint *r)
{
    if (!text_equal(r->machine, s->machine))
        return "another processor or microcode";
    if (r->image_crc != s->image_crc)
        return "another version of the program";
    if (r->options_crc != s->options_crc)
        return "other options";
    return NULL;
}

static void ignore_warning(void *context, const char *line)
{
    (void)context;
    (void)line;
}

void store_options(const struct store *s, struct options *out)
{
    options_default(out);
    options_parse(out, s->checkpoint.options,
                  text_length(s->checkpoint.options), ignore_warning, NULL);
}

/* Why nothing is known of a run before, where there is something to know: a
 * line, or NULL. */
static const char *why_no_state(struct store *s, enum volume_end end)
{
    const char *why = "it holds no record of this program's";

    if (end == VOLUME_FAILED || end == VOLUME_GONE)
        why = volume_end_text(end);
    else if (end != VOLUME_OK || !checkpoint_is_damaged())
        return NULL;
    text_format(s->message, sizeof(s->message),
                "%s cannot be read, so that an interrupted run is not "
                "continued: %s%s",
                CHECKPOINT_FILE_NAME, why,
                end != VOLUME_OK ? volume_status() : "");
    return s->message;
}

bool store_find(struct store *s, const struct identity *id, uint32_t image_crc,
                const struct options *options, const char **warn)
{
    static struct checkpoint checkpoints[CHECKPOINT_SLOTS];

    memset(s, 0, sizeof(*s));
    machine_name(id, s->machine);
    s->image_crc = image_crc;
    s->options_crc = crc_of_options(options);
    *warn = NULL;
    enum volume_end end = volume_open(VOLUME_STATE, CHECKPOINT_FILE_NAME);
    s->state_open = end == VOLUME_OK;
    unsigned count = s->state_open ? checkpoint_load(checkpoints) : 0;
    if (count == 0) {
        *warn = why_no_state(s, end);
        return false;
    }
    s->checkpoint.sequence = checkpoints[0].sequence;
    if (checkpoints[0].finished)
        return false;

    const char *why_not = why_not_resumable(s, &checkpoints[0]);
    /* The older one, where the newest was saved, but not its report. */
    for (unsigned i = 0; i < count && why_not == NULL && !s->found; i++) {
        if (!text_equal(checkpoints[i].report, checkpoints[0].report) ||
            checkpoints[i].finished)
            break;
        s->found = report_file_reopen(&s->report, checkpoints[i].report,
                                      checkpoints[i].point.bytes,
                                      checkpoints[i].point.report.crc);
        if (s->found)
            s->checkpoint = checkpoints[i];
    }
    if (!s->found) {
        /* Without the space that was allocated for the rest. */
        if (report_file_reopen(&s->report, checkpoints[0].report,
                               checkpoints[0].point.bytes,
                               checkpoints[0].point.report.crc))
            report_file_close(&s->report);
        text_format(s->message, sizeof(s->message), "%s is incomplete: %s%s",
                    checkpoints[0].report,
                    why_not != NULL ? "not continued, because made with "
                                    : "not continued, because it has changed",
                    why_not != NULL ? why_not : "");
        *warn = s->message;
        return false;
    }
    s->checkpoint.sequence = checkpoints[0].sequence;
    s->given_up = s->checkpoint.starts >= STORE_STARTS_MAX;
    return true;
}

void store_forget(struct store *s)
{
    if (s->found)
        report_file_close(&s->report);
    s->found = false;
}

bool store_is_given_up(const struct store *s)
{
    return s != NULL && s->found && s->given_up;
}

/* --- The report as a sink ------------------------------------------------ */

static void sink_write(void *self, const char *text, size_t bytes)
{
    struct store *s = self;
    size_t n = bytes < s->already_written ? bytes : s->already_written;

    s->already_written -= n;
    enum volume_end end = report_file_write(&s->report, text + n, bytes - n);
    if (end != VOLUME_OK)
        s->failed = end;
}

static void sink_flush(void *self)
{
    struct store *s = self;
    enum volume_end end = report_file_flush(&s->report);

    if (end != VOLUME_OK)
        s->failed = end;
}

static const char *sink_failure(void *self)
{
    struct store *s = self;

    if (s->report.open && s->state_failed == VOLUME_GONE) {
        s->report.open = false;
        s->failed = VOLUME_GONE;
    }
    if (!s->report.open) /* one line is enough for both */
        s->state_failed = VOLUME_OK;
    bool report = s->failed != VOLUME_OK;
    enum volume_end end = report ? s->failed : s->state_failed;

    if (end == VOLUME_OK)
        return NULL;
    text_format(s->message, sizeof(s->message), "%s%s: %s%s",
                report ? "the report is no longer written to "
                       : "a reset would lose this run, which is not saved in ",
                report ? s->checkpoint.report : CHECKPOINT_FILE_NAME,
                volume_end_text(end), volume_status());
    if (report)
        s->failed = VOLUME_OK;
    else
        s->state_failed = VOLUME_OK;
    return s->message;
}

/* --- Opening ------------------------------------------------------------- */

static void save_checkpoint(struct store *s)
{
    if (!s->state_open)
        return;
    s->state_failed = checkpoint_save(&s->checkpoint);
    if (s->state_failed == VOLUME_OK)
        return;
    volume_close(VOLUME_STATE);
    s->state_open = false;
}

static void open_state(struct store *s)
{
    if (!s->state_open) {
        s->state_failed = volume_create(VOLUME_STATE, CHECKPOINT_FILE_NAME);
        if (s->state_failed == VOLUME_EXISTS) /* it failed before */
            s->state_failed = volume_open(VOLUME_STATE, CHECKPOINT_FILE_NAME);
        s->state_open = s->state_failed == VOLUME_OK;
    }
    if (!s->state_open)
        return;
    s->state_failed =
        checkpoint_allocate(); /* the power may have failed in it */
    s->state_open = s->state_failed == VOLUME_OK;
    if (!s->state_open)
        volume_delete(VOLUME_STATE);
}

struct naming {
    struct store *store;
    struct volume_time time;
    bool timed;
};

static const char *next_name(void *context, unsigned attempt)
{
    const struct naming *naming = context;

    report_name(naming->timed ? &naming->time : NULL, naming->store->machine,
                attempt, naming->store->checkpoint.report);
    return naming->store->checkpoint.report;
}

static enum volume_end open_new(struct store *s, const struct options *options)
{
    struct naming naming = {.store = s};
    uint32_t sequence = s->checkpoint.sequence;

    memset(&s->checkpoint, 0, sizeof(s->checkpoint));
    s->checkpoint.sequence = sequence;
    naming.timed = volume_time(&naming.time);
    enum volume_end end =
        report_file_create(&s->report, next_name, &naming, REPORT_NAME_TRIES);
    if (end != VOLUME_OK)
        return end;
    s->checkpoint.image_crc = s->image_crc;
    s->checkpoint.options_crc = s->options_crc;
    memcpy(s->checkpoint.machine, s->machine, sizeof(s->machine));
    options_write(options, s->checkpoint.options);
    return VOLUME_OK;
}

const char *store_open(struct store *s, const struct options *options,
                       struct sink *out)
{
    bool resumed = s->found;

    s->failed = s->state_failed = VOLUME_OK;
    s->already_written = resumed ? s->checkpoint.point.bytes : 0;
    enum volume_end end = resumed ? VOLUME_OK : open_new(s, options);
    if (end != VOLUME_OK) {
        text_format(s->message, sizeof(s->message),
                    "the report is not written to a file: %s%s",
                    volume_end_text(end), volume_status());
        return s->message;
    }
    *out = (struct sink){.write = sink_write,
                         .flush = sink_flush,
                         .failure = sink_failure,
                         .self = s};
    open_state(s);
    s->checkpoint.starts += resumed;
    save_checkpoint(s);
    return NULL;
}

/* --- For the session ----------------------------------------------------- */

const struct resume_point *store_resumed(const struct store *s)
{
    return s != NULL && s->found && s->checkpoint.point.bytes != 0
               ? &s->checkpoint.point
               : NULL;
}

size_t store_read(const struct store *s, size_t at, char *text, size_t bytes)
{
    size_t end = s->checkpoint.point.bytes;

    if (at >= end)
        return 0;
    return volume_read(VOLUME_REPORT, at, text,
                       bytes < end - at ? bytes : end - at);
}

/* Where there is no report there is nothing to continue. */
void store_save(struct store *s, struct resume_point *point)
{
    if (s == NULL)
        return;
    if (point->report.results > s->checkpoint.point.report.results)
        s->checkpoint.starts = 0;
    point->bytes = (uint32_t)s->report.bytes;
    s->checkpoint.point = *point;
    s->checkpoint.finished = !s->report.open;
    save_checkpoint(s);
}

void store_end(struct store *s)
{
    if (s == NULL)
        return;
    s->checkpoint.finished = 1;
    save_checkpoint(s);
    report_file_close(&s->report);
    s->found = false;
}
