/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctaes-check: does ctaes do this configuration's AES, and if not, why not?
 *
 * OpenSSL says nothing when it can't read its configuration, or when a module
 * that is named there can't be loaded: programs run on with another provider.
 * This command starts libcrypto as any program does, asks it who serves each
 * AES algorithm, and looks for what is known to go wrong. docs/ctaes-check.1 is
 * its manual page.
 *
 * Exit status: 0 all AES goes to ctaes, 1 some doesn't, 2 wrong usage.
 */
#define _GNU_SOURCE /* secure_getenv, getline */

#include "beside.h"

#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* --- What was found -----------------------------------------------------------------------------
 */

enum level { NOTE, WARNING, ERROR };

/* One pitfall, and what to do about it. */
struct finding {
    enum level level;
    char id[24]; /* for programs: stays the same between versions */
    char text[700];
};

enum { MAX_FINDINGS = 32, MAX_ALGORITHMS = 128, MAX_INSTANCES = 8 };

struct algorithm {
    char name[40];
    char provider[40]; /* whom a program gets; "" if nobody */
    bool by_ctaes;
};

struct instance {
    char name[40]; /* under which it is activated */
    char version[24];
    char core[24];
    char passed_over[1280];
    int secure_memory;
};

static struct {
    char config[512]; /* the file that libcrypto reads; "" if none */
    char module[512]; /* the file of ctaes as it is mapped; "" if it isn't */
    bool config_names_ctaes;
    char configured_module[512]; /* what the configuration gives; "" if nothing */
    bool default_active;
    struct instance instances[MAX_INSTANCES];
    size_t ninstances;
    struct algorithm algorithms[MAX_ALGORITHMS];
    size_t nalgorithms, nserved;
    bool macs_left; /* the configuration says `macs = no` */
    struct beside macs[MACS], skeymgmts[SKEYMGMTS];
    size_t nskeymgmts;
    struct finding findings[MAX_FINDINGS];
    size_t nfindings;
} report;

__attribute__((format(printf, 3, 4))) static void find(enum level level, const char *id,
                                                       const char *format, ...)
{
    if (report.nfindings == MAX_FINDINGS)
        return;
    struct finding *f = &report.findings[report.nfindings++];
    va_list args;
    va_start(args, format);
    f->level = level;
    snprintf(f->id, sizeof f->id, "%s", id);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
}

static void copy_text(char *out, size_t size, const char *text)
{
    snprintf(out, size, "%s", text != NULL ? text : "");
}

/* --- The configuration ---------------------------------------------------------------------------
 */

/* Looks at the sections that activate providers: the names are the administrator's choice, so they
   are followed from the file's head. Returns ctaes's section, NULL if there is none; *has_default
   says whether the default provider is activated. */
static const char *find_sections(const CONF *conf, const char *start, bool *has_default)
{
    const char *found = NULL;
    const char *providers = NCONF_get_string(conf, start, "providers");
    STACK_OF(CONF_VALUE) *lines = providers != NULL ? NCONF_get_section(conf, providers) : NULL;
    *has_default = false;
    for (int i = 0; i < sk_CONF_VALUE_num(lines); i++) {
        const CONF_VALUE *line = sk_CONF_VALUE_value(lines, i);
        const char *module = NCONF_get_string(conf, line->value, "module");
        const char *name =
            strrchr(line->name, '.') != NULL ? strrchr(line->name, '.') + 1 : line->name;
        if (strcmp(name, "default") == 0)
            *has_default = NCONF_get_string(conf, line->value, "activate") != NULL;
        if (strcmp(name, "ctaes") == 0 || (module != NULL && strstr(module, "ctaes.so") != NULL))
            found = line->value;
    }
    return found;
}

