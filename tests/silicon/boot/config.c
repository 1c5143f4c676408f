/* SPDX-License-Identifier: BSD-2-Clause */
/* config.c - parses the configuration text; reports, never prints. */
#include "tests/silicon/boot/config.h"

#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/text.h"

#define LINE_MAX_BYTES 640

static void set_defaults(struct config *c)
{
    c->machine.cpu = personality_find("skylake-2018");
    c->machine.fault = FAULT_none;
    c->machine.seed = 1;
    c->machine.smi = 0;
    c->machine.counter3 = DISTURB_ANY;
    c->machine.force_abort = FORCE_ABORT_AS_PERSONALITY;
    c->machine.smt = true;
    c->turns = true;
    c->offset = 0;
    c->machine.leftovers = false;
    c->machine.x2apic = false;
    c->figures = false;
    c->memory = false;
    c->sweep = (struct sweep_config){SWEEP_NONE, 1, 1};
    c->lost = 0;
    c->stuck = 0;
    c->machine.os = false;
    c->mp_blocking = false;
    c->late_timer = false;
    c->message[0] = '\0';
    c->options[0] = '\0';
    c->app[0] = '\0';
    c->errata[0] = '\0';
    c->machine.errata = 0;
}

/* error: unknown WHAT "VALUE"; valid: */
static void begin_unknown(struct text *message, const char *what,
                          const char *value)
{
    text_add(message, "error: unknown ");
    text_add(message, what);
    text_add(message, " \"");
    text_add(message, value);
    text_add(message, "\"; valid: ");
}

static void unknown_personality(struct text *message, const char *value)
{
    const struct personality *p;

    begin_unknown(message, "cpu", value);
    for (size_t n = 0; (p = personality_at(n)) != NULL; n++) {
        text_add(message, n > 0 ? ", " : "");
        text_add(message, p->name);
    }
    text_add(message, "\n");
}

static bool to_switch(const char *value, bool *on)
{
    *on = text_equal(value, "on");
    return *on || text_equal(value, "off");
}

/* Do MP services refuse calls in non-blocking mode? */
static bool to_in_turn(const char *value, bool *mp_blocking)
{
    *mp_blocking = text_equal(value, "blocking");
    return *mp_blocking || text_equal(value, "non_blocking");
}

static bool to_sweep(const char *value, enum sweep *sweep)
{
    static const char *const names[] = {"none", "msr", "exception", "write"};

    for (unsigned n = 0; n < sizeof(names) / sizeof(names[0]); n++)
        if (text_equal(value, names[n])) {
            *sweep = (enum sweep)n;
            return true;
        }
    return false;
}

/* What disturbs counter 3, in regime B. */
static bool to_disturbance(const char *value, enum disturbance *what)
{
    static const char *const names[] = {
        [DISTURB_ANY] = "any",         [DISTURB_SPECULATIVE] = "speculative",
        [DISTURB_SIBLING] = "sibling", [DISTURB_OVERFLOW] = "overflow",
        [DISTURB_LONG] = "long",       [DISTURB_ABORTS] = "aborts",
    };

    for (unsigned n = 0; n < sizeof(names) / sizeof(names[0]); n++)
        if (text_equal(value, names[n])) {
            *what = (enum disturbance)n;
            return true;
        }
    return false;
}

static bool to_text(const char *value, char *buffer, size_t size)
{
    struct text t;

    text_start(&t, buffer, size);
    text_add(&t, value);
    return text_length(value) < size;
}

/* False: the message has been written. */
static bool set_key(struct config *c, const char *key, const char *value,
                    struct text *message)
{
    bool good = true;

