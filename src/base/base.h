/* base: what every other module stands on. This is the one header that siblings include.
 *
 * Arena memory, growing arrays, strings, a hash of bytes, diagnostics with places, integer time,
 * counter-based random numbers, reproducible elementary functions, files.
 */
#ifndef IB_BASE_H
#define IB_BASE_H

#include "base/fmath.h"
#include "ironbird/base.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define IB_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define IB_PRINTF(format_index, first)
#endif

#define IB_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- arena.c: memory that is released all at once ------------------------------------------- */

typedef struct ib_arena ib_arena;

ib_arena *ib_arena_create(void); /* NULL when out of memory */
void ib_arena_destroy(ib_arena *arena);
void ib_arena_reset(ib_arena *arena); /* keeps the largest block for reuse */
/* Zeroed memory aligned to 16 bytes; NULL when out of memory (also when n * size overflows). */
void *ib_arena_alloc(ib_arena *arena, size_t n, size_t size);
char *ib_arena_strdup(ib_arena *arena, const char *text);
char *ib_arena_strndup(ib_arena *arena, const char *text, size_t length);
char *ib_arena_printf(ib_arena *arena, const char *format, ...) IB_PRINTF(2, 3);
char *ib_arena_vprintf(ib_arena *arena, const char *format, va_list arguments);

#define IB_ARENA_NEW(arena, type) ((type *)ib_arena_alloc((arena), 1, sizeof(type)))
#define IB_ARENA_ARRAY(arena, n, type) ((type *)ib_arena_alloc((arena), (n), sizeof(type)))

/* ---- vec.c: growing arrays ------------------------------------------------------------------ */

/* Makes room for one more element: `*items` has `count` used of `*capacity`. Returns false when out
 * of memory and leaves everything as it was. New room is zeroed. */
bool ib_vec_reserve(void *items_pointer, size_t *capacity, size_t count, size_t item_size);
#define IB_VEC_RESERVE(items, capacity, count)                                                     \
    ib_vec_reserve(&(items), &(capacity), (count), sizeof(*(items)))

/* ---- str.c, number.c, match.c: strings, numbers as text, misspelt names ---------------------- */

/* A growing text buffer; `data` is always terminated once anything was added. After a failed
 * allocation `failed` stays set and further additions do nothing. Free with ib_str_free. */
typedef struct ib_str {
    char *data;
    size_t length;
    size_t capacity;
    bool failed;
} ib_str;

void ib_str_free(ib_str *str);
void ib_str_clear(ib_str *str);
void ib_str_add(ib_str *str, const char *text);
void ib_str_add_n(ib_str *str, const char *text, size_t length);
void ib_str_add_char(ib_str *str, char c);
void ib_str_printf(ib_str *str, const char *format, ...) IB_PRINTF(2, 3);
/* Appends text as one line that moves no cursor: control characters and bytes that are no UTF-8 as
 * \n, \r, \t or \xNN. */
void ib_str_add_shown(ib_str *str, const char *text);
/* Appends text as the inside of a JSON string (without the quotes). */
void ib_str_add_json(ib_str *str, const char *text);

#define IB_NUMBER_SIZE 32
/* Writes the shortest of 15, 16 or 17 significant digits that reads back as the same double, with
 * '.' whatever the locale; "nan", "inf", "-inf" otherwise. Returns buffer. */
char *ib_number_text(double value, char buffer[IB_NUMBER_SIZE]);
/* Reads a decimal number, with a sign or without, at the start of text (no leading space, no
 * hexadecimal, no nan/inf), correctly rounded, whatever the locale; beyond the range of a double it
 * is +-infinity. Returns the number of bytes read, 0 (and *value untouched) when there is none. */
size_t ib_number_parse(const char *text, size_t length, double *value);

/* The nearest of `names` to `wanted` by edit distance when it is near enough to be a misspelling
 * (at most a third of the longer name, or a difference of case alone), else NULL. Names of 128
 * bytes and more are compared but for case alone. */
const char *ib_nearest_name(const char *wanted, const char *const *names, size_t n_names);

/* ---- hash.c --------------------------------------------------------------------------------- */

#define IB_HASH_START UINT64_C(0xcbf29ce484222325)
/* 64-bit FNV-1a, chained: pass IB_HASH_START or an earlier result. */
uint64_t ib_hash_bytes(uint64_t hash, const void *bytes, size_t n);

/* A map from names to indices. Iteration order is never used. Names are borrowed. */
typedef struct ib_names ib_names;
ib_names *ib_names_create(void);
void ib_names_destroy(ib_names *names);
/* Adds a name; *index is its number. False when it is there already (*index tells where) or memory
 * is out (*index is SIZE_MAX). */
bool ib_names_add(ib_names *names, const char *name, size_t *index);
/* Index of the name in order of addition, or SIZE_MAX. */
size_t ib_names_find(const ib_names *names, const char *name);

/* ---- diag.c, diag_format.c: diagnostics ------------------------------------------------------ */

/* Stable IDs: the one list is diagnostics.def. */
typedef enum ib_diag_id {
#define IB_DIAG(id, title, explanation) id,
#include "base/diagnostics.def"
#undef IB_DIAG
    IB_DIAG_COUNT
} ib_diag_id;

