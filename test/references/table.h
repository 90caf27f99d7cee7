/* Tables of reference values for tests in C: a CSV file with one header line. */
#ifndef IB_TEST_REFERENCES_TABLE_H
#define IB_TEST_REFERENCES_TABLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_ROWS = 400, TABLE_COLUMNS = 40, TABLE_CELL = 80 };

typedef struct table {
    int n_rows, n_columns;
    char header[TABLE_COLUMNS][TABLE_CELL];
    char cell[TABLE_ROWS][TABLE_COLUMNS][TABLE_CELL];
} table;

static inline int table_split(char *line, char cells[TABLE_COLUMNS][TABLE_CELL]) {
    int n = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && n < TABLE_COLUMNS; n++) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        assert_true(strlen(at) < TABLE_CELL);
        strcpy(cells[n], at);
        at = comma ? comma + 1 : NULL;
    }
    return n;
}

/* Reads test/references/NAME; free() it. */
static inline table *table_read(const char *name) {
    char path[512], line[2048];
    snprintf(path, sizeof path, "%s/test/references/%s", IB_TEST_SOURCE, name);
    FILE *file = fopen(path, "r");
    table *read = calloc(1, sizeof *read);
    if (!file || !read)
        fail_msg("cannot read %s", path);
    assert_non_null(fgets(line, sizeof line, file));
    read->n_columns = table_split(line, read->header);
    while (fgets(line, sizeof line, file)) {
        assert_true(read->n_rows < TABLE_ROWS);
        assert_int_equal(table_split(line, read->cell[read->n_rows++]), read->n_columns);
    }
    fclose(file);
    assert_true(read->n_rows > 0);
    return read;
}

/* The number in a row under a heading. */
static inline double table_number(const table *of, int row, const char *heading) {
    for (int i = 0; i < of->n_columns; i++)
        if (!strcmp(of->header[i], heading))
            return strtod(of->cell[row][i], NULL);
    fail_msg("no column %s", heading);
    return 0;
}

/* The number in the last column of the row whose first two cells are these. */
static inline double table_value(const table *of, const char *first, const char *second) {
    for (int row = 0; row < of->n_rows; row++)
        if (!strcmp(of->cell[row][0], first) && !strcmp(of->cell[row][1], second))
            return strtod(of->cell[row][of->n_columns - 1], NULL);
    fail_msg("no row %s, %s", first, second);
    return 0;
}

#endif
