/* SPDX-License-Identifier: Apache-2.0 */
/* The parser of vector files: lines "field = value", vectors end at an empty line. */
#include "vectors.h"

#include "unit.h"

#include <ctype.h>
#include <errno.h>

bool open_vectors(struct vector_file *file, const char *prefix, const char *mode_name)
{
    int used =
        snprintf(file->path, sizeof file->path, "%s/%s%s.txt", vectors_folder, prefix, mode_name);
    if (!expect(used < (int)sizeof file->path, "the path of %s's vectors is too long", mode_name))
        return false;
    for (char *p = file->path + used - strlen(mode_name) - 4; *p != '\0'; p++)
        *p = (char)tolower((unsigned char)*p);
    file->line = 0;
    file->stream = fopen(file->path, "r");
    return expect(file->stream != NULL, "can't open %s: %s", file->path, strerror(errno));
}

void close_vectors(struct vector_file *file)
{
    fclose(file->stream);
}

static int digit_value(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *p = c == '\0' ? NULL : strchr(digits, tolower((unsigned char)c));
    return p == NULL ? -1 : (int)(p - digits);
}

static bool parse_hex(struct vector_value *value, const char *text)
{
    value->present = true;
    for (value->len = 0; *text != '\0'; text += 2) {
        int high = digit_value(text[0]), low = high < 0 ? -1 : digit_value(text[1]);
        if (low < 0 || value->len == sizeof value->bytes)
            return false;
        value->bytes[value->len++] = (uint8_t)(high * 16 + low);
    }
    return true;
}

/* Puts one field's value into v; false if the field or the value is wrong. */
static bool set_field(struct vector *v, const char *field, const char *text)
{
    if (strcmp(field, "name") == 0)
        return snprintf(v->name, sizeof v->name, "%s", text) < (int)sizeof v->name;
    if (strcmp(field, "direction") == 0)
        return snprintf(v->direction, sizeof v->direction, "%s", text) < (int)sizeof v->direction &&
               (strcmp(text, "encrypt") == 0 || strcmp(text, "decrypt") == 0);
#define X(member)                                                                                  \
    if (strcmp(field, #member) == 0)                                                               \
        return !v->member.present && parse_hex(&v->member, text);
    VECTOR_FIELDS(X)
#undef X
    return false;
}

bool next_vector(struct vector_file *file, struct vector *v)
{
    char line[1100];
    memset(v, 0, sizeof *v);
    while (fgets(line, sizeof line, file->stream) != NULL) {
        file->line++;
        size_t len = strcspn(line, "\n");
        if (!expect(line[len] == '\n', "%s:%zu: the line is too long or has no end", file->path,
                    file->line))
            return false;
        line[len] = '\0';
        if (line[0] == '#')
            continue;
        if (len == 0) {
            if (v->line != 0)
                return true;
            continue;
        }
        char *equals = strstr(line, " =");
        bool good = equals != NULL;
        if (good) {
            *equals = '\0';
            equals += 2;
            good = set_field(v, line, equals + (*equals == ' '));
        }
        if (!expect(good, "%s:%zu: not a field, or not its value", file->path, file->line))
            return false;
        if (v->line == 0)
            v->line = file->line;
    }
    return v->line != 0;
}

void at_vector(const struct vector_file *file, const struct vector *v)
{
    static char name[400];
    snprintf(name, sizeof name, "%s:%zu (%s)", file->path, v->line, v->name);
    at.step = name;
    at.len = v->plaintext.len;
}
