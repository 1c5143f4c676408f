/* SPDX-License-Identifier: BSD-2-Clause */
/* junit.c - tsxpmu junit: reports as JUnit's XML, a suite each. */
#include "host/commands/arguments.h"
#include "host/commands/commands.h"

#include <stdio.h>
#include <string.h>

/* Text of a report is printable ASCII; names of files are not. */
static void text(struct span span)
{
    for (size_t i = 0; i < span.bytes; i++)
        switch (span.at[i]) {
        case '&':
            printf("&amp;");
            break;
        case '<':
            printf("&lt;");
            break;
        case '>':
            printf("&gt;");
            break;
        case '"':
            printf("&quot;");
            break;
        default:
            putchar(span.at[i] >= ' ' && span.at[i] < 0x7f ? span.at[i] : '?');
        }
}

static void attribute(const char *name, struct span value)
{
    printf(" %s=\"", name);
    text(value);
    putchar('"');
}

static void words(const char *name, const char *value)
{
    attribute(name, (struct span){value, strlen(value)});
}

static void property(const char *name, struct span value)
{
    if (value.bytes == 0)
        return;
    printf("   <property");
    words("name", name);
    attribute("value", value);
    printf("/>\n");
}

static void lines(const struct report *report, const struct result *result)
{
    for (size_t i = result->first; i < result->end; i++) {
        text(report->lines[i]);
        putchar('\n');
    }
}

/* A failure or an error: its message and the lines that tell more. */
static void deviation(const char *element, const struct report *report,
                      const struct result *result)
{
    struct span message = result->reason;
    struct figure figure;

    for (size_t i = result->first; i < result->end && message.bytes == 0; i++)
        if (figure_read(report->lines[i], &figure) &&
            figure.shape == SHAPE_FAIL)
            message = figure.what;
    printf("   <%s", element);
    attribute("message", message);
    words("type", verdict_name(result->verdict));
    printf(">");
    lines(report, result);
    printf("</%s>\n", element);
}

static void print_result(const struct report *report,
                         const struct result *result)
{
    printf("  <testcase");
    words("classname", made_on_name(report->made_on));
    attribute("name", result->name);
    printf(">\n");
    switch (result->verdict) {
    case VERDICT_FAIL:
        deviation("failure", report, result);
        break;
    case VERDICT_ERROR:
        deviation("error", report, result);
        break;
    case VERDICT_SKIP:
        printf("   <skipped");
        attribute("message", result->reason);
        printf("/>\n");
        break;
    default:
        printf("   <system-out>");
        if (result->verdict == VERDICT_KNOWN) {
            printf("KNOWN ");
            text(result->reason);
            putchar('\n');
        }
        lines(report, result);
        printf("</system-out>\n");
    }
    printf("  </testcase>\n");
}

static void print_problem(void *context, const char *line)
{
    (void)context;
    text((struct span){line, strlen(line)});
    putchar('\n');
}

static void count_problem(void *context, const char *line)
{
    (void)context;
    (void)line;
}

static void print_properties(const struct report *report)
{
    const char *made_on = made_on_name(report->made_on);

    printf("  <properties>\n");
    property("made_on", (struct span){made_on, strlen(made_on)});
    property("version", report->version);
    property("machine", report->machine);
    property("options", report->options);
    for (size_t i = 0; i < report->kind_count; i++) {
        property("processor", report->kinds[i].model);
        property("stepping", report->kinds[i].stepping);
        property("microcode", report->kinds[i].microcode);
        property("regime", report->kinds[i].regime);
    }
    printf("  </properties>\n");
}

static enum status one(void *context, const char *name,
                       const struct report *report,
                       const struct cleaned *cleaned)
{
    const struct totals totals = report_totals(report);
    const size_t problems = report_problems(report, count_problem, NULL);

    (void)context;
    (void)cleaned;
    printf(" <testsuite");
    words("name", name);
    printf(" tests=\"%zu\" failures=\"%lu\" errors=\"%lu\" skipped=\"%lu\">\n",
           report->result_count + 1, totals.fail, totals.error + !!problems,
           totals.skip);
    print_properties(report);
    for (size_t i = 0; i < report->result_count; i++)
        print_result(report, &report->results[i]);
    printf("  <testcase");
    words("classname", made_on_name(report->made_on));
    printf(" name=\"the report is whole\">\n");
    if (problems != 0) {
        printf("   <error message=\"it is not whole\" type=\"report\">");
        report_problems(report, print_problem, NULL);
        printf("</error>\n");
    }
    printf("  </testcase>\n </testsuite>\n");
    return problems + totals.fail + totals.error != 0 ? STATUS_FOUND
                                                      : STATUS_GOOD;
}

int command_junit(int argc, char **argv)
{
    static const struct usage usage = {
        .words = "REPORT...",
        .doc = "Prints reports as JUnit's XML, one suite each. FAIL is a "
               "failure, ERROR an error, KNOWN passes and says so. The class "
               "of each case is silicon, SIMULATED, virtual or unknown. A last "
               "case of each suite says whether the report is whole.",
        .least = 1,
        .most = ANY_NUMBER,
    };
    const struct arguments arguments = arguments_read(&usage, argc, argv, NULL);
    enum status status;

    printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    status = arguments_each(&arguments, one, NULL);
    printf("</testsuites>\n");
    return (int)status;
}
