/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between AES modes and the code that runs on one kind of CPU.
 *
 * A core is AES and GHASH for one instruction set: a table of functions that
 * work on blocks of 16 bytes, and nothing else. It knows no mode's state, no
 * OpenSSL type, no other core. A mode hands over all the blocks that it has
 * and that don't depend on each other, so that a wide core can work on many of
 * them at once; how wide it is stays the core's own affair.
 *
 * Rules that hold for every function below:
 *
 *  - nblocks counts blocks of 16 bytes, len counts bytes. Both are public, and
 *    both may be 0, which does nothing.
 *  - out may equal in, or start anywhere before it: input is read before output
 *    is written over it. Any other overlap of out with in, or of either with the
 *    key, the IV, the counter or the hash, is the caller's mistake.
 *  - out, in, and every array of bytes may have any alignment. Key structures
 *    are aligned to CTAES_ALIGN bytes, so that wide loads need not cross a
 *    cache line.
 *  - Nothing can fail: the caller has checked all lengths.
 *  - Keys, schedules, H, hash values, plaintext and keystream are secret: no
 *    branch, no address, no division and no variable shift depends on them, in
 *    key setup either. Counters are treated as secret too, since GCM derives
 *    them from H where the IV isn't 96 bits long. IVs, lengths and pointers are
 *    public.
 *  - Key structures are flat: no pointers inside, so that copying the bytes to
 *    another aligned place copies the key, and wiping the bytes destroys it.
 *  - Functions wipe the arrays in which they kept secrets (see ct_wipe), and
 *    the bitsliced and the vector-permute cores all of the stack that they used.
 *    Vector registers stay as they are: the provider clears them (registers.h).
 *
 * Sources: FIPS 197 (AES), SP 800-38A (CBC, CTR), SP 800-38D (GCM), IEEE 1619 (XTS).
 */
#ifndef CTAES_CORE_H
#define CTAES_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes that gcm_short takes. */
#define CTAES_SHORT 64

/* Alignment in bytes of the two key structures: one cache line. */
#define CTAES_ALIGN 64

/* An expanded AES key and an expanded GHASH key. Each core has its own format
   and size (key_size, ghash_size); no other core can use it. */
struct ctaes_aes_key;
struct ctaes_ghash_key;

struct ctaes_core {
    /* The name by which users choose and see the core: [a-z0-9], at most 15. */
    const char *name;

    /* CPU features that the core needs, CTAES_CPU_* of cpu.h; 0: none. */
    uint32_t features;

    /* The number of blocks that the widest loop of encrypt, decrypt, ctr32 or
       ghash works on at once: what tests must exceed, and what a mode fills
       when it collects blocks before it calls. A power of two, 1 to 256. */
    uint32_t batch;

    size_t key_size;   /* bytes of a struct ctaes_aes_key */
    size_t ghash_size; /* bytes of a struct ctaes_ghash_key */

    /* Expands the AES key k of k_len = 16, 24 or 32 bytes for encryption.
       Writes the whole of key. k is secret. */
    void (*expand_key)(struct ctaes_aes_key *key, const uint8_t *k, size_t k_len);

    /* Adds to an expanded key what decrypt and cbc_decrypt need; encryption
       with the same key goes on working. To be called once before the first
       decryption; calling it again is harmless. NULL: decryption needs no
       more than expand_key gives. */
    void (*prepare_decrypt)(struct ctaes_aes_key *key);

    /* Encrypts (decrypts) nblocks independent blocks: ECB. Secret: in, out. */
    void (*encrypt)(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks);
    void (*decrypt)(const struct ctaes_aes_key *key, uint8_t *out, const uint8_t *in,
                    size_t nblocks);

    /* Expands the hash key h = E(K, 0^128) for ghash. h is secret. */
    void (*ghash_init)(struct ctaes_ghash_key *hk, const uint8_t h[16]);

    /* Updates y to GHASH's next state over nblocks blocks of in
       (SP 800-38D section 6.4: for each block x, y = (y ^ x) * H). y is in the
       standard's byte order. hk may be updated: powers of H that only long
       inputs need are computed when first used. Secret: y, and in where it
       isn't ciphertext or AAD. */
    void (*ghash)(struct ctaes_ghash_key *hk, uint8_t y[16], const uint8_t *in, size_t nblocks);

    /*
     * Optional functions. NULL: the mode's own loop over the functions above
     * is used, with the same result. A core has one only where it has been
     * measured to be faster.
     */

