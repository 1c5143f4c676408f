/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_summary.c - counts transitions, in all and by region. */
#include "host/pt_summary.h"

#include <inttypes.h>
#include <stdlib.h>

#define REGIONS_PRINTED 20

static struct pt_region *find(struct pt_region *regions, size_t room,
                              uint64_t ip)
{
    size_t at = (size_t)(ip * UINT64_C(0x9e3779b97f4a7c15) >> 20) % room;

    while (regions[at].begins + regions[at].commits + regions[at].aborts != 0 &&
           regions[at].ip != ip)
        at = (at + 1) % room;
    return &regions[at];
}

/* False: there is no memory, and the table is as it was. */
static bool grow(struct pt_summary *summary)
{
    const size_t room =
        summary->region_room == 0 ? 64 : 2 * summary->region_room;
    struct pt_region *regions = calloc(room, sizeof(*regions));

    if (regions == NULL)
        return false;
    for (size_t i = 0; i < summary->region_room; i++) {
        const struct pt_region *old = &summary->regions[i];
        if (old->begins + old->commits + old->aborts != 0)
            *find(regions, room, old->ip) = *old;
    }
    free(summary->regions);
    summary->regions = regions;
    summary->region_room = room;
    return true;
}

/* The region's row; of no use where there is no memory. */
static struct pt_region *region_of(struct pt_summary *summary, uint64_t ip)
{
    static struct pt_region none;

    if (2 * summary->region_count >= summary->region_room && !grow(summary)) {
        summary->full = true;
        return &none;
    }
    struct pt_region *region = find(summary->regions, summary->region_room, ip);
    if (region->begins + region->commits + region->aborts == 0)
        summary->region_count++;
    region->ip = ip;
    return region;
}

static void end_time(struct pt_summary *summary, bool aborts, bool has_tsc,
                     uint64_t tsc)
{
    if (summary->inside && has_tsc && tsc >= summary->begin_tsc) {
        const uint64_t ticks = tsc - summary->begin_tsc;
        summary->timed++;
        summary->ticks += ticks;
        summary->ticks_aborted += aborts ? ticks : 0;
    }
    summary->inside = false;
}

void pt_summary_event(struct pt_summary *summary,
                      const struct pt_tsx_event *event, bool has_tsc,
                      uint64_t tsc)
{
    summary->deviations += event->deviation != PT_NO_DEVIATION;
    switch (event->transition) {
    case PT_BEGIN:
        summary->begins++;
        if (event->has_ip)
            region_of(summary, event->ip)->begins++;
        summary->inside = has_tsc;
        summary->begin_tsc = tsc;
        break;
    case PT_COMMIT:
        summary->commits++;
        if (event->has_region)
            region_of(summary, event->region)->commits++;
        end_time(summary, false, has_tsc, tsc);
        break;
    case PT_ABORT:
        summary->aborts++;
        if (event->has_region)
            region_of(summary, event->region)->aborts++;
        end_time(summary, true, has_tsc, tsc);
        break;
    case PT_STATE:
        summary->states++;
        break;
    case PT_OVERFLOW:
        summary->overflows++;
        summary->inside = false;
        break;
    default:
        break;
    }
}

void pt_summary_error(struct pt_summary *summary, uint64_t bytes)
{
    summary->errors++;
    summary->lost_bytes += bytes;
    summary->inside = false;
}

/* The most aborts first, then the most begins, then by address. */
static int compare(const void *a, const void *b)
{
    const struct pt_region *x = a, *y = b;

    if (x->aborts != y->aborts)
        return x->aborts < y->aborts ? 1 : -1;
    if (x->begins != y->begins)
        return x->begins < y->begins ? 1 : -1;
    return x->ip < y->ip ? -1 : x->ip > y->ip;
}

/* The table is a sorted list from then on. */
static void sort(struct pt_summary *summary)
{
    size_t count = 0;

    for (size_t i = 0; i < summary->region_room; i++) {
        const struct pt_region region = summary->regions[i];
        if (region.begins + region.commits + region.aborts != 0)
            summary->regions[count++] = region;
    }
    if (count != 0)
        qsort(summary->regions, count, sizeof(summary->regions[0]), compare);
    summary->region_room = summary->region_count = count;
}

static double rate(uint64_t aborts, uint64_t commits)
{
    return aborts + commits == 0
               ? 0
               : 100 * (double)aborts / (double)(aborts + commits);
}

void pt_summary_print(struct pt_summary *summary, FILE *out)
{
    sort(summary);
    fprintf(out,
            "# begins %" PRIu64 ", commits %" PRIu64 ", aborts %" PRIu64
            ": %.2f %% of those that end abort\n",
            summary->begins, summary->commits, summary->aborts,
            rate(summary->aborts, summary->commits));
    for (size_t i = 0; i < summary->region_count && i < REGIONS_PRINTED; i++) {
        const struct pt_region *region = &summary->regions[i];
        fprintf(out,
                "# region 0x%016" PRIx64 ": begins %" PRIu64
                ", commits %" PRIu64 ", aborts %" PRIu64 " (%.2f %%)\n",
                region->ip, region->begins, region->commits, region->aborts,
                rate(region->aborts, region->commits));
    }
    if (summary->region_count > REGIONS_PRINTED)
        fprintf(out, "# %zu more regions\n",
                summary->region_count - REGIONS_PRINTED);
    if (summary->full)
        fputs("# no memory for all regions\n", out);
    if (summary->timed != 0)
        fprintf(out,
                "# time in %" PRIu64 " transactions: %" PRIu64
                " ticks of the TSC, %" PRIu64 " of them aborted\n",
                summary->timed, summary->ticks, summary->ticks_aborted);
    fprintf(out, "# lost: %" PRIu64 " overflows", summary->overflows);
    fprintf(out, ", %" PRIu64 " bytes passed over", summary->lost_bytes);
    fprintf(out, "; %" PRIu64 " deviations, %" PRIu64 " errors\n",
            summary->deviations, summary->errors);
}

json_t *pt_summary_json(struct pt_summary *summary)
{
    json_t *regions = json_array();

    sort(summary);
    for (size_t i = 0; i < summary->region_count; i++) {
        const struct pt_region *region = &summary->regions[i];
        char ip[19];
        snprintf(ip, sizeof(ip), "0x%016" PRIx64, region->ip);
        json_array_append_new(regions,
                              json_pack("{s:s, s:I, s:I, s:I}", "region", ip,
                                        "begins", (json_int_t)region->begins,
                                        "commits", (json_int_t)region->commits,
                                        "aborts", (json_int_t)region->aborts));
    }
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "begins",
        (json_int_t)summary->begins, "commits", (json_int_t)summary->commits,
        "aborts", (json_int_t)summary->aborts, "overflows",
        (json_int_t)summary->overflows, "lost_bytes",
        (json_int_t)summary->lost_bytes, "deviations",
        (json_int_t)summary->deviations, "errors", (json_int_t)summary->errors,
        "timed", (json_int_t)summary->timed, "ticks",
        (json_int_t)summary->ticks, "ticks_aborted",
        (json_int_t)summary->ticks_aborted, "regions", regions);
}

void pt_summary_free(struct pt_summary *summary)
{
    free(summary->regions);
    *summary = (struct pt_summary){0};
}
