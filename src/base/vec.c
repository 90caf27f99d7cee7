/* Growing arrays: a pointer, a count and a capacity that the caller keeps side by side.
 *
 * Capacity doubles. Built with IB_HOSTILE it grows by one while it is small, so that every
 * addition moves the array and a pointer kept across it is caught.
 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static size_t grown(size_t capacity) {
#ifdef IB_HOSTILE
    if (capacity < 256)
        return capacity + 1;
#endif
    if (capacity > SIZE_MAX / 2)
        return SIZE_MAX;
    return capacity < 4 ? 8 : 2 * capacity;
}

bool ib_vec_reserve(void *items_pointer, size_t *capacity, size_t count, size_t item_size) {
    if (count < *capacity)
        return true;
    const size_t wanted = grown(*capacity);
    if (wanted > SIZE_MAX / item_size)
        return false;
    /* The caller's pointer has the type of its items: move it as bytes. */
    void *items;
    memcpy(&items, items_pointer, sizeof items);
    char *larger = realloc(items, wanted * item_size);
    if (!larger)
        return false;
    memset(larger + *capacity * item_size, 0, (wanted - *capacity) * item_size);
    items = larger;
    memcpy(items_pointer, &items, sizeof items);
    *capacity = wanted;
    return true;
}
