/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_map.c - codes and their lengths, and which instructions make the map. */
#include "host/pt_map.h"

#include "src/pt/packet.h"

#include <pthread.h>
#include <string.h>

void (*make_map)(struct map *map, const struct codes *codes,
                 const uint8_t *bytes);

/* "MODE Packet": the leaf in bits [7:5]; both of bits [1:0] are reserved. */
void make_codes(struct codes *codes)
{
    memset(codes->second, CODE_NONE, sizeof(codes->second));
    for (unsigned b = 0; b < 64; b++)
        codes->mode[b] = (b & 3) == 3 ? CODE_NONE
                         : b < 0x20   ? CODE_EXEC
                                      : CODE_TSX;
    for (unsigned b = 1; b < 256; b += 2)
        codes->length[b / 2] =
            pt_opcodes[b].length != 0 ? pt_opcodes[b].length : UNKNOWN;
    codes->length[CODE_EXEC / 2] = codes->length[CODE_TSX / 2] = 2;
    codes->length[CODE_CYC2 / 2] = 2;
    codes->length[CODE_CYC3 / 2] = 3;
    codes->length[CODE_CYC4 / 2] = 4;
    for (size_t i = 0; i < SECONDS; i++) {
        codes->second[second_bytes[i][0] >> 4 << 2 | (second_bytes[i][0] & 3)] =
            code_of_second(i);
        codes->length[code_of_second(i) / 2] = second_bytes[i][1];
    }
}

static void choose(void)
{
    if (has_avx512())
        make_map = map_by_avx512;
    else if (has_avx2())
        make_map = map_by_avx2;
}

bool can_map(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, choose);
    return make_map != NULL;
}