static void check_module(const CONF *conf, const char *section)
{
    const char *module = NCONF_get_string(conf, section, "module");
    copy_text(report.configured_module, sizeof report.configured_module, module);
    if (NCONF_get_string(conf, section, "activate") == NULL)
        find(ERROR, "not-activated",
             "The section [%s] has no `activate = 1`, so ctaes isn't loaded. Add that line.",
             section);
    if (module == NULL || module[0] != '/')
        find(NOTE, "module-by-name",
             "The section [%s] has no full path of the module. Programs that bring their own "
             "OpenSSL (Node.js, many Python packages) look in a folder of their own and don't find "
             "it. Add `module = /full/path/to/ctaes.so`.",
             section);
    else if (access(module, R_OK) != 0)
        find(ERROR, "module-missing", "The module %s can't be read: %s. Correct the path in [%s].",
             module, strerror(errno), section);
}

/* `macs = no`, in the words that the module knows for it. */
static void check_macs(const CONF *conf, const char *section)
{
    static const char *const no[] = {"no", "off", "false", "0"};
    const char *macs = NCONF_get_string(conf, section, "macs");
    for (size_t i = 0; macs != NULL && i < sizeof no / sizeof no[0]; i++)
        report.macs_left = report.macs_left || strcasecmp(macs, no[i]) == 0;
    if (report.macs_left)
        find(NOTE, "macs-left",
             "The section [%s] has `macs = %s`: CMAC and GMAC stay the default provider's, which "
             "does their AES with the ciphers of whom is preferred. PMAC isn't there.",
             section, macs);
}

static void check_properties(const CONF *conf, const char *start)
{
    const char *section = NCONF_get_string(conf, start, "alg_section");
    const char *properties =
        section != NULL ? NCONF_get_string(conf, section, "default_properties") : NULL;
    if (properties == NULL) {
        find(WARNING, "no-preference",
             "Nothing says whom to prefer, so it depends on the order in which a program names its "
             "providers. Add `default_properties = ?provider=ctaes` to the section that "
             "`alg_section` names.");
        return;
    }
    const char *wish = strstr(properties, "provider=ctaes");
    if (strstr(properties, "fips=yes") != NULL)
        find(WARNING, "fips",
             "default_properties asks for `fips=yes`: ctaes isn't a validated module and doesn't "
             "claim to be, so it isn't used.");
    else if (wish == NULL)
        find(WARNING, "no-preference",
             "default_properties is `%s`, which doesn't prefer ctaes. Make it `?provider=ctaes`.",
             properties);
    else if (wish == properties || wish[-1] != '?')
        find(ERROR, "demanded",
             "default_properties demands ctaes for everything: digests, random numbers and keys "
             "are unavailable. Write `?provider=ctaes`, with the question mark.");
}

static void read_config(void)
{
    const char *path = secure_getenv("OPENSSL_CONF");
    char *standard = NULL;
    if (path == NULL || path[0] == '\0')
        path = standard = CONF_get1_default_config_file();
    copy_text(report.config, sizeof report.config, path);
    OPENSSL_free(standard);

    long line = 0;
    CONF *conf = NCONF_new(NULL);
    if (conf == NULL || access(report.config, R_OK) != 0 ||
        NCONF_load(conf, report.config, &line) != 1) {
        if (line > 0)
            find(ERROR, "config-wrong", "%s isn't a configuration: see its line %ld.",
                 report.config, line);
        else
            find(ERROR, "config-missing", "%s can't be read: %s.", report.config, strerror(errno));
        NCONF_free(conf);
        return;
    }
    const char *start = NCONF_get_string(conf, NULL, "openssl_conf");
    const char *node = NCONF_get_string(conf, NULL, "nodejs_conf");
    bool has_default = false;
    const char *section = start != NULL ? find_sections(conf, start, &has_default) : NULL;
    report.config_names_ctaes = section != NULL;
    if (section == NULL) {
        find(ERROR, "not-configured",
             "%s doesn't name ctaes among its providers. Add `.include` of ctaes-include.cnf as "
             "its last line, or say OPENSSL_CONF=.../ctaes.cnf for one program.",
             report.config);
    } else {
        check_module(conf, section);
        check_macs(conf, section);
        check_properties(conf, start);
        if (!has_default)
            find(ERROR, "no-default",
                 "The default provider isn't activated beside ctaes: no digests, no random "
                 "numbers, no keys. Add a section for it with `activate = 1`.");
        if (node == NULL)
            find(NOTE, "no-nodejs",
                 "There is no line `nodejs_conf = %s`: Node.js doesn't look at openssl_conf, "
                 "unless it is started with --openssl-shared-config.",
                 start);
    }
    NCONF_free(conf);
    ERR_clear_error(); /* each value that isn't there has left an entry */
}