const char *ib_diag_name(ib_diag_id id); /* "IB0312" */

#define IB_NO_PLACE ((ib_place){0})

/* Adds a diagnostic (the strings are copied). A NULL sink swallows it. */
void ib_diags_add(ib_diags *diags, ib_severity severity, ib_diag_id id, ib_place place,
                  const char *format, ...) IB_PRINTF(5, 6);
/* Adds "out of memory"; IB_NO_MEMORY, to be returned. */
ib_status ib_diags_no_memory(ib_diags *diags);
/* Adds a note, or the suggestion, to the diagnostic added last. */
void ib_diags_note(ib_diags *diags, ib_place place, const char *format, ...) IB_PRINTF(3, 4);
void ib_diags_suggest(ib_diags *diags, const char *format, ...) IB_PRINTF(2, 3);
/* Registers the text of a file, so that diagnostics placed in it show their line. Copied. Lines end
 * with LF, CR LF or CR. */
void ib_diags_source(ib_diags *diags, const char *file, const char *text, size_t length);
/* The file name kept by the sink for as long as it lives (for places that outlive their maker). */
const char *ib_diags_file(ib_diags *diags, const char *file);
/* Orders the diagnostics by file (first seen first), line, column; equal ones keep their order. */
void ib_diags_sort(ib_diags *diags);

/* ---- time.c: integer time ------------------------------------------------------------------- */

/* Nearest count of nanoseconds, halves away from zero; false (and *time untouched) when not finite
 * or beyond +-9.2e9 s. */
bool ib_time_from_seconds(double seconds, ib_time *time);
/* Correctly rounded seconds of an integer time. */
double ib_time_seconds(ib_time time);

/* ---- floating.c: the floating-point environment ---------------------------------------------- */

typedef unsigned ib_floating;
/* Sets round-to-nearest with subnormals kept and returns what was there before; leave with it. */
ib_floating ib_floating_enter(void);
void ib_floating_leave(ib_floating before);

/* ---- rng.c: counter-based random numbers (Philox4x32-10) ------------------------------------- */

/* The same numbers for the same (key, counter), in any order of calls. */
void ib_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]);
/* Sample `sample` of stream (seed, vehicle, device): uniform in (0, 1), or standard normal. Both
 * come from the same block of random bits: draw one of them from a stream, not both. */
double ib_random_uniform(uint64_t seed, uint32_t vehicle, uint32_t device, uint64_t sample);
double ib_random_normal(uint64_t seed, uint32_t vehicle, uint32_t device, uint64_t sample);

/* ---- fs.c: files ---------------------------------------------------------------------------- */

/* Reads a whole file of at most `limit` bytes into malloc'ed, terminated memory. On failure adds
 * one diagnostic (missing, a folder, not readable, too large) placed at `place`. */
ib_status ib_file_read(const char *path, size_t limit, ib_diags *diags, ib_place place, char **text,
                       size_t *length);
/* Writes a file whole through a temporary name and a rename, so that a full disk leaves no torn
 * file behind. A device or pipe is written to directly. */
ib_status ib_file_write(const char *path, const char *text, size_t length, ib_diags *diags);
ib_status ib_folder_make(const char *path, ib_diags *diags); /* with its parents */
bool ib_file_exists(const char *path);
/* True when both paths lead to one file that exists. */
bool ib_file_same(const char *a, const char *b);
/* Joins a path to the folder of `beside` unless it is absolute. */
char *ib_path_beside(ib_arena *arena, const char *beside, const char *path);

/* ---- code_cache.c: the user's folder of compiled code ---------------------------------------- */

/* $XDG_CACHE_HOME/ironbird or ~/.cache/ironbird; false when there is no home or no memory. */
bool ib_code_cache_folder(ib_str *path);
/* Whether the library is there and only this user can have put it there; marks it as used. */
bool ib_code_cache_has(const char *library);
/* Gives a file just compiled, in the same folder, its name; false when that cannot be. Of more than
 * 512 files the folder then keeps the 384 used last. */
bool ib_code_cache_keep(const char *fresh, const char *library);

/* ---- library.c: shared libraries ------------------------------------------------------------ */

/* Why these bytes of a file are no shared library that can be loaded here ("is truncated"), or
 * NULL. */
const char *ib_library_fault(const void *bytes, size_t size);

/* ---- process.c: other programs -------------------------------------------------------------- */

typedef enum ib_program_end {
    IB_PROGRAM_DONE,    /* it ended with 0 */
    IB_PROGRAM_FAILED,  /* with something else, or could not be started */
    IB_PROGRAM_KILLED,  /* by a signal */
    IB_PROGRAM_MISSING, /* there is no such program */
} ib_program_end;

/* True when the PATH holds such a program, or the path given leads to one. */
bool ib_program_found(const char *program);
/* Runs arguments[0] with the arguments (NULL at the end) and waits for it. It reads nothing; what
 * it prints goes to the file `log`, or nowhere (NULL). */
ib_program_end ib_program_run(char *const *arguments, const char *log);

#endif
