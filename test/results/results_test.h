/* What the tests of results share: cmocka, a folder of their own, files, diagnostics. */
#ifndef IB_TEST_RESULTS_H
#define IB_TEST_RESULTS_H

#define _XOPEN_SOURCE                                                                              \
    700 /* nftw; NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/results_internal.h"

/* A folder for one test: *state. */
typedef struct place {
    char folder[256];
    ib_diags *diags;
} place;

static inline int begin(void **state) {
    place *p = calloc(1, sizeof *p);
    const char *base = getenv("TMPDIR");
    if (!p)
        return -1;
    snprintf(p->folder, sizeof p->folder, "%s/ironbird_results_XXXXXX", base ? base : "/tmp");
    p->diags = ib_diags_create();
    *state = p;
    return p->diags && mkdtemp(p->folder) ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *about, int kind,
                             struct FTW *where) {
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

static inline int end(void **state) {
    place *p = *state;
    const int result = nftw(p->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    ib_diags_destroy(p->diags);
    free(p);
    return result;
}

/* folder/name; free it. */
static inline char *path_of(const place *p, const char *name) {
    char *path = ib_path_join(p->folder, name);
    assert_non_null(path);
    return path;
}

static inline void put_file(const place *p, const char *name, const char *text) {
    char *path = path_of(p, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    free(path);
}

/* The whole file, terminated; free it. NULL when there is none. */
static inline char *get_file(const place *p, const char *name) {
    char *path = path_of(p, name), *text = NULL;
    size_t length;
    const ib_status status = ib_file_read(path, (size_t)1 << 28, NULL, IB_NO_PLACE, &text, &length);
    free(path);
    return status == IB_OK ? text : NULL;
}

/* The diagnostic with this ID; fails when there is none. */
static inline const ib_diag *find_diag(const place *p, const char *id) {
    for (size_t i = 0; i < ib_diags_count(p->diags); i++)
        if (strcmp(ib_diags_at(p->diags, i)->id, id) == 0)
            return ib_diags_at(p->diags, i);
    fail_msg("no diagnostic %s", id);
    return NULL;
}

static inline bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* A test with a folder of its own. */
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, begin, end)

#endif