    /* CBC over nblocks blocks. iv: on entry the previous ciphertext block, on
       return the last one (SP 800-38A section 6.2). */
    void (*cbc_encrypt)(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                        const uint8_t *in, size_t nblocks);
    void (*cbc_decrypt)(const struct ctaes_aes_key *key, uint8_t iv[16], uint8_t *out,
                        const uint8_t *in, size_t nblocks);

    /* XORs len bytes of in with the keystream E(ctr), E(ctr + 1), ... where
       the addition is modulo 2^32 in the last four bytes, big-endian
       (SP 800-38D inc_32; CTR mode splits its runs where it must carry).
       On return ctr has advanced by the whole blocks used, len / 16; a last
       partial block used the head of E(ctr) for that ctr. */
    void (*ctr32)(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t *out, const uint8_t *in,
                  size_t len);

    /* ctr32 over len bytes, and GHASH over the len / 16 whole blocks of
       ciphertext (out when encrypting, in when decrypting) in one pass.
       If ej0 isn't NULL it holds J0 on entry and E(K, J0) on return. A last
       partial block is encrypted but not hashed. */
    void (*gcm_encrypt)(const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,
                        uint8_t ctr[16], uint8_t y[16], uint8_t *ej0, uint8_t *out,
                        const uint8_t *in, size_t len);
    void (*gcm_decrypt)(const struct ctaes_aes_key *key, struct ctaes_ghash_key *hk,
                        uint8_t ctr[16], uint8_t y[16], uint8_t *ej0, uint8_t *out,
                        const uint8_t *in, size_t len);

    /* For a short message, which GCM hashes as a whole when it ends: ctr32 over
       len bytes, 1 to CTAES_SHORT, and E(K, J0) in the place of J0 in ej0. ct
       gets the ciphertext, which is out when encrypting and in when decrypting,
       and zeros to the end of its last block; it overlaps nothing else. */
    void (*gcm_short)(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t ej0[16],
                      uint8_t *ct, uint8_t *out, const uint8_t *in, size_t len, bool encrypting);

    /* ctr32 over nblocks blocks, and CBC-MAC over the same blocks of plaintext
       (in when encrypting, out when decrypting) in one pass: for each block p,
       mac = E(mac ^ p) (SP 800-38C section 6). */
    void (*ccm_encrypt)(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t mac[16],
                        uint8_t *out, const uint8_t *in, size_t nblocks);
    void (*ccm_decrypt)(const struct ctaes_aes_key *key, uint8_t ctr[16], uint8_t mac[16],
                        uint8_t *out, const uint8_t *in, size_t nblocks);

    /* Encrypts (decrypts) nblocks blocks, each xored before and after with
       offset and with its own of the nblocks blocks at masks; sum is xored with
       each block of plaintext (RFC 7253 sections 4.2 and 4.3). All are secret. */
    void (*ocb_encrypt)(const struct ctaes_aes_key *key, const uint8_t *masks,
                        const uint8_t offset[16], uint8_t sum[16], uint8_t *out, const uint8_t *in,
                        size_t nblocks);
    void (*ocb_decrypt)(const struct ctaes_aes_key *key, const uint8_t *masks,
                        const uint8_t offset[16], uint8_t sum[16], uint8_t *out, const uint8_t *in,
                        size_t nblocks);

    /* XTS over the first nblocks blocks of a data unit (IEEE 1619-2018 section
       5.3): each is encrypted (decrypted) between two additions of its tweak,
       which for the first is the IV encrypted under tweak_key, for each other
       the one before it times x. tweak: on entry the IV, on return the tweak of
       the block after the last one, also if nblocks is 0; secret then. */
    void (*xts_encrypt)(const struct ctaes_aes_key *key, const struct ctaes_aes_key *tweak_key,
                        uint8_t tweak[16], uint8_t *out, const uint8_t *in, size_t nblocks);
    void (*xts_decrypt)(const struct ctaes_aes_key *key, const struct ctaes_aes_key *tweak_key,
                        uint8_t tweak[16], uint8_t *out, const uint8_t *in, size_t nblocks);
};

/* The cores of this build, best first, ended by NULL (cores.c). Each of them
   can be called only where ctaes_cpu_features has all of its features. */
extern const struct ctaes_core *const ctaes_cores[];

/* Returns the core of that name, or NULL if this build has none. */
const struct ctaes_core *ctaes_core_by_name(const char *name);

#endif
