/* Shared libraries of others, before they are loaded.
 *
 * A truncated library would end the process by a signal when its missing pages are touched, so its
 * headers (System V ABI, "ELF header" and "Program header") are held against the size of the file.
 */
#include "base/base.h"

#include <elf.h>
#include <string.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_NONE
#endif

const char *ib_library_fault(const void *bytes, size_t size) {
    Elf64_Ehdr head;
    if (size < sizeof head || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return "is no shared library";
    memcpy(&head, bytes, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != MACHINE)
        return "is for another kind of machine";
    if (head.e_type != ET_DYN || head.e_phentsize != sizeof(Elf64_Phdr))
        return "is no shared library";
    if (head.e_phoff > size || (size - head.e_phoff) / sizeof(Elf64_Phdr) < head.e_phnum)
        return "is truncated";
    for (size_t i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr part;
        memcpy(&part, (const char *)bytes + head.e_phoff + i * sizeof part, sizeof part);
        if (part.p_type == PT_LOAD &&
            (part.p_offset > size || part.p_filesz > size - part.p_offset))
            return "is truncated";
    }
    return NULL;
}
