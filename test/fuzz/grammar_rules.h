/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar, prepared: see grammar_rules.c. */
#ifndef CTAES_TEST_FUZZ_GRAMMAR_RULES_H
#define CTAES_TEST_FUZZ_GRAMMAR_RULES_H

#include <stdint.h>

enum kind { LITERAL, RULE, N, SIGNED, LEN, OFFSET, HEX, TO_64, TO_160 };

struct part {
    enum kind kind;
    const char *text; /* LITERAL */
    uint16_t len;
    uint16_t rule; /* RULE: its number */
};

enum { MOST_PARTS = 12 };

struct alternative {
    unsigned nparts;
    struct part parts[MOST_PARTS];
};

struct prepared_rule {
    unsigned n;
    struct alternative *alternatives;
};

/* The rules by their numbers, and the numbers of those that sequences of ciphers and of MACs
   begin with; after prepare_rules. */
extern struct prepared_rule prepared[];
extern unsigned step_rule, mac_rule;
void prepare_rules(void);

/* The MACs, in the order in which they come after the ciphers. */
enum { MACS = 3 };
extern const char *const mac_names[MACS];

/* A length: one byte up to 191, two above, to LONGEST. */
enum { ONE_BYTE = 192, LONGEST = 4400, MOST_HEX = 64 };

#endif
