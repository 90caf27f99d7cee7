/* A firmware image: an ELF file of 32 bits (TIS ELF 1.2) for a processor of ARM's M profile (ELF
 * for the Arm Architecture; Addenda to the ABI: build attributes). QEMU loads it; we look whether
 * it can run on the board's core, and find the function around an address.
 */
#include "firmware/internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    IMAGE_LIMIT = 64 << 20,
    HEAD = 52,
    SECTION = 40,
    SYMBOL = 16,
    MACHINE_ARM = 40,
    TYPE_PROGRAM = 2,
    SECTION_SYMBOLS = 2,
    SECTION_ATTRIBUTES = 0x70000003,
    SYMBOL_FUNCTION = 2
};

/* ---- bytes ---------------------------------------------------------------------------------- */

/* Zero past the end. */
static uint32_t get(const ib_image *image, size_t at, int n) {
    uint32_t value = 0;
    for (int i = 0; i < n; i++)
        if (at < image->size && at + (size_t)i < image->size)
            value |= (uint32_t)(unsigned char)image->bytes[at + (size_t)i] << (8 * i);
    return value;
}

static uint32_t word(const ib_image *image, size_t at) { return get(image, at, 4); }

typedef struct section {
    uint32_t type, offset, size, link;
} section;

static size_t n_sections(const ib_image *image) { return get(image, 48, 2); }

static section section_at(const ib_image *image, size_t i) {
    const size_t at = (size_t)word(image, 32) + i * SECTION;
    section s = {word(image, at + 4), word(image, at + 16), word(image, at + 20),
                 word(image, at + 24)};
    if (s.offset > image->size)
        s.offset = s.size = 0;
    if (s.size > image->size - s.offset)
        s.size = (uint32_t)(image->size - s.offset);
    return s;
}

static bool find_section(const ib_image *image, uint32_t type, section *found) {
    for (size_t i = 0; i < n_sections(image); i++) {
        *found = section_at(image, i);
        if (found->type == type)
            return true;
    }
    return false;
}

/* ---- what it was compiled for --------------------------------------------------------------- */

typedef struct built_for {
    uint32_t architecture, profile, floating;
} built_for;

enum {
    TAG_FILE = 1,
    TAG_CPU_RAW_NAME = 4,
    TAG_CPU_NAME = 5,
    TAG_CPU_ARCH = 6,
    TAG_CPU_PROFILE = 7,
    TAG_FP_ARCH = 10,
    TAG_COMPATIBILITY = 32
};

static uint32_t uleb(const ib_image *image, size_t *at, size_t end) {
    uint32_t value = 0;
    for (unsigned shift = 0; *at < end; shift += 7) {
        const uint32_t byte = get(image, (*at)++, 1);
        if (shift < 32)
            value |= (byte & 127) << shift;
        if (!(byte & 128))
            break;
    }
    return value;
}

static void skip_text(const ib_image *image, size_t *at, size_t end) {
    while (*at < end && get(image, (*at)++, 1) != 0)
        continue;
}

/* Tags with texts: 4, 5, odd ones above 32; 32 has a number and a text; all others a number. */
static void read_tags(const ib_image *image, size_t at, size_t end, built_for *built) {
    while (at < end) {
        const uint32_t tag = uleb(image, &at, end);
        uint32_t value = 0;
        if (tag == TAG_CPU_RAW_NAME || tag == TAG_CPU_NAME || (tag > 32 && tag & 1)) {
            skip_text(image, &at, end);
            continue;
        }
        value = uleb(image, &at, end);
        if (tag == TAG_COMPATIBILITY)
            skip_text(image, &at, end);
        else if (tag == TAG_CPU_ARCH)
            built->architecture = value;
        else if (tag == TAG_CPU_PROFILE)
            built->profile = value;
        else if (tag == TAG_FP_ARCH)
            built->floating = value;
    }
}

/* 'A', length, "aeabi", then the file's sub-section: tag 1, length, tags. */
static bool read_attributes(const ib_image *image, built_for *built) {
    section s;
    if (!find_section(image, SECTION_ATTRIBUTES, &s) || s.size < 17)
        return false;
    size_t at = (size_t)s.offset + 5;
    const size_t end = (size_t)s.offset + s.size;
    skip_text(image, &at, end);
    if (get(image, at, 1) != TAG_FILE)
        return false;
    const size_t last = at + word(image, at + 1);
    read_tags(image, at + 5, last < end ? last : end, built);
    return true;
}

/* Values of Tag_CPU_arch of the M profile, as bits, that a core understands. */
enum {
    V6M = 1 << 11 | 1 << 12,
    V7M = 1 << 10,
    V7EM = 1 << 13,
    V8M_BASE = 1 << 16,
    V8M_MAIN = 1 << 17
};

