/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_volume.c - the volume in memory. */
#include "tests/host/fakes/fake_volume.h"

#include "src/store/checkpoint.h"

#include <assert.h>
#include <string.h>

#define FILES_MAX 16
#define FILE_MAX  400000
#define UNDO_MAX  4096

struct file {
    char name[VOLUME_NAME_BYTES];
    bool there;
    size_t bytes;
    char data[FILE_MAX + 1];
};

/* What a part of a file was before a write that is not flushed. A sector is
 * written as a whole or not at all. */
#define SECTOR 512

struct undo {
    struct file *file;
    size_t at, bytes, size; /* size: of the file, before */
    char old[SECTOR];
};

static struct file files[FILES_MAX];
static struct file *opened[VOLUME_FILES];
static struct undo undos[UNDO_MAX];
static unsigned undos_count;
static bool none, failing;

unsigned fake_volume_changes, fake_volume_fail_at;
enum volume_end fake_volume_fail_with;
unsigned fake_volume_off_at, fake_volume_off_seed;
void (*fake_volume_power_off)(void);
bool fake_volume_clock;

void fake_volume_reset(void)
{
    memset(files, 0, sizeof(files));
    memset(opened, 0, sizeof(opened));
    none = failing = false;
    undos_count = 0;
    fake_volume_changes = fake_volume_fail_at = fake_volume_off_at = 0;
    fake_volume_clock = true;
}

void fake_volume_none(void)
{
    fake_volume_reset();
    none = true;
}

void fake_volume_power_on(void)
{
    memset(opened, 0, sizeof(opened));
    undos_count = 0;
}

static struct file *find(const char *name)
{
    for (unsigned i = 0; i < FILES_MAX; i++)
        if (files[i].there && strcmp(files[i].name, name) == 0)
            return &files[i];
    return NULL;
}

static unsigned random_of(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

/* Sectors are lost one by one: a write of many may be torn anywhere. */
void fake_volume_cut_power(void)
{
    unsigned seed = fake_volume_off_seed;

    while (undos_count != 0) {
        struct undo *undo = &undos[--undos_count];
        if (random_of(&seed) % 3 != 0)
            continue;
        memcpy(undo->file->data + undo->at, undo->old, undo->bytes);
    }
    fake_volume_power_on();
}

/* VOLUME_OK where the change is to be made. */
static enum volume_end change(bool longer)
{
    fake_volume_changes++;
    if (fake_volume_off_at != 0 && --fake_volume_off_at == 0) {
        fake_volume_cut_power();
        fake_volume_power_off();
    }
    if (fake_volume_fail_at != 0 && --fake_volume_fail_at == 0)
        failing = true;
    if (failing && (fake_volume_fail_with != VOLUME_FULL || longer))
        return fake_volume_fail_with;
    return VOLUME_OK;
}

const char *volume_status(void)
{
    return "";
}

enum volume_end volume_open(enum volume_file file, const char *name)
{
    assert(opened[file] == NULL);
    if (none)
        return VOLUME_NONE;
    opened[file] = find(name);
    return opened[file] != NULL ? VOLUME_OK : VOLUME_NOT_FOUND;
}

enum volume_end volume_create(enum volume_file file, const char *name)
{
    assert(opened[file] == NULL);
    if (none)
        return VOLUME_NONE;
    if (find(name) != NULL)
        return VOLUME_EXISTS;
    enum volume_end end = change(true);
    if (end != VOLUME_OK)
        return end;
    for (unsigned i = 0; i < FILES_MAX; i++)
        if (!files[i].there) {
            memset(&files[i], 0, sizeof(files[i]));
            strncpy(files[i].name, name, sizeof(files[i].name) - 1);
            files[i].there = true;
            opened[file] = &files[i];
            return VOLUME_OK;
        }
    return VOLUME_FULL;
}

size_t volume_read(enum volume_file file, size_t at, void *data, size_t bytes)
{
    const struct file *f = opened[file];

    assert(f != NULL);
    if (at >= f->bytes)
        return 0;
    if (bytes > f->bytes - at)
        bytes = f->bytes - at;
    memcpy(data, f->data + at, bytes);
    return bytes;
}

static void keep_old(struct file *f, size_t at, size_t bytes)
{
    while (bytes != 0) {
        size_t n = SECTOR - at % SECTOR;
        if (n > bytes)
            n = bytes;
        assert(undos_count < UNDO_MAX);
        struct undo *undo = &undos[undos_count++];
        *undo = (struct undo){.file = f, .at = at, .bytes = n};
        memcpy(undo->old, f->data + at, n);
        at += n;
        bytes -= n;
    }
}

enum volume_end volume_write(enum volume_file file, size_t at, const void *data,
                             size_t bytes)
{
    struct file *f = opened[file];

    assert(f != NULL && at <= f->bytes && at + bytes <= FILE_MAX);
    enum volume_end end = change(at + bytes > f->bytes);
    if (end != VOLUME_OK)
        return end;
    keep_old(f, at, bytes);
    memcpy(f->data + at, data, bytes);
    if (at + bytes > f->bytes)
        f->bytes = at + bytes;
    return VOLUME_OK;
}

enum volume_end volume_flush(enum volume_file file)
{
    assert(opened[file] != NULL);
    enum volume_end end = change(false);
    unsigned kept = 0;

    if (end != VOLUME_OK)
        return end;
    for (unsigned i = 0; i < undos_count; i++)
        if (undos[i].file != opened[file])
            undos[kept++] = undos[i];
    undos_count = kept;
    return VOLUME_OK;
}

enum volume_end volume_truncate(enum volume_file file, size_t bytes)
{
    assert(opened[file] != NULL && bytes <= opened[file]->bytes);
    enum volume_end end = change(false);

    if (end != VOLUME_OK)
        return end;
    memset(opened[file]->data + bytes, 0, opened[file]->bytes - bytes);
    opened[file]->bytes = bytes;
    return VOLUME_OK;
}

void volume_close(enum volume_file file)
{
    assert(opened[file] != NULL);
    opened[file] = NULL;
}

void volume_delete(enum volume_file file)
{
    assert(opened[file] != NULL);
    if (change(false) == VOLUME_OK)
        opened[file]->there = false;
    opened[file] = NULL;
}

bool volume_time(struct volume_time *out)
{
    *out = (struct volume_time){2026, 11, 21, 9, 7};
    return fake_volume_clock;
}

char *fake_volume_file(const char *name)
{
    struct file *f = find(name);

    return f != NULL ? f->data : NULL;
}

size_t fake_volume_size(const char *name)
{
    return find(name)->bytes;
}

const char *fake_volume_report(unsigned n)
{
    for (unsigned i = 0; i < FILES_MAX; i++)
        if (files[i].there &&
            strcmp(files[i].name, CHECKPOINT_FILE_NAME) != 0 && n-- == 0)
            return files[i].name;
    return NULL;
}
