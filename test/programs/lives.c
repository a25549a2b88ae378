/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to a module in the life of a process, beside encrypting: forks, threads, a change
 * of the root directory, unloading, and exits from everywhere. Prints what was done, and ends with
 * status 0 if all of it went right; test/programs/lives.py runs it.
 *
 *     lives fork                 workers that were forked before and after the first use
 *     lives threads              64 threads, contexts of their own and copies of one
 *     lives chroot FOLDER        the first encryption is in there
 *     lives reload MODULE N      loads the module, encrypts and unloads it N times
 *     lives exit N               one of several ways to leave with contexts alive
 *
 * Each piece of work encrypts and decrypts with AES-128-CTR, AES-256-GCM and AES-256-CBC, and
 * compares the ciphertext with a known one of NIST's.
 */
#define _GNU_SOURCE /* chroot */

#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/rand.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* SP 800-38A, F.2.5 and F.5.1, first blocks; the GCM specification's test case 14. */
static const unsigned char key128[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                         0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
static const unsigned char key256[32] = {
    0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77, 0x81,
    0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4};
static const unsigned char zeros[32];
static const unsigned char counter[16] = {0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7,
                                          0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff};
static const unsigned char up[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const unsigned char block[16] = {0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96,
                                        0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a};

static const struct {
    const char *name;
    const unsigned char *key, *iv, *plain;
    unsigned char cipher[16];
} answers[] = {
    {"AES-128-CTR",
     key128,
     counter,
     block,
     {0x87, 0x4d, 0x61, 0x91, 0xb6, 0x20, 0xe3, 0x26, 0x1b, 0xef, 0x68, 0x64, 0x99, 0x0d, 0xb6,
      0xce}},
    {"AES-256-CBC",
     key256,
     up,
     block,
     {0xf5, 0x8c, 0x4c, 0x04, 0xd6, 0xe5, 0xf1, 0xba, 0x77, 0x9e, 0xab, 0xfb, 0x5f, 0x7b, 0xfb,
      0xd6}},
    {"AES-256-GCM",
     zeros,
     zeros,
     zeros,
     {0xce, 0xa7, 0x40, 0x3d, 0x4d, 0x60, 0x6b, 0x6e, 0x07, 0x4e, 0xc5, 0xd3, 0xba, 0xf3, 0x9d,
      0x18}},
};
enum { NANSWERS = sizeof answers / sizeof answers[0], SIZE = 4096 };

static void fail(const char *what)
{
    fprintf(stderr, "failed: %s\n", what);
    ERR_print_errors_fp(stderr);
    _exit(1);
}

static void check(bool good, const char *what)
{
    if (!good)
        fail(what);
}

/* Encrypts the known block and what follows, and decrypts it. The contexts were given their cipher
 * and, if keyed, their key before. */
static void use(EVP_CIPHER_CTX *encryptor, EVP_CIPHER_CTX *decryptor, size_t i, bool keyed)
{
    unsigned char plain[SIZE] = {0}, secret[SIZE + 32], back[SIZE + 32], tag[16];
    bool gcm = strstr(answers[i].name, "GCM") != NULL;
    int n = 0, m = 0;

    memcpy(plain, answers[i].plain, 16);
    const unsigned char *key = keyed ? NULL : answers[i].key;
    check(EVP_EncryptInit_ex2(encryptor, NULL, key, answers[i].iv, NULL) == 1 &&
              EVP_EncryptUpdate(encryptor, secret, &n, plain, SIZE) == 1 &&
              EVP_EncryptFinal_ex(encryptor, secret + n, &m) == 1,
          answers[i].name);
    check(memcmp(secret, answers[i].cipher, 16) == 0, "the known answer");
    int length = n + m;
    if (gcm)
        check(EVP_CIPHER_CTX_ctrl(encryptor, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1, "the tag");
    check(EVP_DecryptInit_ex2(decryptor, NULL, answers[i].key, answers[i].iv, NULL) == 1 &&
              (!gcm || EVP_CIPHER_CTX_ctrl(decryptor, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1) &&
              EVP_DecryptUpdate(decryptor, back, &n, secret, length) == 1 &&
              EVP_DecryptFinal_ex(decryptor, back + n, &m) == 1,
          "decryption");
    check(n + m == SIZE && memcmp(back, plain, SIZE) == 0, "the same again");
}

static EVP_CIPHER_CTX *new_context(OSSL_LIB_CTX *library, size_t i, bool keyed)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, answers[i].name, NULL);
    check(cipher != NULL, answers[i].name);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    const unsigned char *key = keyed ? answers[i].key : NULL;
    check(EVP_EncryptInit_ex2(context, cipher, key, NULL, NULL) == 1, "init");
    EVP_CIPHER_free(cipher);
    return context;
}

static void work(OSSL_LIB_CTX *library)
{
    for (size_t i = 0; i < NANSWERS; i++) {
        EVP_CIPHER_CTX *encryptor = new_context(library, i, false);
        EVP_CIPHER_CTX *decryptor = new_context(library, i, false);
        use(encryptor, decryptor, i, false);
        EVP_CIPHER_CTX_free(encryptor);
        EVP_CIPHER_CTX_free(decryptor);
    }
}

/* --- Forks -----------------------------------------------------------------------------------
 */

static void wait_for_all(int n)
{
    for (int status; n > 0; n--)
        check(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child");
}

static void forks(void)
{
    enum { NCHILDREN = 16 };
    EVP_CIPHER_CTX *keyed[NANSWERS], *decryptor[NANSWERS];
    int ends[2];

    check(OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL) == 1, "the configuration");
    /* The module is loaded, and has done nothing yet. */
    for (int i = 0; i < NCHILDREN; i++)
        if (fork() == 0) {
            work(NULL);
            exit(0);
        }
    wait_for_all(NCHILDREN);
    /* Contexts with keys, which parent and children go on with. */
    for (size_t i = 0; i < NANSWERS; i++) {
        keyed[i] = new_context(NULL, i, true);
        decryptor[i] = new_context(NULL, i, false);
        use(keyed[i], decryptor[i], i, true);
    }
    check(pipe(ends) == 0, "pipe");
    for (int i = 0; i < NCHILDREN; i++)
        if (fork() == 0) {
            unsigned char random[16];
            for (size_t j = 0; j < NANSWERS; j++)
                use(keyed[j], decryptor[j], j, true);
            check(RAND_bytes(random, 16) == 1 && write(ends[1], random, 16) == 16, "random");
            exit(0); /* with all contexts alive */
        }
    wait_for_all(NCHILDREN);
    unsigned char random[NCHILDREN + 1][16];
    for (int i = 0; i < NCHILDREN; i++)
        check(read(ends[0], random[i], 16) == 16, "read");
    check(RAND_bytes(random[NCHILDREN], 16) == 1, "random");
    for (int i = 0; i <= NCHILDREN; i++)
        for (int j = 0; j < i; j++)
            check(memcmp(random[i], random[j], 16) != 0, "random numbers of their own");
    for (size_t i = 0; i < NANSWERS; i++) {
        use(keyed[i], decryptor[i], i, true);
        EVP_CIPHER_CTX_free(keyed[i]);
        EVP_CIPHER_CTX_free(decryptor[i]);
    }
    printf("%d children", 2 * NCHILDREN);
}

/* --- Threads ---------------------------------------------------------------------------------
 */

enum { NTHREADS = 64, NROUNDS = 20 };
static EVP_CIPHER_CTX *common[NANSWERS];

static void *run_thread(void *unused)
{
    for (int round = 0; round < NROUNDS; round++) {
        work(NULL);
        for (size_t i = 0; i < NANSWERS; i++) {
            EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();
            EVP_CIPHER_CTX *decryptor = new_context(NULL, i, false);
            check(EVP_CIPHER_CTX_copy(copy, common[i]) == 1, "copy");
            use(copy, decryptor, i, true);
            EVP_CIPHER_CTX_free(copy);
            EVP_CIPHER_CTX_free(decryptor);
        }
    }
    return unused;
}

static void threads(void)
{
    pthread_t thread[NTHREADS];

    for (size_t i = 0; i < NANSWERS; i++)
        common[i] = new_context(NULL, i, true);
    for (int i = 0; i < NTHREADS; i++)
        check(pthread_create(&thread[i], NULL, run_thread, NULL) == 0, "a thread");
    for (int i = 0; i < NTHREADS; i++)
        pthread_join(thread[i], NULL);
    for (size_t i = 0; i < NANSWERS; i++)
        EVP_CIPHER_CTX_free(common[i]);
    printf("%d threads", NTHREADS);
}

/* --- Loading and unloading -------------------------------------------------------------------
 */

/* Resident memory in KiB. */
static long memory(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    check(f != NULL && fscanf(f, "%ld %ld", &pages, &resident) == 2, "statm");
    fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void reload(const char *module, int n)
{
    long start = 0;
    for (int i = 0; i < n; i++) {
        OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
        OSSL_PROVIDER *provider = OSSL_PROVIDER_load(library, module);
        check(provider != NULL, "loading");
        size_t j = (size_t)i % NANSWERS;
        EVP_CIPHER_CTX *encryptor = new_context(library, j, true);
        EVP_CIPHER_CTX *decryptor = new_context(library, j, false);
        work(library);
        check(OSSL_PROVIDER_unload(provider) == 1, "unloading");
        /* Contexts outlive the last handle of their provider. */
        use(encryptor, decryptor, j, true);
        EVP_CIPHER_CTX_free(encryptor);
        EVP_CIPHER_CTX_free(decryptor);
        OSSL_LIB_CTX_free(library);
        if (i == n / 4)
            start = memory();
    }
    long growth = memory() - start;
    check(growth < 1024, "memory that stays");
    printf("%d times", n);
}

/* --- Exits -----------------------------------------------------------------------------------
 */

static EVP_CIPHER_CTX *left[2];

static void use_at_exit(void)
{
    use(left[0], left[1], 1, true);
}

static void *exit_in_thread(void *unused)
{
    usleep(2000);
    exit(0);
    return unused;
}

static void exits(int way)
{
    pthread_t thread;

    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
    /* Registered after OpenSSL's handler, so called before it. */
    if (way == 1)
        atexit(use_at_exit);
    left[0] = new_context(NULL, 1, true);
    left[1] = new_context(NULL, 1, false);
    use(left[0], left[1], 1, true);
    switch (way) {
    case 2: /* freed before the cleanup that the program asks for */
        EVP_CIPHER_CTX_free(left[0]);
        EVP_CIPHER_CTX_free(left[1]);
        OPENSSL_cleanup();
        break;
    case 3: /* while this thread works. (A fetch, too, would be more than libcrypto can bear.) */
        check(pthread_create(&thread, NULL, exit_in_thread, NULL) == 0, "a thread");
        for (;;)
            use(left[0], left[1], 1, true);
    case 4: { /* a second library context, freed after the first use of the default one */
        OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
        check(OSSL_LIB_CTX_load_config(library, getenv("OPENSSL_CONF")) == 1, "second config");
        work(library);
        OSSL_LIB_CTX_free(library);
        work(NULL);
        break;
    }
    case 5:
        _exit(0);
    default: /* 0: with contexts that nobody frees */
        break;
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "fork") == 0)
        forks();
    else if (strcmp(what, "threads") == 0)
        threads();
    else if (strcmp(what, "chroot") == 0 && argc == 3) {
        check(OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL) == 1, "the configuration");
        check(chroot(argv[2]) == 0 && chdir("/") == 0 && access("/proc", F_OK) != 0, "chroot");
        work(NULL);
        printf("inside");
    } else if (strcmp(what, "reload") == 0 && argc == 4)
        reload(argv[2], atoi(argv[3]));
    else if (strcmp(what, "exit") == 0 && argc == 3)
        exits(atoi(argv[2]));
    else {
        fprintf(stderr, "usage: lives fork | threads | chroot FOLDER | reload MODULE N | exit N\n");
        return 2;
    }
    return 0;
}
