/* SPDX-License-Identifier: BSD-2-Clause */
/* checkpoint.c - the two slots. */
#include "src/store/checkpoint.h"

#include "src/base/mem.h"
#include "src/base/crc.h"

/* Far enough apart that no cache of the firmware's and no block of the medium
 * holds parts of both: a write of one is then never a write of the other. */
#define SLOT_STRIDE 131072u
#define SLOT_BYTES  4096u
#define FILE_BYTES  (SLOT_STRIDE + SLOT_BYTES)

static const char magic[8] = {'t', 's', 'x', 'p', 'm', 'u', '-', '1'};
_Static_assert(sizeof(struct checkpoint) <= SLOT_BYTES, "fits a slot");

static uint32_t crc_of(const struct checkpoint *checkpoint)
{
    return crc32(0, checkpoint, offsetof(struct checkpoint, crc));
}

/* Its strings have to end within it. */
static bool is_whole(const struct checkpoint *r)
{
    return memcmp(r->magic, magic, sizeof(magic)) == 0 && r->crc == crc_of(r) &&
           r->machine[sizeof(r->machine) - 1] == '\0' &&
           r->report[sizeof(r->report) - 1] == '\0' &&
           r->options[sizeof(r->options) - 1] == '\0';
}

unsigned checkpoint_load(struct checkpoint out[CHECKPOINT_SLOTS])
{
    unsigned count = 0;

    for (unsigned slot = 0; slot < CHECKPOINT_SLOTS; slot++) {
        struct checkpoint *r = &out[count];
        size_t got =
            volume_read(VOLUME_STATE, slot * SLOT_STRIDE, r, sizeof(*r));
        if (got == sizeof(*r) && is_whole(r))
            count++;
    }
    if (count == CHECKPOINT_SLOTS &&
        (int32_t)(out[1].sequence - out[0].sequence) > 0) {
        struct checkpoint younger = out[1];
        out[1] = out[0];
        out[0] = younger;
    }
    return count;
}

bool checkpoint_is_damaged(void)
{
    static char bytes[sizeof(struct checkpoint)];
    bool damaged = false;

    for (unsigned slot = 0; slot < CHECKPOINT_SLOTS; slot++) {
        size_t got =
            volume_read(VOLUME_STATE, slot * SLOT_STRIDE, bytes, sizeof(bytes));
        for (size_t i = 0; i < got; i++)
            damaged = damaged || bytes[i] != 0;
    }
    return damaged;
}

enum volume_end checkpoint_allocate(void)
{
    static const char zeros[SLOT_BYTES];
    enum volume_end end = VOLUME_OK;
    char last;

    if (volume_read(VOLUME_STATE, FILE_BYTES - 1, &last, 1) == 1)
        return VOLUME_OK;
    for (size_t at = 0; at < FILE_BYTES && end == VOLUME_OK; at += SLOT_BYTES)
        end = volume_write(VOLUME_STATE, at, zeros, SLOT_BYTES);
    return end != VOLUME_OK ? end : volume_flush(VOLUME_STATE);
}

enum volume_end checkpoint_save(struct checkpoint *checkpoint)
{
    memcpy(checkpoint->magic, magic, sizeof(magic));
    checkpoint->sequence++;
    checkpoint->crc = crc_of(checkpoint);

    enum volume_end end = volume_write(
        VOLUME_STATE, checkpoint->sequence % CHECKPOINT_SLOTS * SLOT_STRIDE,
        checkpoint, sizeof(*checkpoint));
    return end != VOLUME_OK ? end : volume_flush(VOLUME_STATE);
}
