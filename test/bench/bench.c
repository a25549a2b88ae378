/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench: compares ways to do AES, under the CPU mask that this process has
 * (OPENSSL_ia32cap). test/bench/run starts it, once for each mask; by hand:
 *
 *   echo gcm-enc 128 1420 fresh | OPENSSL_ia32cap=... \
 *       build/test/bench/bench --modules build default evp:ct64 direct:ct64
 *
 * Arguments: the sides (jobs.h); all are compared with the first. Each line of
 * standard input names a cell: operation, key bits, bytes, life. The answers
 * are lines of JSON on standard output: first one that says what was set up,
 * then one for each cell.
 *
 * Before it is timed, each side's output is compared with the first one's: the
 * speed of a wrong answer is worth nothing.
 */
#define _GNU_SOURCE /* sched_setaffinity */

#include "jobs.h"
#include "measure.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDES 24
#define MAX_LEN (16u << 20) /* bytes of the longest message */

#define STRING(x) #x
#define STRING_OF(x) STRING(x)

static const struct ctaes_cipher ciphers[CTAES_NCIPHERS] = {
#define CIPHER(id, names, family, kind, mode, key_len) {names, &ctaes_mode_##mode, key_len},
#include "../../provider/ciphers.def"
#undef CIPHER
};

static const char *const life_names[] = {
    [LIFE_FRESH] = "fresh",   [LIFE_REKEY] = "rekey", [LIFE_ONCE] = "once",
    [LIFE_UPDATE] = "update", [LIFE_LOAD] = "load",
};

/* The message, and where it goes. */
static uint8_t *in, *out, *expected;

static void print_string(const char *s)
{
    putchar('"');
    for (; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\')
            putchar('\\');
        if ((unsigned char)*s >= ' ')
            putchar(*s);
    }
    putchar('"');
}

/* The length of the AES key, which is in the algorithm's name: XTS and SIV have two. */
static unsigned aes_bits(const struct ctaes_cipher *cipher)
{
    return (unsigned)strtoul(cipher->names + strlen("AES-"), NULL, 10);
}

/* Writes what an operation is called: "cbc-dec"; a mode that is the same both ways
   is called by its name alone. */
static void name_operation(char out_name[16], const struct ctaes_mode *mode, bool encrypt)
{
    bool same = mode->encrypt != NULL && mode->encrypt == mode->decrypt;
    const char *suffix = same ? "" : encrypt ? "-enc" : "-dec";
    snprintf(out_name, 16, "%.10s%s", mode->name, suffix);
    for (char *c = out_name; *c != '\0'; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c + ('a' - 'A'));
}

/* Finds the cipher and the direction of the operation of that name. */
static bool find_operation(struct cell *cell, const char *operation, unsigned bits)
{
    for (size_t i = 0; i < 2 * CTAES_NCIPHERS; i++) {
        char name[16];
        cell->cipher = &ciphers[i / 2];
        cell->encrypt = i % 2 == 0;
        name_operation(name, cell->cipher->mode, cell->encrypt);
        if (aes_bits(cell->cipher) == bits && strcmp(name, operation) == 0)
            return true;
    }
    return false;
}

static bool parse_cell(struct cell *cell, const char *operation, unsigned bits, size_t len,
                       const char *life)
{
    *cell = (struct cell){.len = len};
    for (size_t i = 0; i < sizeof life_names / sizeof life_names[0]; i++) {
        if (strcmp(life, life_names[i]) == 0) {
            cell->life = (enum life)i;
            return len > 0 && len <= MAX_LEN && find_operation(cell, operation, bits);
        }
    }
    return false;
}

/* Runs one job once from its first IV, and compares with what the first side made;
   job 0 makes it. */
static bool check_output(struct job *job, struct job *reference)
{
    const struct cell *cell = job->cell;
    if (cell->life == LIFE_LOAD || job->side->kind == SIDE_FLOOR)
        return true;
    if (job->checks_tag)
        memcpy(job->tag, reference->tag, sizeof job->tag);
    job->in_len = reference->in_len;
    memset(out, 0, cell->len);
    if (!run_job(job, 1))
        return false;
    job->next_iv = 0;
    if (job == reference)
        memcpy(expected, out, job->out_len);
    return job->out_len == reference->out_len && memcmp(out, expected, job->out_len) == 0 &&
           memcmp(job->tag, reference->tag, sizeof job->tag) == 0;
}

