/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a sequence on both sides, step by step, and saying what differs.
 *
 * A sequence that fails is run again without each of its steps in turn, as long
 * as it still fails: what is printed is the shortest such sequence, ready to be
 * given to --sequence.
 */
#include "evp.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct tally tally;
unsigned max_reports = 25;
unsigned long stop_after = ~0UL;
bool quiet, listing;
const char *core_name = "";

static struct world worlds[2];

enum outcome { EQUAL, EXCUSED, DIFFERENT };

/* What a run found: the step, and whether the call itself or only the probe
   after it differed. */
struct finding {
    int step;
    bool in_probe;
};

static void join(const struct step *s, char *out, size_t size)
{
    size_t n = 0;
    for (int i = 0; i < s->argc; i++) {
        int k = snprintf(out + n, size - n, "%s%s", i == 0 ? "" : " ", s->argv[i]);
        if (k < 0 || (size_t)k >= size - n)
            abort();
        n += (size_t)k;
    }
}

/* Makes the text of a sequence, without the step `left_out`. */
static void unparse(const struct sequence *seq, int left_out, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "%s: ", seq->alg->name);
    char step[1024];
    for (int i = 0; i < seq->nsteps; i++) {
        if (i == left_out)
            continue;
        join(&seq->steps[i], step, sizeof step);
        n += (size_t)snprintf(out + n, size - n, "%s; ", step);
    }
}

static void print_side(const char *indent, int side, const struct record *r)
{
    printf("%s%-8s", indent, sides[side].label);
    record_print(stdout, r);
    printf("\n");
}

static enum outcome execute(const struct sequence *seq, bool probing, bool tell,
                            struct finding *found)
{
    enum outcome outcome = EQUAL;
    char text[1024];

    restart_randomness();
    ERR_clear_error();
    for (int side = 0; side < 2; side++)
        open_world(&worlds[side], side, seq->alg);

    for (int i = 0; i < seq->nsteps && outcome == EQUAL; i++) {
        const struct step *s = &seq->steps[i];
        const struct world *reference = &worlds[REFERENCE];
        bool skipped = step_is_undefined(reference, s);
        enum situation what = find_situation(reference, s);
        struct record *r[2] = {&sides[0].record, &sides[1].record};
        struct record *p[2] = {&sides[0].probe, &sides[1].probe};

        for (int side = 0; side < 2; side++) {
            record_clear(r[side]);
            record_clear(p[side]);
            if (!skipped)
                s->op->run(&worlds[side], s, r[side]);
            if (!skipped)
                note_whole(&worlds[side], s, r[side]);
            if (!skipped && has_mode(seq->alg, SIVS))
                note_siv_step(&worlds[side], s, r[side]);
            if (probing && s->op->kind != SILENT)
                probe_world(&worlds[side], p[side]);
        }

        bool call_differs = !record_equal(r[0], r[1]);
        bool probe_differs = !record_equal(p[0], p[1]);
        const struct difference *d = find_difference(seq->alg, what);
        bool excused = d != NULL && difference_holds(d, r[0], r[1]) && (!probe_differs || d->probe);
        if ((call_differs || probe_differs) && excused) {
            count_difference(d);
            outcome = d->ends ? EXCUSED : EQUAL;
        } else if (call_differs || probe_differs) {
            found->step = i;
            found->in_probe = !call_differs;
            outcome = DIFFERENT;
        } else if (situation_ends(what, r[REFERENCE])) {
            outcome = EXCUSED;
        }

        if (tell) {
            join(s, text, sizeof text);
            printf("    %s%s\n", text, skipped ? "   (undefined by default, not run)" : "");
            if (call_differs)
                print_side("        ", REFERENCE, r[REFERENCE]);
            if (s->op->kind == SILENT)
                continue;
            print_side("        ", SUBJECT, r[SUBJECT]);
            for (int side = 0; probe_differs && !call_differs && side < 2; side++) {
                printf("      probe %-8s", sides[side].label);
                record_print_differences(stdout, p[side], p[1 - side]);
                printf("\n");
            }
        }
    }
    for (int side = 0; side < 2; side++)
        close_world(&worlds[side]);
    return outcome;
}

