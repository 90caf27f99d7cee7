/* What the tests of splines and tables share: models beside files of data, in a folder of their
 * own.
 */
#ifndef IB_TEST_DATA_H
#define IB_TEST_DATA_H

#include "model_test.h"

#include <unistd.h>

static char folder[64];

static inline int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/ironbird_splines_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state) {
    (void)state;
    char path[128];
    snprintf(path, sizeof(path), "%s/data.txt", folder);
    unlink(path);
    snprintf(path, sizeof(path), "%s/model.yaml", folder);
    unlink(path);
    return rmdir(folder);
}

static inline void write_file(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A model beside data.txt whose one spline or table, `s`, has these keys. */
static inline loaded load_file(const char *section, const char *keys, const char *data) {
    char text[500];
    char path[128];
    snprintf(text, sizeof(text),
             "ironbird: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n%s:\n  s: {%s}\n", section,
             keys);
    if (data)
        write_file("data.txt", data);
    write_file("model.yaml", text);
    snprintf(path, sizeof(path), "%s/model.yaml", folder);
    loaded l = {.diags = ib_diags_create()};
    l.status = ib_model_load(path, NULL, 0, l.diags, &l.model);
    return l;
}

/* The first error is in the data, at this place. */
static inline void file_fails(const char *section, const char *keys, const char *data,
                              const char *id, uint32_t line, uint32_t column, const char *said) {
    loaded l = load_file(section, keys, data);
    assert_int_equal(l.status, IB_BAD_INPUT);
    assert_int_equal(ib_diags_errors(l.diags), 1);
    const ib_diag *diag = ib_diags_at(l.diags, 0);
    const bool good = strcmp(diag->id, id) == 0 && diag->place.line == line &&
                      diag->place.column == column && strstr(diag->message, said) &&
                      strstr(diag->place.file, "data.txt") && diag->source_line;
    if (!good)
        print_diags(&l);
    assert_true(good);
    unload(&l);
}

#endif