/* Such a mode's decryption needs a message that is authentic: the first side
   encrypts one. Its ciphertext takes the place of the input. */
static bool make_authentic(struct job *reference)
{
    struct cell cell = *reference->cell;
    cell.encrypt = true;
    if (cell.life != LIFE_REKEY)
        cell.life = LIFE_FRESH;
    struct job encrypting;
    bool good = open_job(&encrypting, reference->side, &cell, in, out) && run_job(&encrypting, 1);
    memcpy(in, out, encrypting.out_len);
    reference->in_len = encrypting.out_len;
    memcpy(reference->tag, encrypting.tag, sizeof reference->tag);
    close_job(&encrypting);
    return good;
}

static void print_spread(const char *name, const struct spread *s, int digits)
{
    printf("\"%s\":[%.*f,%.*f,%.*f]", name, digits, s->median, digits, s->p10, digits, s->p90);
}

static void print_cell(const struct cell *cell, const char *operation, size_t rounds,
                       const struct job *jobs, const struct result *results, size_t njobs)
{
    printf("{\"op\":\"%s\",\"bits\":%u,\"bytes\":%zu,\"life\":\"%s\",\"rounds\":%zu,\"sides\":{",
           operation, aes_bits(cell->cipher), cell->len, life_names[cell->life], rounds);
    for (size_t i = 0; i < njobs; i++) {
        printf("%s\"%s\":{", i > 0 ? "," : "", jobs[i].side->name);
        print_spread("ns", &results[i].ns, 3);
        putchar(',');
        print_spread("ratio", &results[i].ratio, 4);
        putchar('}');
    }
    printf("}}\n");
    fflush(stdout);
}

static bool measure_cell(const struct cell *cell, const char *operation, const struct side *sides,
                         size_t nsides, const struct limits *limits)
{
    static struct job jobs[MAX_SIDES];
    void *ways[MAX_SIDES];
    struct result results[MAX_SIDES];
    size_t njobs = 0, rounds = 0;

    for (size_t i = 0; i < cell->len; i++)
        in[i] = (uint8_t)(i * 251 + (i >> 8));
    for (size_t i = 0; i < nsides; i++) {
        if (!side_can(&sides[i], cell))
            continue;
        struct job *job = &jobs[njobs];
        ways[njobs++] = job;
        bool good = open_job(job, &sides[i], cell, in, out);
        if (good && i == 0 && wants_authentic(cell))
            good = make_authentic(job);
        if (!good || !check_output(job, &jobs[0])) {
            char errors[512];
            take_errors(errors, sizeof errors);
            fprintf(stderr, "bench: %s, %s, %u bits, %zu bytes, %s: %s %s\n", sides[i].name,
                    operation, aes_bits(cell->cipher), cell->len, life_names[cell->life],
                    good ? "output differs from the first side's" : "can't set up", errors);
            goto end;
        }
    }
    rounds = measure(run_job, ways, njobs, limits, results);
    if (rounds > 0)
        print_cell(cell, operation, rounds, jobs, results, njobs);
    else
        fprintf(stderr, "bench: %s stopped working while it was timed\n", operation);

end:
    for (size_t i = 0; i < njobs; i++)
        close_job(&jobs[i]);
    return rounds > 0;
}

/* Binds this process to one CPU: the given one, or, if cpu is negative, the last
   one that it may run on. Returns which, or -1. */
