/* SPDX-License-Identifier: Apache-2.0 */
/* The table of topics: name, function, scope. A new test is a function and a row. */
#ifndef TOPICS_H
#define TOPICS_H

#include "unit.h"

#define CHAIN_MODES (BLOCK_MODES | STREAM_MODES)
#define ALL_MODES (CHAIN_MODES | AEAD_MODES | OWN_MODES)

/* What the calling convention demands, where its trampoline can be written. */
#if defined __x86_64__ && defined __LP64__
#    define CALL_TOPICS(X)                                                                         \
        X("calls-control", test_calls_control, ONCE)                                               \
        X("calls", test_calls, EACH_CORE | CHAIN_MODES | GCM_ONLY)                                 \
        X("own-calls", test_calls, EACH_CORE | OWN_MODES)
#else
#    define CALL_TOPICS(X)
#endif

#define TOPIC_LIST(X)                                                                              \
    X("ct-helpers", test_ct_helpers, ONCE)                                                         \
    X("byte-helpers", test_byte_helpers, ONCE)                                                     \
    X("tables", test_tables, ONCE)                                                                 \
    X("pkcs7", test_pkcs7, ONCE)                                                                   \
    X("tls-pad", test_tls_pad, ONCE)                                                               \
    X("tls-unpad", test_tls_unpad, ONCE)                                                           \
    X("reference-vectors", test_reference_vectors, ONCE)                                           \
    X("reference-field", test_reference_field, ONCE)                                               \
    X("vectors", test_vectors, EACH_CORE | ALL_MODES)                                              \
    X("doubling", test_doubling, ONCE)                                                             \
    X("mac-vectors", test_mac_vectors, EACH_CORE)                                                  \
    X("macs", test_macs, EACH_CORE | EACH_KEY_LENGTH)                                              \
    X("pmac-numbers", test_pmac_numbers, EACH_CORE | EACH_KEY_LENGTH)                              \
    X("wrap", test_wrap, EACH_CORE | EACH_KEY_LENGTH)                                              \
    X("monte-carlo", test_monte_carlo, EACH_CORE | BLOCK_MODES)                                    \
    X("key-setup", test_key_setup, EACH_CORE | EACH_KEY_LENGTH)                                    \
    X("key-bits", test_key_bits, EACH_CORE | EACH_KEY_LENGTH)                                      \
    X("blocks", test_blocks, EACH_CORE | EACH_KEY_LENGTH)                                          \
    X("offsets", test_offsets, EACH_CORE | EACH_KEY_LENGTH)                                        \
    X("ghash", test_ghash, EACH_CORE)                                                              \
    X("slots", test_own_slots, EACH_CORE | EACH_KEY_LENGTH)                                        \
    X("lengths", test_lengths, EACH_CORE | EACH_KEY_LENGTH | CHAIN_MODES)                          \
    X("splits", test_splits, EACH_CORE | EACH_KEY_LENGTH | CHAIN_MODES)                            \
    X("overlap", test_overlap, EACH_CORE | EACH_KEY_LENGTH | CHAIN_MODES | GCM_ONLY)               \
    X("own-slot-on-off", test_slot_on_off, EACH_CORE | OWN_MODES)                                  \
    X("slot-on-off", test_slot_on_off, EACH_CORE | EACH_KEY_LENGTH | CHAIN_MODES | GCM_ONLY)       \
    X("ctr-carry", test_ctr_carry, EACH_CORE | EACH_KEY_LENGTH | CTR_ONLY)                         \
    X("cfb1-bits", test_cfb1_bits, EACH_CORE | EACH_KEY_LENGTH)                                    \
    X("cts", test_cts, EACH_CORE | EACH_KEY_LENGTH)                                                \
    X("own-modes", test_own_modes, EACH_CORE | OWN_MODES)                                          \
    X("siv-components", test_siv_components, EACH_CORE)                                            \
    X("siv-limits", test_siv_limits, EACH_CORE)                                                    \
    X("gcm-siv-counter", test_gcm_siv_counter, EACH_CORE | EACH_KEY_LENGTH)                        \
    X("gcm-siv-aad", test_gcm_siv_aad, EACH_CORE | EACH_KEY_LENGTH)                                \
    X("gcm-siv-limits", test_gcm_siv_limits, EACH_CORE | EACH_KEY_LENGTH)                          \
    X("gcm-lengths", test_gcm_lengths, EACH_CORE | EACH_KEY_LENGTH | GCM_ONLY)                     \
    X("gcm-splits", test_gcm_splits, EACH_CORE | EACH_KEY_LENGTH | GCM_ONLY)                       \
    X("gcm-iv", test_gcm_iv, EACH_CORE | EACH_KEY_LENGTH | GCM_ONLY)                               \
    X("gcm-aad", test_gcm_aad, EACH_CORE | EACH_KEY_LENGTH | GCM_ONLY)                             \
    X("gcm-counter-wrap", test_gcm_counter_wrap, EACH_CORE | EACH_KEY_LENGTH | GCM_ONLY)           \
    X("gcm-limits", test_gcm_limits, EACH_CORE | GCM_ONLY)                                         \
    X("gcm-wiped", test_gcm_wiped, EACH_CORE | GCM_ONLY)                                           \
    X("ccm", test_ccm, EACH_CORE | EACH_KEY_LENGTH)                                                \
    X("ocb-iterated", test_ocb_iterated, EACH_CORE)                                                \
    X("ocb-pieces", test_ocb_pieces, EACH_CORE)                                                    \
    X("ocb-far", test_ocb_far, EACH_CORE)                                                          \
    X("xts-slots", test_xts_slots, EACH_CORE | EACH_KEY_LENGTH)                                    \
    X("xts-carries", test_xts_carries, EACH_CORE | EACH_KEY_LENGTH)                                \
    X("xts-overlap", test_xts_overlap, EACH_CORE | EACH_KEY_LENGTH)                                \
    X("xts-limits", test_xts_limits, EACH_CORE | EACH_KEY_LENGTH)                                  \
    CALL_TOPICS(X)

/* Some functions have two rows. */
#define X(name, function, scope) void function(const struct setup *s);
TOPIC_LIST(X)
#undef X

#endif