/* Leaves out every step that isn't needed for the failure. */
static void shorten(struct sequence *seq, bool probing)
{
    static struct sequence shorter;
    struct finding found;
    char text[sizeof seq->text];
    bool again = true;

    while (again) {
        again = false;
        for (int i = seq->nsteps - 1; i >= 0; i--) {
            unparse(seq, i, text, sizeof text);
            parse_sequence(&shorter, text);
            if (execute(&shorter, probing, false, &found) == DIFFERENT) {
                parse_sequence(seq, text);
                again = true;
                i = i < seq->nsteps ? i : seq->nsteps;
            }
        }
    }
}

static void report(struct sequence *seq, const char *title, bool probing)
{
    struct finding found = {0, false};
    char text[sizeof seq->text];

    shorten(seq, probing);
    unparse(seq, -1, text, sizeof text);
    printf("FAILED %s%s%s: %s\n", core_name, core_name[0] != '\0' ? ", " : "", title,
           seq->alg->name);
    execute(seq, probing, true, &found);
    printf("    the sides differ in %s of the last step; again with\n"
           "      %s--sequence '%s'\n",
           found.in_probe ? "what can be read after the call" : "the call",
           probing ? "" : "--no-probe ", text);
}

bool has_mode(const struct algorithm *a, unsigned modes)
{
    if (modes == ANY_MODE)
        return true; /* of a MAC too, which has none */
    /* XTS and the later ones have numbers from 0x10001 on: bits from 17 on. */
    const int bit = a->mode < 16 ? a->mode : 16 + (a->mode & 15);
    return (modes >> bit & 1) != 0;
}

bool is_wrap(const struct algorithm *a)
{
    return a->mode == EVP_CIPH_WRAP_MODE;
}

void print_tally(void)
{
    printf("evp: %lu passed, %lu failed, %lu skipped\n", tally.passed, tally.failed, tally.skipped);
}

void count_failure(void)
{
    if (++tally.failed < stop_after || quiet)
        return;
    printf("stopped after %lu failures\n", tally.failed);
    print_tally();
    exit(1);
}

bool sides_agree(const char *text, bool probing)
{
    static struct sequence seq;
    struct finding found;

    parse_sequence(&seq, text);
    return execute(&seq, probing, false, &found) != DIFFERENT;
}

void report_sequence(const char *title, const char *text, bool probing)
{
    static struct sequence seq;

    parse_sequence(&seq, text);
    report(&seq, title, probing);
}

void run_sequence(const char *title, const char *text)
{
    static struct sequence seq;
    struct finding found;

    if (listing) {
        puts(text);
        return;
    }
    /* Once with all parameters read after each step, and once undisturbed. */
    for (int probing = 1; probing >= 0; probing--) {
        parse_sequence(&seq, text);
        if (execute(&seq, probing, false, &found) == DIFFERENT) {
            if (!quiet && tally.failed < max_reports)
                report(&seq, title, probing);
            count_failure();
            return;
        }
    }
    tally.passed++;
}

void show_sequence(const char *text, bool probing)
{
    static struct sequence seq;
    struct finding found;

    parse_sequence(&seq, text);
    switch (execute(&seq, probing, true, &found)) {
    case EQUAL:
        printf("equal\n");
        break;
    case EXCUSED:
        printf("equal up to a difference that is on purpose, or undefined\n");
        break;
    default:
        printf("different in %s of the last step\n",
               found.in_probe ? "what can be read after the call" : "the call");
        tally.failed++;
    }
}

void run_for_modes(const char *title, unsigned modes, const char *text)
{
    char all[4096];
    for (size_t i = 0; i < nalgorithms; i++) {
        if (!has_mode(&algorithms[i], modes))
            continue;
        if (snprintf(all, sizeof all, "%s: %s", algorithms[i].name, text) >= (int)sizeof all)
            abort();
        run_sequence(title, all);
    }
}

bool check(bool good, const char *format, ...)
{
    if (good) {
        tally.passed++;
        return true;
    }
    if (!quiet && tally.failed < max_reports) {
        va_list args;
        va_start(args, format);
        printf("FAILED %s%s", core_name, core_name[0] != '\0' ? ", " : "");
        vprintf(format, args);
        printf("\n");
        va_end(args);
        unsigned long e = ERR_peek_error();
        if (e != 0)
            printf("    error queue: %d:%d %s\n", ERR_GET_LIB(e), ERR_GET_REASON(e),
                   ERR_reason_error_string(e) != NULL ? ERR_reason_error_string(e) : "");
    }
    count_failure();
    return false;
}