/* --- The process ---------------------------------------------------------------------------------
 */

static void check_environment(void)
{
    const char *core = getenv("CTAES_CORE"), *mask = getenv("OPENSSL_ia32cap");
    const char *conf = getenv("OPENSSL_CONF"), *modules = getenv("OPENSSL_MODULES");
    if (core != NULL && core[0] != '\0')
        find(NOTE, "core-chosen", "CTAES_CORE=%s in the environment chooses the core.", core);
    if (mask != NULL)
        find(NOTE, "cpu-masked",
             "OPENSSL_ia32cap=%s in the environment hides features of the CPU, from ctaes too.",
             mask);
    if (conf != NULL)
        find(NOTE, "secure-processes",
             "OPENSSL_CONF is ignored by programs that run with more rights than their user has "
             "(setuid, setgid, file capabilities): those read the system's file.");
    if (modules != NULL)
        find(NOTE, "modules-folder",
             "OPENSSL_MODULES=%s is where modules are looked for, all of "
             "them.",
             modules);
}

/* Whether the kernel starts the program with more rights than its user has, so that libcrypto
   ignores the environment there. */
static void check_program(const char *program)
{
    struct stat facts;
    if (stat(program, &facts) != 0) {
        find(ERROR, "program-missing", "%s: %s.", program, strerror(errno));
        return;
    }
    bool capable = getxattr(program, "security.capability", NULL, 0) > 0;
    if ((facts.st_mode & (S_ISUID | S_ISGID)) != 0 || capable)
        find(WARNING, "program-secure",
             "%s runs with more rights than its user has (%s): it ignores OPENSSL_CONF, "
             "OPENSSL_MODULES and CTAES_CORE. Only the system's configuration reaches it.",
             program, capable ? "file capabilities" : "setuid or setgid");
}

/* The file behind the mapped module. */
static void find_module(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t size = 0;
    while (maps != NULL && getline(&line, &size, maps) > 0) {
        char *path = strchr(line, '/');
        if (path != NULL && strstr(path, "ctaes.so") != NULL) {
            path[strcspn(path, "\n")] = '\0';
            copy_text(report.module, sizeof report.module, path);
            break;
        }
    }
    free(line);
    if (maps != NULL)
        fclose(maps);
}

/* --- The providers -------------------------------------------------------------------------------
 */

static int visit_provider(OSSL_PROVIDER *provider, void *unused)
{
    (void)unused;
    const char *name = OSSL_PROVIDER_get0_name(provider);
    if (strcmp(name, "default") == 0)
        report.default_active = true;
    if (!is_ctaes(provider) || report.ninstances == MAX_INSTANCES)
        return 1;
    struct instance *instance = &report.instances[report.ninstances++];
    char *version = NULL, *core = NULL, *passed_over = NULL;
    OSSL_PARAM query[] = {
        OSSL_PARAM_utf8_ptr("version", &version, 0), OSSL_PARAM_utf8_ptr("core", &core, 0),
        OSSL_PARAM_utf8_ptr("cores-passed-over", &passed_over, 0),
        OSSL_PARAM_int("secure-memory", &instance->secure_memory), OSSL_PARAM_END};
    OSSL_PROVIDER_get_params(provider, query);
    copy_text(instance->name, sizeof instance->name, name);
    copy_text(instance->version, sizeof instance->version, version);
    copy_text(instance->core, sizeof instance->core, core);
    copy_text(instance->passed_over, sizeof instance->passed_over, passed_over);
    return 1;
}

