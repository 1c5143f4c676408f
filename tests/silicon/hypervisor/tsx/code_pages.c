/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_pages.c - finds transactional instructions in an image, so that the
 * pages they are on are stepped. Not every host processor raises #UD for
 * them: on some XBEGIN is a MOV.
 *
 * Microsoft PE/COFF specification, "Section Table". SDM volume 2, XBEGIN
 * (C7 F8 rel32, with 66H rel16), XEND (0F 01 D5), XTEST (0F 01 D6), XABORT (C6
 * F8 imm8), XSUSLDTRK and XRESLDTRK (F2 0F 01 E8 and E9), XACQUIRE (F2 before a
 * locked instruction).
 */
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/bits.h"

#define PE_OFFSET_AT        0x3C
#define PE_SIGNATURE        UINT32_C(0x00004550)
#define PE_SECTIONS_AT      6
#define PE_OPTIONAL_SIZE_AT 20
#define PE_OPTIONAL_AT      24
#define SECTION_BYTES       40
#define SECTION_SIZE_AT     8
#define SECTION_ADDRESS_AT  12
#define SECTION_FLAGS_AT    36
#define SECTION_EXECUTABLE  UINT32_C(0x20000000)

static uint32_t read16(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}

static uint32_t read32(const uint8_t *b)
{
    return read16(b) | read16(b + 2) << 16;
}

static void set_page(const uint8_t *at, uint64_t flags)
{
    for (unsigned n = 0; n < hypervisor.processors; n++)
        npt_set_page(&hypervisor.vcpus[n].pages_free, (uint64_t)at,
                     NPT_PRESENT | NPT_WRITE | NPT_USER | flags);
}

/* The image before is unloaded, and anything may be where it was. */
static void unmark_last(const uint8_t *base, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += PAGE_BYTES)
        set_page(base + at, 0);
}

/* XBEGIN leads somewhere into the section, else the bytes are not one. */
static bool is_xbegin(const uint8_t *code, uint32_t bytes, uint32_t at)
{
    int64_t to;

    if (at + 6 > bytes || code[at] != 0xC7 || code[at + 1] != 0xF8)
        return false;
    if (at > 0 && code[at - 1] == 0x66)
        return true;
    to = (int64_t)at + 6 + (int32_t)read32(&code[at + 2]);
    return to >= 0 && to < (int64_t)bytes;
}

static bool is_xend_xtest(const uint8_t *code, uint32_t bytes, uint32_t at)
{
    if (at + 3 > bytes || code[at] != 0x0F || code[at + 1] != 0x01)
        return false;
    if (code[at + 2] == 0xE8 || code[at + 2] == 0xE9)
        return at > 0 && code[at - 1] == 0xF2;
    return code[at + 2] == 0xD5 || code[at + 2] == 0xD6;
}

static bool has_xbegin(const uint8_t *code, uint32_t bytes, uint64_t first,
                       uint64_t end)
{
    for (uint64_t at = first; at < end; at++) {
        while (at + 8 <= bytes && !has_byte(&code[at], 0xC7))
            at += 8;
        if (at < end && is_xbegin(code, bytes, (uint32_t)at))
            return true;
    }
    return false;
}

/* Two bytes are found by chance on one page of code in sixteen, and such a
 * page takes long. Outside of a transaction it does nothing, and within one
 * everything is stepped: it counts where an XBEGIN is near. */
static bool is_xabort(const uint8_t *code, uint32_t bytes, uint32_t at)
{
    return at + 3 <= bytes && code[at] == 0xC6 && code[at + 1] == 0xF8 &&
           has_xbegin(code, bytes, at > PAGE_BYTES ? at - PAGE_BYTES : 0,
                      at + PAGE_BYTES);
}

/* XRELEASE does nothing but where an XACQUIRE has begun something. These bytes
 * are by chance on about one page of code in ten. */
static bool is_xacquire(const uint8_t *code, uint32_t bytes, uint32_t at)
{
    const size_t first = instruction_prefixes(code, at);
    struct instruction i;

    instruction_classify(&i, &code[first], bytes - first);
    return i.elide == ELIDE_ACQUIRE &&
           instruction_begins(code, bytes, first, at);
}

/* The first byte, but for prefixes, says which it may be, and of most that it
 * is none. */
static bool begins(const uint8_t *code, uint32_t bytes, uint32_t at,
                   bool elides)
{
    switch (code[at]) {
    case 0xC7:
        return is_xbegin(code, bytes, at);
    case 0x0F:
        return is_xend_xtest(code, bytes, at);
    case 0xC6:
        return is_xabort(code, bytes, at);
    case 0xF2:
        return elides && is_xacquire(code, bytes, at);
    default:
        return false;
    }
}

static void mark_section(const uint8_t *code, uint32_t bytes)
{
    bool elides = tsx_elides(&hypervisor.models[0]);

    for (uint32_t at = 0; at < bytes; at++)
        if (begins(code, bytes, at, elides))
            set_page(&code[at], NPT_NX);
}

void code_pages_mark(const uint8_t *base, uint64_t bytes)
{
    static const uint8_t *last;
    static uint64_t last_bytes;
    const uint8_t *pe, *section;
    uint32_t sections;

    unmark_last(last, last_bytes);
    last = base;
    last_bytes = bytes;
    if (bytes < PE_OFFSET_AT + 4 || read32(base + PE_OFFSET_AT) > bytes - 512)
        return;
    pe = base + read32(base + PE_OFFSET_AT);
    if (read32(pe) != PE_SIGNATURE)
        return;
    sections = read16(pe + PE_SECTIONS_AT);
    section = pe + PE_OPTIONAL_AT + read16(pe + PE_OPTIONAL_SIZE_AT);
    for (uint32_t n = 0; n < sections; n++, section += SECTION_BYTES) {
        uint32_t size = read32(section + SECTION_SIZE_AT);
        uint32_t address = read32(section + SECTION_ADDRESS_AT);

        if ((read32(section + SECTION_FLAGS_AT) & SECTION_EXECUTABLE) != 0 &&
            (uint64_t)address + size <= bytes)
            mark_section(base + address, size);
    }
}
