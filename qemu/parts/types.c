/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of part types. */
#include "qemu/parts/types.h"

const ib_part_type *ib_part_type_at(int index) {
#define IB_LIST_TYPE(name) &ib_type_##name,
    static const ib_part_type *const types[] = {IB_PART_TYPES(IB_LIST_TYPE)};
#undef IB_LIST_TYPE
    const int n = (int)(sizeof types / sizeof *types);
    return index >= 0 && index < n ? types[index] : NULL;
}