/* Loads the module once more, where nobody swallows the error, and tells that. */
static void explain_failed_load(void)
{
    char folder[sizeof report.configured_module], errors[500] = "";
    copy_text(folder, sizeof folder, report.configured_module);
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        *slash = '\0';
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new();
    ERR_clear_error();
    if (libctx != NULL &&
        (slash == NULL || OSSL_PROVIDER_set_default_search_path(libctx, folder) == 1) &&
        OSSL_PROVIDER_load(libctx, "ctaes") != NULL)
        snprintf(errors, sizeof errors, "a second attempt worked");
    /* What the module says itself comes first; what libcrypto adds tells less. */
    const char *data = NULL;
    unsigned long e = ERR_get_error_all(NULL, NULL, NULL, &data, NULL);
    const char *reason = e != 0 ? ERR_reason_error_string(e) : NULL;
    if (e != 0)
        snprintf(errors, sizeof errors, "%s",
                 data != NULL && data[0] != '\0' ? data
                 : reason != NULL                ? reason
                                                 : "an error without a text");
    ERR_clear_error();
    OSSL_LIB_CTX_free(libctx);
    find(ERROR, "not-loaded", "The configuration names ctaes, but it can't be loaded: %s.",
         errors[0] != '\0' ? errors : "libcrypto gives no reason");
}

/* --- The algorithms ------------------------------------------------------------------------------
 */

/* Adds an algorithm that programs may ask for by this name, with whoever serves it. */
static void add_algorithm(const char *name, const OSSL_PROVIDER *provider)
{
    if (report.nalgorithms == MAX_ALGORITHMS)
        return;
    struct algorithm *a = &report.algorithms[report.nalgorithms++];
    copy_text(a->name, sizeof a->name, name);
    copy_text(a->provider, sizeof a->provider,
              provider != NULL ? OSSL_PROVIDER_get0_name(provider) : "");
    a->by_ctaes = provider != NULL && is_ctaes(provider);
    report.nserved += a->by_ctaes;
}

static void visit_cipher(EVP_CIPHER *found, void *unused)
{
    (void)unused;
    const char *name = EVP_CIPHER_get0_name(found);
    /* The ciphers with a hash inside stay the default provider's: it has them only where the CPU
       has AES instructions, and they are constant time. */
    if (strncmp(name, "AES-", 4) != 0 || strstr(name, "-HMAC-") != NULL)
        return;
    for (size_t i = 0; i < report.nalgorithms; i++)
        if (strcmp(report.algorithms[i].name, name) == 0)
            return;
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
    add_algorithm(name, cipher != NULL ? EVP_CIPHER_get0_provider(cipher) : NULL);
    EVP_CIPHER_free(cipher);
}

static int compare_algorithms(const void *a, const void *b)
{
    return strcmp(((const struct algorithm *)a)->name, ((const struct algorithm *)b)->name);
}

static void ask_for_algorithms(void)
{
    EVP_CIPHER_do_all_provided(NULL, visit_cipher, NULL);
    qsort(report.algorithms, report.nalgorithms, sizeof report.algorithms[0], compare_algorithms);
    ERR_clear_error();
}

static void judge(void)
{
    if (report.config_names_ctaes && report.ninstances == 0)
        explain_failed_load();
    if (!report.default_active)
        find(ERROR, "default-inactive",
             "The default provider isn't active: there are no digests, random numbers or keys.");
    bool secure_memory = false;
    for (size_t i = 0; i < report.ninstances; i++)
        secure_memory |= report.instances[i].secure_memory != 0;
    if (secure_memory)
        find(WARNING, "secure-memory",
             "secure_memory is set: programs that don't set up OpenSSL's secure heap "
             "(CRYPTO_secure_malloc_init), such as the openssl command, get an error instead of "
             "AES.");
    if (report.ninstances > 0 && report.nserved < report.nalgorithms) {
        size_t shown = 0;
        char names[400] = "";
        for (size_t i = 0; i < report.nalgorithms && shown < 6; i++)
            if (!report.algorithms[i].by_ctaes) {
                size_t used = strlen(names);
                snprintf(names + used, sizeof names - used, "%s%s (%s)", shown++ > 0 ? ", " : "",
                         report.algorithms[i].name,
                         report.algorithms[i].provider[0] != '\0' ? report.algorithms[i].provider
                                                                  : "nobody");
            }
        size_t others = report.nalgorithms - report.nserved;
        find(ERROR, "not-preferred", "%zu algorithms don't go to ctaes: %s%s.", others, names,
             others > shown ? ", ..." : "");
    }
}

