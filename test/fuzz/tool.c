/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What else there is to do with the fuzzer's inputs, without libFuzzer:
 *
 *   replay FOLDER FILE...     each line of a corpus, a sequence, on each core; this is what
 *                             `make check` does
 *   encode FOLDER FILE DIR    lines to a folder of inputs
 *   decode FOLDER INPUT...    inputs to lines
 *   shrink FOLDER INPUT...    the shortest sequence that fails as an input does, each once
 *   cores FOLDER              prints which cores there are, and which this CPU can't run
 *   version FOLDER            prints which OpenSSL this is, as "3.0"
 *   dictionary FOLDER         prints libFuzzer's dictionary
 *   speed FOLDER FILE         replays for five seconds, and prints how fast
 */
#include "grammar.h"
#include "shrink.h"
#include "subjects.h"

#include "../evp/evp.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned long nlines, failed, too_new;

/* Calls f for each line that isn't empty or a comment. */
static void read_lines(const char *file, void (*f)(const char *line, void *arg), void *arg)
{
    static char line[SEQUENCE_SIZE];
    FILE *in = strcmp(file, "-") == 0 ? stdin : fopen(file, "r");
    if (in == NULL) {
        perror(file);
        exit(2);
    }
    while (fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0' && line[0] != '#')
            f(line, arg);
    }
    if (in != stdin)
        fclose(in);
}

static void replay_line(const char *line, void *arg)
{
    (void)arg;
    if (needs_newer(line)) {
        too_new++;
        return;
    }
    for (size_t core = 0; core < count_subjects(); core++) {
        choose_subject(core);
        for (int probing = 0; probing < 2; probing++) {
            nlines++;
            if (run_text(line, probing != 0))
                continue;
            failed++;
            if (failed <= max_reports)
                report_text(line, probing != 0);
        }
    }
}

static void encode_line(const char *line, void *arg)
{
    static uint8_t bytes[MOST_BYTES];
    static unsigned long n;
    const char *stuck;
    char name[512];

    if (needs_newer(line)) {
        too_new++;
        return;
    }
    /* The cores in turn, every third with all parameters read after each step. */
    const size_t len = encode_program(bytes, (uint8_t)n, n % 3 == 0, line, &stuck);
    nlines++;
    if (len == 0) {
        failed++;
        printf("not in the grammar: %s\n    from here: %s\n", line, stuck);
        return;
    }
    snprintf(name, sizeof name, "%s/%06lu", (const char *)arg, n++);
    FILE *out = fopen(name, "wb");
    if (out == NULL || fwrite(bytes, 1, len, out) != len || fclose(out) != 0) {
        perror(name);
        exit(2);
    }
}

static struct program *read_program(const char *file)
{
    static uint8_t bytes[1 << 16];
    static struct program p;
    FILE *in = fopen(file, "rb");
    if (in == NULL) {
        perror(file);
        exit(2);
    }
    const size_t len = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    decode_program(&p, bytes, len);
    return &p;
}

/* Without the last step's semicolon. */
static void print_text(const char *text)
{
    size_t len = strlen(text);
    while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == ';'))
        len--;
    printf("%.*s\n", (int)len, text);
}

static void shrink_file(const char *file)
{
    static char *seen[1024];
    static size_t nseen;
    struct program *p = read_program(file);

    choose_subject(p->core);
    const int status = shrink_text(p->text, p->probing);
    for (size_t i = 0; i < nseen; i++) {
        if (strcmp(seen[i], p->text) == 0)
            return;
    }
    if (nseen < sizeof seen / sizeof seen[0])
        seen[nseen++] = strdup(p->text);
    printf("%d %s %s: %s%s\n", status, file, core_name, p->probing ? "" : "--no-probe ", p->text);
}

static void print_token(const uint8_t *bytes, size_t len, const char *text)
{
    printf("# %s\n\"", text);
    for (size_t i = 0; i < len; i++)
        printf("\\x%02x", bytes[i]);
    printf("\"\n");
}

struct speed {
    unsigned long runs;
    clock_t end;
};

static void time_line(const char *line, void *arg)
{
    struct speed *s = arg;
    choose_subject(s->runs);
    run_text(line, s->runs % 8 == 7);
    s->runs++;
}

static void usage(void)
{
    fputs("usage: fuzz-tool replay|encode|decode|shrink|cores|version|dictionary|speed FOLDER ... "
          "(see "
          "tool.c)\n",
          stderr);
    exit(2);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        usage();
    const char *what = argv[1];
    open_subjects(argv[2], getenv("FUZZ_CORE"));
    if (strcmp(what, "replay") == 0) {
        for (int i = 3; i < argc; i++)
            read_lines(argv[i], replay_line, NULL);
        printf("%lu runs on %zu cores, %lu failed\n", nlines, count_subjects(), failed);
        if (too_new > 0)
            printf("not run: %lu sequences with GCM-SIV or opaque keys, which OpenSSL %lu.%lu "
                   "doesn't have\n",
                   too_new, openssl_version >> 28, openssl_version >> 20 & 0xff);
        if (nlines == 0)
            failed++;
    } else if (strcmp(what, "encode") == 0 && argc == 5) {
        read_lines(argv[3], encode_line, argv[4]);
        printf("%lu sequences, of which the grammar lacks %lu; %lu for newer versions\n", nlines,
               failed, too_new);
    } else if (strcmp(what, "decode") == 0) {
        for (int i = 3; i < argc; i++)
            print_text(read_program(argv[i])->text);
    } else if (strcmp(what, "shrink") == 0) {
        for (int i = 3; i < argc; i++)
            shrink_file(argv[i]);
    } else if (strcmp(what, "cores") == 0) {
        for (size_t i = 0; i < count_subjects(); i++) {
            choose_subject(i);
            puts(core_name);
        }
    } else if (strcmp(what, "version") == 0) {
        printf("%lu.%lu\n", openssl_version >> 28, openssl_version >> 20 & 0xff);
    } else if (strcmp(what, "dictionary") == 0) {
        list_tokens(print_token);
    } else if (strcmp(what, "speed") == 0 && argc == 4) {
        struct speed s = {0, clock() + 5 * CLOCKS_PER_SEC};
        const clock_t start = clock();
        while (clock() < s.end)
            read_lines(argv[3], time_line, &s);
        printf("%.0f sequences a second\n",
               (double)s.runs / ((double)(clock() - start) / CLOCKS_PER_SEC));
    } else {
        usage();
    }
    close_subjects();
    return failed != 0;
}