static int pin(int cpu)
{
    cpu_set_t set;
    if (cpu < 0) {
        if (sched_getaffinity(0, sizeof set, &set) != 0)
            return -1;
        for (size_t i = 0; i < CPU_SETSIZE; i++)
            if (CPU_ISSET(i, &set))
                cpu = (int)i;
    }
    CPU_ZERO(&set);
    if (cpu < CPU_SETSIZE)
        CPU_SET((size_t)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? cpu : -1;
}

/* Opens the sides, and prints the line that says which there are, what was
   found to run in each, and why others can't. Returns how many there are; 0 if
   the first, with which the others are compared, isn't among them. */
static size_t open_sides(struct side *sides, char **names, size_t nnames, const char *module_dir,
                         const char *floor_dir, int cpu)
{
    const char *settings = lc.OPENSSL_info(OPENSSL_INFO_CPU_SETTINGS);
    printf("{\"openssl\":");
    print_string(lc.OpenSSL_version(OPENSSL_VERSION));
    printf(",\"cpu_settings\":");
    print_string(settings != NULL ? settings : "");
    printf(",\"pinned_to\":%d,\"sides\":[", cpu);
    size_t n = 0;
    bool first_opened = true;
    for (size_t i = 0; i < nnames && n < MAX_SIDES; i++) {
        char explanation[512];
        printf("%s{\"name\":", i > 0 ? "," : "");
        print_string(names[i]);
        if (open_side(&sides[n], names[i], module_dir, floor_dir, explanation,
                      sizeof explanation)) {
            printf(",\"provider\":");
            print_string(sides[n].provider != NULL ? lc.OSSL_PROVIDER_get0_name(sides[n].provider)
                                                   : "none: called directly");
            if (sides[n].core != NULL) {
                printf(",\"core\":");
                print_string(sides[n].core->name);
            }
            n++;
        } else {
            printf(",\"unusable\":");
            print_string(explanation);
            first_opened = first_opened && i > 0;
        }
        putchar('}');
    }
    printf("]}\n");
    fflush(stdout);
    return first_opened ? n : 0;
}

/* Reads cells until the input ends. */
static bool serve(const struct side *sides, size_t nsides, const struct limits *limits)
{
    char line[128];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char operation[16], life[16];
        unsigned bits;
        size_t len;
        struct cell cell;
        if (sscanf(line, "%15s %u %zu %15s", operation, &bits, &len, life) != 4 ||
            !parse_cell(&cell, operation, bits, len, life)) {
            fprintf(stderr, "bench: this isn't a cell: %s", line);
            return false;
        }
        if (!measure_cell(&cell, operation, sides, nsides, limits))
            return false;
    }
    return true;
}

static int usage(void)
{
    fprintf(stderr,
            "usage: bench [--modules FOLDER] [--floor FOLDER] [--libcrypto FILE] [--cpu N]\n"
            "             [--seconds S] [--tolerance T] [--min-rounds N] SIDE...\n"
            "sides: default floor evp:CORE uncleared:CORE direct:CORE\n"
            "standard input: lines of OPERATION BITS BYTES LIFE,\n"
            "as in: gcm-enc 128 1420 fresh (or rekey, once, update, load)\n");
    return 2;
}

/* Reads a number that isn't negative. */
static bool parse_number(double *number, const char *text)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && *number >= 0 && *number < 1e9;
}

int main(int argc, char **argv)
{
    const char *module_dir = "build", *floor_dir = "build/test/bench";
    const char *libcrypto = "libcrypto.so." STRING_OF(OPENSSL_VERSION_MAJOR);
    struct limits limits = {.seconds = 0.1, .tolerance = 0.005, .min_rounds = 15};
    int cpu = -1;

    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        const char *option = argv[i] + 2, *value = argv[i + 1];
        double number;
        if (strcmp(option, "modules") == 0)
            module_dir = value;
        else if (strcmp(option, "floor") == 0)
            floor_dir = value;
        else if (strcmp(option, "libcrypto") == 0)
            libcrypto = value;
        else if (!parse_number(&number, value))
            return usage();
        else if (strcmp(option, "cpu") == 0)
            cpu = (int)number;
        else if (strcmp(option, "seconds") == 0)
            limits.seconds = number;
        else if (strcmp(option, "tolerance") == 0)
            limits.tolerance = number;
        else if (strcmp(option, "min-rounds") == 0)
            limits.min_rounds = (size_t)number;
        else
            return usage();
    }
    if (i >= argc || argc - i > MAX_SIDES)
        return usage();

    cpu = pin(cpu);
    if (cpu < 0) {
        perror("bench: can't bind to that CPU");
        return 1;
    }
    in = aligned_alloc(64, MAX_LEN + 64);
    out = aligned_alloc(64, MAX_LEN + 64);
    expected = malloc(MAX_LEN + 64);
    if (in == NULL || out == NULL || expected == NULL || !open_libcrypto(libcrypto))
        return 1;

    static struct side sides[MAX_SIDES];
    size_t nsides = open_sides(sides, argv + i, (size_t)(argc - i), module_dir, floor_dir, cpu);
    warm_up();
    if (nsides == 0)
        fprintf(stderr, "bench: %s, with which the others are compared, is unusable\n", argv[i]);
    bool good = nsides > 0 && serve(sides, nsides, &limits);
    for (size_t j = 0; j < nsides; j++)
        close_side(&sides[j]);
    free(in);
    free(out);
    free(expected);
    return good ? 0 : 1;
}
