/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module files that are no modules: empty, cut off, text, for another machine,
 * without the entry point, a folder, unreadable. OpenSSL says that it can't load
 * the module, and the program goes on with the default provider.
 *
 * Each is tried in a child of its own. The dynamic loader maps a file that was
 * cut off inside its segments without looking at its length, and dies of SIGBUS
 * (glibc does; nothing of the module runs before). That is told from failures
 * here, counted, and said in docs/reliability.md.
 */
#include "faults.h"

#include <elf.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long tried, by_loader;

static uint8_t *module;
static size_t module_len;
static char place[PATH_MAX - 16], file[PATH_MAX];

static bool read_module(void)
{
    snprintf(file, sizeof file, "%s/ctaes.so", folder);
    FILE *f = fopen(file, "rb");
    struct stat about;
    if (f == NULL || fstat(fileno(f), &about) != 0)
        return false;
    module_len = (size_t)about.st_size;
    module = malloc(module_len);
    const bool good = module != NULL && fread(module, 1, module_len, f) == module_len;
    fclose(f);
    return good && module_len > sizeof(Elf64_Ehdr);
}

static void write_file(const void *data, size_t len)
{
    unlink(file);
    rmdir(file);
    FILE *f = fopen(file, "wb");
    if (f == NULL || fwrite(data, 1, len, f) != len || fclose(f) != 0) {
        perror(file);
        exit(2);
    }
}

/* What a program sees: 0 refused and goes on, 1 loaded and right, others are wrong. */
static int try_in_child(void)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGBUS, SIG_DFL);
        OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
        OSSL_PROVIDER_set_default_search_path(libctx, place);
        OSSL_PROVIDER *ctaes = OSSL_PROVIDER_load(libctx, "ctaes");
        const bool said = ERR_peek_error() != 0;
        OSSL_PROVIDER *standard = OSSL_PROVIDER_load(libctx, "default");
        EVP_CIPHER *cipher =
            EVP_CIPHER_fetch(libctx, "AES-128-CBC", ctaes != NULL ? "provider=ctaes" : NULL);
        struct algorithm alg = {.name = "AES-128-CBC", .cipher = cipher};
        struct message m = {.alg = &alg};
        const bool works = standard != NULL && cipher != NULL && finish_message(&m, 0);
        _exit(!works ? 3 : ctaes != NULL ? 1 : said ? 0 : 2);
    }
    int status = 0;
    tried++;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 4;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void check_refused(const char *what)
{
    const int seen = try_in_child();
    check(seen == 0, "a module file that is %s: %d", what, seen);
}

/* Where the last loadable segment ends in the file. */
static size_t find_end(void)
{
    size_t end = 0;
    Elf64_Ehdr head;
    memcpy(&head, module, sizeof head);
    for (size_t i = 0; head.e_ident[EI_CLASS] == ELFCLASS64 && i < head.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, module + head.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_LOAD && segment.p_offset + segment.p_filesz > end)
            end = segment.p_offset + segment.p_filesz;
    }
    return end;
}

/* Cut off at lengths all over the file. */
static void check_cuts(void)
{
    const size_t end = find_end();
    static const size_t few[] = {0, 1, 4, 16, 63, 64, 65, 120, 200, 500, 831};
    for (size_t i = 0; i < 48; i++) {
        const size_t nfew = sizeof few / sizeof few[0];
        const size_t len = i < nfew ? few[i] : (i - nfew + 1) * module_len / (48 - nfew + 1);
        write_file(module, len);
        const int seen = try_in_child();
        if (seen == -SIGBUS && len >= sizeof(Elf64_Ehdr) && len < end)
            by_loader++;
        else
            /* Behind its segments, a file has only what debuggers read. */
            check(seen == 0 || (seen == 1 && len >= end), "a module cut off after %zu of %zu: %d",
                  len, module_len, seen);
    }
}

static void check_header(const char *what, size_t offset, const void *value, size_t len)
{
    uint8_t *copy = malloc(module_len);
    if (copy == NULL)
        abort();
    memcpy(copy, module, module_len);
    memcpy(copy + offset, value, len);
    write_file(copy, module_len);
    check_refused(what);
    free(copy);
}

void check_files(void)
{
    snprintf(place, sizeof place, "%s/test/faults/modules", folder);
    if (!check(read_module(), "%s can't be read", file))
        return;
    mkdir(place, 0777);
    snprintf(file, sizeof file, "%s/ctaes.so", place);

    write_file(module, module_len);
    check(try_in_child() == 1, "a copy of the module");
    check_cuts();

    const uint16_t other = module[EI_DATA] == ELFDATA2MSB ? EM_X86_64 : EM_S390;
    const uint8_t other_class = module[EI_CLASS] == ELFCLASS64 ? ELFCLASS32 : ELFCLASS64;
    const uint8_t other_order = module[EI_DATA] == ELFDATA2LSB ? ELFDATA2MSB : ELFDATA2LSB;
    const uint16_t program = ET_REL;
    check_header("for another machine", offsetof(Elf64_Ehdr, e_machine), &other, sizeof other);
    check_header("of another word size", EI_CLASS, &other_class, 1);
    check_header("of another byte order", EI_DATA, &other_order, 1);
    check_header("of another kind", offsetof(Elf64_Ehdr, e_type), &program, sizeof program);
    check_header("without ELF's mark", 0, "\177elf", 4);
    static const char text[] = "/* GNU ld script */\nINPUT(-lctaes)\n";
    write_file(text, sizeof text - 1);
    check_refused("text");
    write_file(tape, sizeof tape);
    check_refused("random bytes");
    unlink(file);
    check_refused("not there");
    mkdir(file, 0777);
    check_refused("a folder");
    rmdir(file);
    check(symlink("/lib/x86_64-linux-gnu/libc.so.6", file) == 0 && try_in_child() == 0,
          "a library without the entry point");
    unlink(file);
    rmdir(place);
    free(module);
    figure("module files that were cut off, foreign or no modules", tried);
    figure("of these, cut off so that the dynamic loader itself dies (SIGBUS)", by_loader);
}