/* MACs, which count as AES that goes to ctaes if ctaes does their AES, by whatever way; and keys,
   which must come from where the ciphers do. */
static void judge_beside(void)
{
    for (size_t i = 0; i < MACS && report.ninstances > 0; i++) {
        const struct beside *mac = &report.macs[i];
        if (!mac->aes_by_ctaes)
            find(ERROR, "mac-not-preferred",
                 "%s doesn't go to ctaes, nor does its AES: %s serves it.", mac->name,
                 mac->provider[0] != '\0' ? mac->provider : "nobody");
        else if (!mac->by_ctaes && !report.macs_left)
            find(NOTE, "mac-elsewhere", "%s is %s's, with the AES of ctaes inside.", mac->name,
                 mac->provider);
    }
    for (size_t i = 0; i < report.nskeymgmts; i++)
        if (report.nserved > 0 && !report.skeymgmts[i].by_ctaes)
            find(WARNING, "keys-elsewhere",
                 "Opaque keys (EVP_SKEY) of the kind %s are %s's: ctaes's ciphers take only its "
                 "own. Prefer ctaes for both, by `default_properties = ?provider=ctaes`.",
                 report.skeymgmts[i].name,
                 report.skeymgmts[i].provider[0] != '\0' ? report.skeymgmts[i].provider : "nobody");
}

/* --- Showing it ----------------------------------------------------------------------------------
 */

static const char *const level_names[] = {"note", "warning", "error"};

static bool all_served(void)
{
    for (size_t i = 0; i < MACS; i++)
        if (!report.macs[i].aes_by_ctaes)
            return false;
    return report.ninstances > 0 && report.nalgorithms > 0 &&
           report.nserved == report.nalgorithms && report.default_active;
}

/* "CMAC ctaes, GMAC default (AES: ctaes)" */
static void print_beside(const char *what, const struct beside *list, size_t n)
{
    printf("%-14s ", what);
    for (size_t i = 0; i < n; i++) {
        printf("%s%s %s", i > 0 ? ", " : "", list[i].name,
               list[i].provider[0] != '\0' ? list[i].provider : "nobody");
        if (list[i].aes[0] != '\0' && strcmp(list[i].aes, list[i].provider) != 0)
            printf(" (its AES: %s)", list[i].aes);
    }
    printf("%s\n", n == 0 ? "none before OpenSSL 3.5" : "");
}

static void print_text(void)
{
    printf("OpenSSL        %s\n", OpenSSL_version(OPENSSL_VERSION));
    printf("configuration  %s\n", report.config);
    printf("module         %s\n", report.module[0] != '\0' ? report.module : "not loaded");
    for (size_t i = 0; i < report.ninstances; i++) {
        const struct instance *instance = &report.instances[i];
        printf("provider       %s, version %s, active\n", instance->name, instance->version);
        printf("core           %s: its self-test passed\n", instance->core);
        printf("passed over    %s\n",
               instance->passed_over[0] != '\0' ? instance->passed_over : "no better core");
        printf("keys lie in    %s\n",
               instance->secure_memory ? "OpenSSL's secure heap" : "ordinary memory");
    }
    printf("default        %s\n", report.default_active ? "active" : "not active");
    printf("algorithms     %zu of %zu AES algorithms go to ctaes\n", report.nserved,
           report.nalgorithms);
    print_beside("MACs", report.macs, MACS);
    print_beside("opaque keys", report.skeymgmts, report.nskeymgmts);
    for (size_t i = 0; i < report.nfindings; i++)
        printf("%s: %s\n", level_names[report.findings[i].level], report.findings[i].text);
    printf("%s\n", all_served() ? "ctaes does this configuration's AES."
                                : "ctaes does NOT do all of this configuration's AES.");
}

