/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The evp layer: the same EVP calls on ctaes and on the default provider.
 *
 *     text of a sequence ──parse──▶ steps ──▶ side "default" ──▶ record ┐
 *                                        └──▶ side "ctaes"   ──▶ record ┴─▶ equal?
 *
 * A sequence is one line of text, "AES-128-GCM: init e alg k0 i0; up 32; fin". Each
 * step of it is one EVP call. It runs on both sides, each of which has its own
 * library context, and everything that the caller can see of it goes into a
 * record: return value, *outl, the whole output buffer, the error queue. The
 * two records must be equal, byte for byte. The default provider's behaviour
 * is the contract; what ctaes does otherwise on purpose is a row of the table
 * in differences.c, and nothing else is excused.
 *
 *   record.h   what one side was seen to do       script.h   sequences, and what they work on
 *   sides.h    the two library contexts           compare.h  running both, telling them apart
 *
 * The cases are in cases_*.c and random.c. What can't be put as a comparison of
 * two sequences has files of its own, below after run_random.
 */
#ifndef CTAES_TEST_EVP_H
#define CTAES_TEST_EVP_H

#include "compare.h"
#include "record.h"
#include "script.h"
#include "sides.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include <stdio.h>

/* The sequences that somebody thought of, by topic. */
void run_cases_common(void);
void run_cases_block(void);
void run_cases_ctr(void);
void run_cases_feedback(void);
void run_cases_cts(void);
void run_cases_gcm(void);
void run_cases_ccm(void);
void run_cases_ocb(void);
void run_cases_tls(void);
void run_cases_records(void);
void run_cases_params(void);
void run_cases_siv(void);
void run_cases_wrap(void);
void run_cases_protocols(void);

/* That ctaes has all AES of the default provider. */
void run_complete(void);

/* The MACs; between opening and closing the sides. */
void open_macs(void);
void close_macs(void);
bool is_mac_sequence(const char *text);
bool macs_agree(const char *text);
/* Runs one sequence, prints each step, and counts it. */
void show_mac_sequence(const char *text);
void run_cases_macs(void);
void run_random_macs(uint64_t seed, unsigned long count);
void run_cases_xts(void);
void run_xts_alone(const struct algorithm *a);

/* The random sequences 0 to count - 1 of a seed; only one of them unless only is ~0. */
void run_random(uint64_t seed, unsigned long count, unsigned long only);

/* folder: where ctaes.so is. core: its core under test. cores: all of them, up to NULL. */
void run_constants(void);
void run_ctaes_alone(void);
void run_records_alone(void);
void run_forged_alone(void);
void run_whole_alone(const struct algorithm *a);
void run_siv_alone(void);
void run_raw(void);
void run_skey(void);
void run_guards(void);
void run_secure(const char *folder, const char *core);
void run_host(const char *folder, const char *core);
void run_provider(const char *folder, const char *core, const char *const *cores);

#endif
