/* FMUs that come as source: what to compile, compiling it, and where the library is kept. Private
 * to the module.
 */
#ifndef IB_FMI_SOURCE_H
#define IB_FMI_SOURCE_H

#include "fmi/fmu.h"

/* ---- sources.c: what to compile ------------------------------------------------------------ */

typedef struct ib_fmi_definition {
    const char *name, *value; /* value NULL: none */
} ib_fmi_definition;

/* Files that are compiled in one way. Names are paths below sources/. */
typedef struct ib_fmi_source_set {
    const char *language; /* "C99", "C++17" ...; "" when not said */
    const char *options;  /* of the compiler, separated by blanks; "" when there are none */
    const char **files;   /* [n_files] */
    size_t n_files, files_capacity;
    ib_fmi_definition *definitions; /* [n_definitions] */
    size_t n_definitions, definitions_capacity;
    const char **includes; /* [n_includes] folders */
    size_t n_includes, includes_capacity;
} ib_fmi_source_set;

typedef struct ib_fmi_linked {
    const char *name;
    bool external; /* the system has it; else it is in the FMU's folder for this machine */
} ib_fmi_linked;

typedef struct ib_fmi_sources {
    ib_arena *arena;
    ib_fmi_source_set *sets;
    size_t n_sets, sets_capacity;
    ib_fmi_linked *libraries;
    size_t n_libraries, libraries_capacity;
} ib_fmi_sources;

/* True when the FMU says how to build a library, or has sources that leave no doubt. */
bool ib_fmi_has_sources(const ib_fmu *fmu);
/* Reads what the library of that name is made of: sources/buildDescription.xml of FMI 3, the list
 * of the model description of FMI 2. Every file named is there afterwards. Free it in any case. */
ib_status ib_fmi_sources_read(const ib_fmu *fmu, const char *identifier, ib_diags *diags,
                              ib_fmi_sources *sources);
void ib_fmi_sources_free(ib_fmi_sources *sources);

/* ---- compile.c: compiling it --------------------------------------------------------------- */

#define IB_FMI_MOST_WORDS 16

/* The system's compilers: CC and CXX, which may hold arguments, or cc and c++. */
typedef struct ib_fmi_compiler {
    char *text;                         /* the command; `words` point into it */
    char *words[IB_FMI_MOST_WORDS + 2]; /* room for --version and the end */
    size_t n_words;
    ib_str version; /* what --version prints */
} ib_fmi_compiler;

/* A compiler that can be asked for its version, with what it prints going to a file in `folder`. */
ib_status ib_fmi_compiler_find(const ib_fmu *fmu, bool cplusplus, const char *folder,
                               ib_diags *diags, ib_fmi_compiler *compiler);
void ib_fmi_compiler_free(ib_fmi_compiler *compiler);
bool ib_fmi_any_cplusplus(const ib_fmi_sources *sources);
/* Compiles and links into `library`, with intermediate files in `folder`, which exists. The
 * compiler's errors are reported, each with its file of the FMU, line and column. */
ib_status ib_fmi_compile(const ib_fmu *fmu, const ib_fmi_sources *sources, const char *folder,
                         const char *library, ib_diags *diags);
/* A hash of everything that has a say in how sources are compiled, but the compilers. */
uint64_t ib_fmi_hash_options(uint64_t hash, const ib_fmu *fmu);

/* ---- runtime.c: where the library is kept -------------------------------------------------- */

/* The folder that holds binaries/ with the library and resources/ of an FMU built from source:
 * found in X.fmu.runtime or the user's cache, or built. malloc'ed. */
ib_status ib_fmi_runtime(const ib_fmu *fmu, const char *identifier, ib_diags *diags, char **folder);

/* ---- made from headers/ by cmake/generate.cmake -------------------------------------------- */

typedef struct ib_fmi_header_file {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} ib_fmi_header_file;

extern const ib_fmi_header_file ib_fmi_header_files[];
extern const size_t ib_fmi_n_header_files;

#endif