static const struct {
    const char *name;
    uint32_t architectures;
    bool floating;
} cores[] = {[IB_CORTEX_M0] = {"Cortex-M0", V6M, false},
             [IB_CORTEX_M3] = {"Cortex-M3", V6M | V7M, false},
             [IB_CORTEX_M4] = {"Cortex-M4", V6M | V7M | V7EM, true},
             [IB_CORTEX_M7] = {"Cortex-M7", V6M | V7M | V7EM, true},
             [IB_CORTEX_M33] = {"Cortex-M33", V6M | V7M | V7EM | V8M_BASE | V8M_MAIN, true}};

const char *ib_core_name(ib_core core) { return cores[core].name; }

static const char *architecture_name(uint32_t value) {
    static const struct {
        uint32_t value;
        const char *name;
    } names[] = {{10, "ARMv7"},
                 {11, "ARMv6-M"},
                 {12, "ARMv6S-M"},
                 {13, "ARMv7E-M"},
                 {14, "ARMv8-A"},
                 {15, "ARMv8-R"},
                 {16, "ARMv8-M Baseline"},
                 {17, "ARMv8-M Mainline"},
                 {21, "ARMv8.1-M Mainline"}};
    for (size_t i = 0; i < IB_COUNT(names); i++)
        if (names[i].value == value)
            return names[i].name;
    return "another architecture";
}

/* Why the core cannot run it, or NULL; `text` has room for it. */
static const char *unfit(const built_for *built, ib_core core, ib_str *text) {
    const bool other_profile = built->profile && built->profile != 'M';
    if (other_profile || built->architecture >= 32 ||
        !(cores[core].architectures >> built->architecture & 1))
        ib_str_printf(text, "is built for %s%s, not for the board's %s",
                      architecture_name(built->architecture),
                      other_profile && built->architecture == 10 ? "-A or -R" : "",
                      cores[core].name);
    else if (built->floating && !cores[core].floating)
        ib_str_printf(text, "uses floating-point registers, which the board's %s has not",
                      cores[core].name);
    return text->data;
}

/* ---- opening -------------------------------------------------------------------------------- */

static const char *fault_of(const ib_image *image, ib_core core, ib_str *text) {
    built_for built = {0};
    if (image->size < HEAD || memcmp(image->bytes, "\177ELF", 4) != 0)
        return "is no ELF file";
    if (get(image, 4, 2) != 0x101 || get(image, 18, 2) != MACHINE_ARM)
        return "is not for a 32-bit ARM processor";
    if (get(image, 16, 2) != TYPE_PROGRAM)
        return "is no complete program";
    if (word(image, 32) + n_sections(image) * SECTION > image->size)
        return "is truncated";
    return read_attributes(image, &built) ? unfit(&built, core, text) : NULL;
}

ib_status ib_image_open(const char *path, ib_core core, ib_place place, ib_diags *diags,
                        ib_image *image) {
    ib_str text = {0};
    *image = (ib_image){0};
    ib_status status = ib_file_read(path, IMAGE_LIMIT, diags, place, &image->bytes, &image->size);
    if (status != IB_OK)
        return status == IB_IO_ERROR ? IB_BAD_INPUT : status;
    const char *fault = fault_of(image, core, &text);
    if (fault) {
        ib_diags_add(diags, IB_ERROR, IB1301, place, "firmware '%s' %s", path, fault);
        ib_image_close(image);
        status = IB_BAD_INPUT;
    }
    ib_str_free(&text);
    return status;
}

void ib_image_close(ib_image *image) {
    free(image->bytes);
    *image = (ib_image){0};
}

/* ---- symbols -------------------------------------------------------------------------------- */

static const char *symbol_name(const ib_image *image, const section *names, uint32_t at) {
    const size_t start = (size_t)names->offset + at;
    if (at >= names->size || !memchr(image->bytes + start, 0, names->size - at))
        return NULL;
    return image->bytes + start;
}

const char *ib_image_symbol(const ib_image *image, uint32_t address, uint32_t *offset) {
    section symbols;
    const char *best = NULL;
    if (!find_section(image, SECTION_SYMBOLS, &symbols))
        return NULL;
    const section names = section_at(image, symbols.link);
    for (size_t at = symbols.offset; at + SYMBOL <= (size_t)symbols.offset + symbols.size;
         at += SYMBOL) {
        const uint32_t start = word(image, at + 4) & ~UINT32_C(1), size = word(image, at + 8);
        if ((get(image, at + 12, 1) & 15) != SYMBOL_FUNCTION || address < start ||
            address - start >= (size ? size : 2))
            continue;
        const char *name = symbol_name(image, &names, word(image, at));
        if (name && *name) {
            best = name;
            *offset = address - start;
        }
    }
    return best;
}
