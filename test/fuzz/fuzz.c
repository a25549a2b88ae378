/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential fuzzer: libFuzzer's bytes become a sequence of EVP calls
 * (grammar.c), which the evp layer runs on ctaes and on the default provider
 * (test/evp/sequence.c). What differs is shortened, printed as a sequence for
 * test/evp/run, and is a crash for libFuzzer.
 *
 * The module is the folder's ctaes.so, built with coverage counters: libFuzzer
 * keeps what reaches new code in it. The harness and libcrypto have none.
 */
#include "grammar.h"
#include "subjects.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *folder = getenv("FUZZ_FOLDER");
    (void)argc;
    (void)argv;
    open_subjects(folder != NULL ? folder : "build-fuzz", getenv("FUZZ_CORE"));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct program p;

    decode_program(&p, bytes, len);
    choose_subject(p.core);
    if (run_text(p.text, p.probing))
        return 0;
    report_text(p.text, p.probing);
    fflush(stdout);
    abort();
}
