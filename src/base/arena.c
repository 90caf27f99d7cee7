/* Arena memory: many allocations, released all at once.
 *
 * Blocks form a list, the newest first; an allocation is cut from the newest or starts a new one.
 * Block sizes double, so that n allocations cost O(log n) calls of calloc. There is no release of
 * single allocations. Built with IB_HOSTILE, every allocation is a block of its own: overruns meet
 * the sanitizer's red zone and nothing lies next to its neighbour by luck.
 */
#include "base/base_internal.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT ((size_t)16)
#ifdef IB_HOSTILE
#define FIRST_BLOCK ((size_t)0)
#define LARGEST_BLOCK ((size_t)0)
#else
#define FIRST_BLOCK ((size_t)4096)
#define LARGEST_BLOCK ((size_t)1 << 20)
#endif

typedef struct block {
    struct block *next;
    size_t used;
    size_t size;
    alignas(ALIGNMENT) unsigned char bytes[];
} block;

struct ib_arena {
    block *newest;
    size_t next_size;
};

ib_arena *ib_arena_create(void) {
    ib_arena *arena = calloc(1, sizeof *arena);
    if (arena)
        arena->next_size = FIRST_BLOCK;
    return arena;
}

static void free_blocks(block *first) {
    while (first) {
        block *next = first->next;
        free(first);
        first = next;
    }
}

void ib_arena_destroy(ib_arena *arena) {
    if (!arena)
        return;
    free_blocks(arena->newest);
    free(arena);
}

/* Takes the largest block out of the list. */
static block *take_largest(ib_arena *arena) {
    block **largest = &arena->newest;
    for (block **link = &arena->newest; *link; link = &(*link)->next)
        if ((*link)->size > (*largest)->size)
            largest = link;
    block *taken = *largest;
    if (taken)
        *largest = taken->next;
    return taken;
}

void ib_arena_reset(ib_arena *arena) {
    block *kept = take_largest(arena);
    free_blocks(arena->newest);
    arena->newest = kept;
    if (kept) {
        memset(kept->bytes, 0, kept->used);
        kept->used = 0;
        kept->next = NULL;
    }
}

/* Starts a block with room for `size` bytes. */
static block *add_block(ib_arena *arena, size_t size) {
    const size_t room = size > arena->next_size ? size : arena->next_size;
    if (room > SIZE_MAX - sizeof(block))
        return NULL;
    block *added = calloc(1, sizeof(block) + room);
    if (!added)
        return NULL;
    added->size = room;
    added->next = arena->newest;
    arena->newest = added;
    if (arena->next_size < LARGEST_BLOCK)
        arena->next_size *= 2;
    return added;
}

void *ib_arena_alloc(ib_arena *arena, size_t n, size_t size) {
    if (size && n > (SIZE_MAX - ALIGNMENT) / size)
        return NULL;
    /* An empty request still gets an address of its own: NULL means out of memory. */
    const size_t wanted = n > 0 && size > 0 ? n * size : 1;
    const size_t rounded = (wanted + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    block *from = arena->newest;
    if (!from || from->size - from->used < rounded)
        from = add_block(arena, rounded);
    if (!from)
        return NULL;
    void *result = from->bytes + from->used;
    from->used += rounded;
    return result;
}

char *ib_arena_strndup(ib_arena *arena, const char *text, size_t length) {
    if (length == SIZE_MAX)
        return NULL;
    char *copy = ib_arena_alloc(arena, length + 1, 1);
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

char *ib_arena_strdup(ib_arena *arena, const char *text) {
    return ib_arena_strndup(arena, text, strlen(text));
}

char *ib_arena_vprintf(ib_arena *arena, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = ib_format_c(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : ib_arena_alloc(arena, (size_t)length + 1, 1);
    if (text)
        ib_format_c(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char *ib_arena_printf(ib_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = ib_arena_vprintf(arena, format, arguments);
    va_end(arguments);
    return text;
}
