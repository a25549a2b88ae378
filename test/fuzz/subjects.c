/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All cores at once.
 *
 * The evp layer works on one core at a time, in sides[] and algorithms[]. To
 * open these takes milliseconds, a sequence takes microseconds: so all cores'
 * are opened once, and kept here while another's are in use.
 */
#include "subjects.h"

#include "../evp/macs.h"
#include "../evp/skey.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ALGORITHMS = 64 };

struct subject {
    const char *core;
    struct side sides[2];
    struct algorithm algorithms[MOST_ALGORITHMS];
    EVP_MAC *cmac[2], *gmac[2], *pmac;
};

static struct subject subjects[MAX_CORES];
static size_t nsubjects, chosen;

static void put_away(struct subject *s)
{
    memcpy(s->sides, sides, sizeof s->sides);
    memcpy(s->algorithms, algorithms, sizeof s->algorithms);
    memcpy(s->cmac, cmac, sizeof s->cmac);
    memcpy(s->gmac, gmac, sizeof s->gmac);
    s->pmac = pmac;
}

static void take_out(const struct subject *s)
{
    core_name = s->core;
    memcpy(sides, s->sides, sizeof s->sides);
    memcpy(algorithms, s->algorithms, sizeof s->algorithms);
    memcpy(cmac, s->cmac, sizeof s->cmac);
    memcpy(gmac, s->gmac, sizeof s->gmac);
    pmac = s->pmac;
}

void open_subjects(const char *folder, const char *only)
{
    static const char *cores[MAX_CORES + 1];

    init_tapes();
    unsetenv("CTAES_CORE");
    if (!find_cores(folder, cores))
        exit(2);
    for (size_t i = 0; cores[i] != NULL; i++) {
        if ((only != NULL && strcmp(only, cores[i]) != 0) || !is_usable(folder, cores[i]))
            continue;
        memset(sides, 0, sizeof sides);
        for (size_t k = 0; k < nlone_algorithms; k++)
            EVP_CIPHER_free(lone_algorithms[k].cipher[SUBJECT]); /* the last core's */
        core_name = cores[i];
        open_sides("ctaes", folder, cores[i]);
        open_macs();
        chosen = nsubjects++;
        subjects[chosen].core = cores[i];
        put_away(&subjects[chosen]);
    }
    if (nsubjects == 0) {
        fprintf(stderr, "fuzz: no core to run\n");
        exit(2);
    }
}

void close_subjects(void)
{
    put_away(&subjects[chosen]);
    for (size_t i = 0; i < nsubjects; i++) {
        take_out(&subjects[i]);
        /* close_sides sets it to 0. */
        const size_t n = nalgorithms;
        close_macs();
        close_sides();
        nalgorithms = n;
    }
    nsubjects = 0;
}

size_t count_subjects(void)
{
    return nsubjects;
}

void choose_subject(size_t n)
{
    n %= nsubjects;
    if (n == chosen)
        return;
    put_away(&subjects[chosen]); /* its records may have grown */
    chosen = n;
    take_out(&subjects[chosen]);
}

bool needs_newer(const char *text)
{
    const size_t len = strcspn(text, ":");
    for (size_t i = 0; i < nlone_algorithms; i++) {
        const char *name = lone_algorithms[i].name;
        if (strncmp(name, text, len) == 0 && name[len] == '\0')
            return true;
    }
    return find_skey_api() == NULL && strstr(text, "init_skey ") != NULL;
}

bool run_text(const char *text, bool probing)
{
    return is_mac_sequence(text) ? macs_agree(text) : sides_agree(text, probing);
}

void report_text(const char *text, bool probing)
{
    if (is_mac_sequence(text))
        run_mac_sequence("fuzz", text);
    else
        report_sequence("fuzz", text, probing);
}