static void print_json_string(const char *s)
{
    putchar('"');
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            putchar('\\');
        if (c < ' ')
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void print_member(const char *name, const char *value, bool last)
{
    printf("\"%s\":", name);
    print_json_string(value);
    if (!last)
        putchar(',');
}

static void print_json(void)
{
    printf("{\"ok\":%s,", all_served() ? "true" : "false");
    print_member("openssl", OpenSSL_version(OPENSSL_VERSION), false);
    print_member("configuration", report.config, false);
    print_member("module", report.module, false);
    printf("\"default_active\":%s,\"providers\":[", report.default_active ? "true" : "false");
    for (size_t i = 0; i < report.ninstances; i++) {
        printf("%s{", i > 0 ? "," : "");
        print_member("name", report.instances[i].name, false);
        print_member("version", report.instances[i].version, false);
        print_member("core", report.instances[i].core, false);
        print_member("cores_passed_over", report.instances[i].passed_over, false);
        printf("\"secure_memory\":%s}", report.instances[i].secure_memory ? "true" : "false");
    }
    printf("],\"algorithms\":{");
    for (size_t i = 0; i < report.nalgorithms; i++)
        print_member(report.algorithms[i].name, report.algorithms[i].provider,
                     i + 1 == report.nalgorithms);
    printf("},\"macs\":{");
    for (size_t i = 0; i < MACS; i++) {
        printf("%s\"%s\":{", i > 0 ? "," : "", report.macs[i].name);
        print_member("provider", report.macs[i].provider, false);
        print_member("aes", report.macs[i].aes, true);
        putchar('}');
    }
    printf("},\"skeymgmts\":{");
    for (size_t i = 0; i < report.nskeymgmts; i++)
        print_member(report.skeymgmts[i].name, report.skeymgmts[i].provider,
                     i + 1 == report.nskeymgmts);
    printf("},\"findings\":[");
    for (size_t i = 0; i < report.nfindings; i++) {
        printf("%s{", i > 0 ? "," : "");
        print_member("level", level_names[report.findings[i].level], false);
        print_member("id", report.findings[i].id, false);
        print_member("text", report.findings[i].text, true);
        putchar('}');
    }
    printf("]}\n");
}

static int usage(FILE *to, int status)
{
    fprintf(to, "usage: ctaes-check [--json] [--config FILE] [--program FILE]\n"
                "Says whether ctaes does the AES of OpenSSL's programs, and if not, why not.\n"
                "  --json          for machines\n"
                "  --config FILE   this configuration, as with OPENSSL_CONF=FILE\n"
                "  --program FILE  also whether this program would ignore the environment\n"
                "Exit status: 0 all AES goes to ctaes, 1 some doesn't, 2 wrong usage.\n");
    return status;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                            {"config", required_argument, NULL, 'c'},
                                            {"program", required_argument, NULL, 'p'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    bool json = false;
    const char *program = NULL;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'j')
            json = true;
        else if (c == 'c')
            setenv("OPENSSL_CONF", optarg, 1);
        else if (c == 'p')
            program = optarg;
        else
            return usage(c == 'h' ? stdout : stderr, c == 'h' ? 0 : 2);
    }
    if (optind != argc)
        return usage(stderr, 2);

    read_config();
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
    OSSL_PROVIDER_do_all(NULL, visit_provider, NULL);
    find_module();
    ask_for_algorithms();
    ask_for_macs(report.macs);
    report.nskeymgmts = ask_for_skeymgmts(report.skeymgmts);
    judge();
    judge_beside();
    check_environment();
    if (program != NULL)
        check_program(program);
    (json ? print_json : print_text)();
    return all_served() ? 0 : 1;
}