    if (text_equal(key, "cpu")) {
        c->machine.cpu = personality_find(value);
        if (c->machine.cpu == NULL) {
            unknown_personality(message, value);
            return false;
        }
    } else if (text_equal(key, "fault")) {
        if (!fault_find(value, &c->machine.fault)) {
            begin_unknown(message, key, value);
            text_add(message, "none, and those of `make list`\n");
            return false;
        }
    } else if (text_equal(key, "erratum")) {
        good = to_text(value, c->errata, sizeof(c->errata));
    } else if (text_equal(key, "smt")) {
        good = to_switch(value, &c->machine.smt);
    } else if (text_equal(key, "turns")) {
        good = to_switch(value, &c->turns);
    } else if (text_equal(key, "leftovers")) {
        good = to_switch(value, &c->machine.leftovers);
    } else if (text_equal(key, "x2apic")) {
        good = to_switch(value, &c->machine.x2apic);
    } else if (text_equal(key, "late_timer")) {
        good = to_switch(value, &c->late_timer);
    } else if (text_equal(key, "figures")) {
        good = to_switch(value, &c->figures);
    } else if (text_equal(key, "os")) {
        good = to_switch(value, &c->machine.os);
    } else if (text_equal(key, "memory")) {
        good = to_switch(value, &c->memory);
    } else if (text_equal(key, "sweep")) {
        good = to_sweep(value, &c->sweep.kind);
    } else if (text_equal(key, "sweep_first")) {
        good = text_to_unsigned(value, &c->sweep.first);
    } else if (text_equal(key, "sweep_step")) {
        good = text_to_unsigned(value, &c->sweep.step) && c->sweep.step != 0;
    } else if (text_equal(key, "lost")) {
        good = text_to_unsigned(value, &c->lost);
    } else if (text_equal(key, "stuck")) {
        good = text_to_unsigned(value, &c->stuck);
    } else if (text_equal(key, "mp")) {
        good = to_in_turn(value, &c->mp_blocking);
    } else if (text_equal(key, "seed")) {
        good = text_to_unsigned(value, &c->machine.seed);
    } else if (text_equal(key, "offset")) {
        good = text_to_unsigned(value, &c->offset);
    } else if (text_equal(key, "smi")) {
        good = text_to_unsigned(value, &c->machine.smi);
    } else if (text_equal(key, "counter3")) {
        good = to_disturbance(value, &c->machine.counter3);
    } else if (text_equal(key, "force_abort")) {
        good = text_to_unsigned(value, &c->machine.force_abort);
    } else if (text_equal(key, "app")) {
        good = to_text(value, c->app, sizeof(c->app)) && *value != '\0';
    } else if (text_equal(key, "options")) {
        good = to_text(value, c->options, sizeof(c->options));
    } else {
        text_add(message, "warning: unknown key \"");
        text_add(message, key);
        text_add(message, "\" ignored\n");
    }
    if (!good) {
        text_add(message, "error: bad value \"");
        text_add(message, value);
        text_add(message, "\" for ");
        text_add(message, key);
        text_add(message, "\n");
    }
    return good;
}

/* Once the processor is known: those of its own alone. */
static bool resolve_errata(struct config *c, struct text *message)
{
    char id[CONFIG_ERRATA_MAX];
    const char *from = c->errata;

    c->machine.errata = c->machine.cpu->as_sold ? errata_of(c->machine.cpu) : 0;
    while (*from != '\0') {
        size_t n = 0;
        uint64_t found;

        while (*from != '\0' && *from != ',')
            id[n++] = *from++;
        id[n] = '\0';
        from += *from == ',';
        found = errata_find(c->machine.cpu, id);
        if (found == 0) {
            text_add(message, "error: no erratum \"");
            text_add(message, id);
            text_add(message, "\" of ");
            text_add(message, c->machine.cpu->name);
            text_add(message, "\n");
            return false;
        }
        c->machine.errata |= found;
    }
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts blanks off both ends, in place. */
static char *trim(char *s)
{
    size_t n;

    while (is_blank(*s))
        s++;
    for (n = text_length(s); n > 0 && is_blank(s[n - 1]); n--)
        s[n - 1] = '\0';
    return s;
}

static bool parse_line(struct config *c, char *line, struct text *message)
{
    char *key = trim(line), *value = key;

    if (*key == '\0' || *key == '#')
        return true;
    while (*value != '\0' && *value != '=')
        value++;
    if (*value == '\0') {
        text_add(message, "warning: line without \"=\" ignored: ");
        text_add(message, key);
        text_add(message, "\n");
        return true;
    }
    *value++ = '\0';
    return set_key(c, trim(key), trim(value), message);
}

bool config_parse(struct config *config, const char *text, size_t length)
{
    struct text message;
    char line[LINE_MAX_BYTES], last[LINE_MAX_BYTES];
    size_t n = 0;

    set_defaults(config);
    text_start(&message, config->message, sizeof(config->message));
    for (size_t i = 0; i <= length; i++) {
        char c = i < length ? text[i] : '\n';

        if (c != '\n' && c != '\0') {
            if (n + 1 >= sizeof(line)) {
                text_start(&message, config->message, sizeof(config->message));
                text_add(&message, "error: line too long\n");
                return false;
            }
            line[n++] = c;
            continue;
        }
        line[n] = '\0';
        n = 0;
        size_t before = message.length;
        if (!parse_line(config, line, &message)) {
            /* The error alone: warnings before it would hide it. */
            char *from = &config->message[before], *to = config->message;
            while ((*to++ = *from++) != '\0')
                ;
            return false;
        }
    }
    text_start(&message, last, sizeof(last));
    if (resolve_errata(config, &message))
        return true;
    text_start(&message, config->message, sizeof(config->message));
    text_add(&message, last);
    return false;
}
