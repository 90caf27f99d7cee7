/* What the library of a source FMU is made of (FMI 3.0.2, section 2.5.1.3, buildDescription.xml;
 * FMI 2.0.5, sections 3.3.1 and 4.3.1, SourceFiles).
 *
 * Names are paths below sources/ and may not leave the FMU. A listed file that is not there is
 * forgiven where exactly one C file is. Configurations for other platforms are passed over.
 */
#include "fmi/source.h"

#include "fmi/platform.h"

#include <dirent.h>
#include <expat.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LARGEST ((size_t)64 << 20)

static ib_place place_of(const ib_fmu *fmu, ib_diags *diags) {
    return (ib_place){.file = diags ? ib_diags_file(diags, fmu->path) : fmu->path};
}

/* Whether FOLDER/sources/NAME exists. */
static bool source_exists(const ib_fmu *fmu, const char *name) {
    ib_str path = {0};
    struct stat about;
    ib_str_printf(&path, "%s/sources/%s", fmu->folder.path, name);
    const bool exists = !path.failed && stat(path.data, &about) == 0 && S_ISREG(about.st_mode);
    ib_str_free(&path);
    return exists;
}

/* A path that stays below sources/ and can be no option of a compiler. */
static bool is_inside(const char *name) {
    if (!*name || *name == '/' || strchr(name, '\\'))
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (!part[2] || part[2] == '/'))
            return false;
    }
    return true;
}

/* ---- the one C file ------------------------------------------------------------------------ */

static bool is_c_file(const char *name) {
    const size_t n = strlen(name);
    return n > 2 && strcmp(name + n - 2, ".c") == 0;
}

/* The name of the only C file directly in sources/ (in the arena), or NULL. */
static const char *only_c_file(const ib_fmu *fmu, ib_arena *arena) {
    ib_str path = {0};
    const char *found = NULL;
    size_t n = 0;
    ib_str_printf(&path, "%s/sources", fmu->folder.path);
    DIR *entries = path.failed ? NULL : opendir(path.data);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (is_c_file(entry->d_name)) {
            found = ib_arena_strdup(arena, entry->d_name);
            n++;
        }
    if (entries)
        closedir(entries);
    ib_str_free(&path);
    return n == 1 ? found : NULL;
}

bool ib_fmi_has_sources(const ib_fmu *fmu) {
    if (source_exists(fmu, "buildDescription.xml"))
        return true;
    for (size_t kind = 0; kind < IB_FMU_KINDS; kind++)
        if (fmu->description->interfaces[kind].n_sources)
            return true;
    ib_arena *arena = ib_arena_create();
    const bool one = arena && only_c_file(fmu, arena);
    ib_arena_destroy(arena);
    return one;
}

/* ---- buildDescription.xml ------------------------------------------------------------------ */

typedef struct reading {
    const ib_fmu *fmu;
    const char *identifier; /* NULL: any */
    const char *file;       /* as messages name it */
    ib_diags *diags;
    ib_fmi_sources *sources;
    XML_Parser parser;
    size_t n_others; /* configurations for this platform and another library */
    bool here;       /* within the configuration that is wanted */
    bool found;      /* it was there */
    bool exact;      /* ... for just this platform */
    bool refused;    /* something cannot be used */
    bool no_memory;
    ib_status status;
} reading;

static ib_place here(const reading *r) {
    return (ib_place){r->file, (uint32_t)XML_GetCurrentLineNumber(r->parser),
                      (uint32_t)XML_GetCurrentColumnNumber(r->parser) + 1, 1};
}

static const char *attribute(const XML_Char **attributes, const char *name) {
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static const char *kept(reading *r, const char *text) {
    const char *copy = ib_arena_strdup(r->sources->arena, text ? text : "");
    if (!copy)
        r->no_memory = true;
    return copy ? copy : "";
}

static ib_fmi_source_set *last_set(reading *r) {
    return r->sources->n_sets ? &r->sources->sets[r->sources->n_sets - 1] : NULL;
}

static ib_fmi_source_set *add_set(ib_fmi_sources *sources) {
    if (!IB_VEC_RESERVE(sources->sets, sources->sets_capacity, sources->n_sets))
        return NULL;
    ib_fmi_source_set *set = &sources->sets[sources->n_sets++];
    *set = (ib_fmi_source_set){.language = "", .options = ""};
    return set;
}

static void forget_sets(ib_fmi_sources *sources) {
    for (size_t i = 0; i < sources->n_sets; i++) {
        free(sources->sets[i].files);
        free(sources->sets[i].definitions);
        free(sources->sets[i].includes);
    }
    sources->n_sets = 0;
    sources->n_libraries = 0;
}

/* A configuration counts when it is for this library and for this platform or for all. One for
 * just this platform is preferred. */
static void begin_configuration(reading *r, const XML_Char **attributes) {
    const char *identifier = attribute(attributes, "modelIdentifier");
    const char *platform = attribute(attributes, "platform");
    const bool exact = platform && strcmp(platform, IB_FMI_PLATFORM3) == 0;
    const bool fits = !platform || !*platform || exact;
    const bool wanted = !r->identifier || (identifier && strcmp(identifier, r->identifier) == 0);
    r->n_others += fits && !wanted;
    r->here = fits && wanted && (!r->found || (exact && !r->exact));
    if (!r->here)
        return;
    forget_sets(r->sources);
    r->found = true;
    r->exact = exact;
}

static void begin_set(reading *r, const XML_Char **attributes) {
    ib_fmi_source_set *set = add_set(r->sources);
    if (!set) {
        r->no_memory = true;
        return;
    }
    set->language = kept(r, attribute(attributes, "language"));
    set->options = kept(r, attribute(attributes, "compilerOptions"));
}

static const char *needed(reading *r, const char *element, const XML_Char **attributes) {
    const char *name = attribute(attributes, "name");
    if (name && *name)
        return name;
    ib_diags_add(r->diags, IB_ERROR, IB1014, here(r), "<%s> needs the attribute 'name'", element);
    r->refused = true;
    return NULL;
}

static const char *needed_path(reading *r, const char *element, const XML_Char **attributes) {
    const char *name = needed(r, element, attributes);
    if (!name || is_inside(name))
        return name;
    ib_diags_add(r->diags, IB_ERROR, IB1050, here(r), "'%.200s' is no path below sources/", name);
    r->refused = true;
    return NULL;
}

static void add_name(reading *r, const char *name, const char ***list, size_t *n,
                     size_t *capacity) {
    if (!name)
        return;
    if (IB_VEC_RESERVE(*list, *capacity, *n))
        (*list)[(*n)++] = kept(r, name);
    else
        r->no_memory = true;
}

/* A macro's name; anything else could be an option of the compiler. */
static bool is_macro(const char *name) {
    return name[strspn(
               name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_(),")] == '\0';
}

static void add_definition(reading *r, ib_fmi_source_set *set, const XML_Char **attributes) {
    const char *name = needed(r, "PreprocessorDefinition", attributes);
    const char *value = attribute(attributes, "value");
    const char *optional = attribute(attributes, "optional");
    /* Optional ones are choices of the user; their value is the default. */
    if (!name ||
        (optional && (strcmp(optional, "true") == 0 || strcmp(optional, "1") == 0) && !value))
        return;
    if (!is_macro(name)) {
        ib_diags_add(r->diags, IB_ERROR, IB1015, here(r), "'%.80s' is no name of a macro", name);
        r->refused = true;
    } else if (IB_VEC_RESERVE(set->definitions, set->definitions_capacity, set->n_definitions)) {
        set->definitions[set->n_definitions++] =
            (ib_fmi_definition){kept(r, name), value ? kept(r, value) : NULL};
    } else {
        r->no_memory = true;
    }
}

static void add_library(reading *r, const XML_Char **attributes) {
    const char *name = needed(r, "Library", attributes);
    const char *external = attribute(attributes, "external");
    ib_fmi_sources *s = r->sources;
    if (!name)
        return;
    if (strchr(name, '/') || *name == '-') {
        ib_diags_add(r->diags, IB_ERROR, IB1015, here(r), "'%.80s' is no name of a library", name);
        r->refused = true;
    } else if (IB_VEC_RESERVE(s->libraries, s->libraries_capacity, s->n_libraries)) {
        s->libraries[s->n_libraries++] =
            (ib_fmi_linked){kept(r, name), external && (strcmp(external, "true") == 0 ||
                                                        strcmp(external, "1") == 0)};
    } else {
        r->no_memory = true;
    }
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes) {
    reading *r = user;
    if (strcmp(name, "BuildConfiguration") == 0)
        begin_configuration(r, attributes);
    if (!r->here)
        return;
    if (strcmp(name, "SourceFileSet") == 0)
        begin_set(r, attributes);
    else if (strcmp(name, "Library") == 0)
        add_library(r, attributes);
    ib_fmi_source_set *set = last_set(r);
    if (!set)
        return;
    if (strcmp(name, "SourceFile") == 0)
        add_name(r, needed_path(r, name, attributes), &set->files, &set->n_files,
                 &set->files_capacity);
    else if (strcmp(name, "IncludeDirectory") == 0)
        add_name(r, needed_path(r, name, attributes), &set->includes, &set->n_includes,
                 &set->includes_capacity);
    else if (strcmp(name, "PreprocessorDefinition") == 0)
        add_definition(r, set, attributes);
}

static void XMLCALL on_end(void *user, const XML_Char *name) {
    reading *r = user;
    if (strcmp(name, "BuildConfiguration") == 0)
        r->here = false;
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int internal) {
    reading *r = user;
    (void)name, (void)system, (void)public, (void)internal;
    ib_diags_add(r->diags, IB_ERROR, IB1011, here(r),
                 "a document type declaration has no place in a description");
    r->refused = true;
    XML_StopParser(r->parser, XML_FALSE);
}

static ib_status parse(reading *r, const char *text, size_t length) {
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
    const enum XML_Status status = XML_Parse(r->parser, text, (int)length, XML_TRUE);
    if (r->no_memory)
        return ib_diags_no_memory(r->diags);
    if (r->refused)
        return IB_BAD_INPUT;
    if (status == XML_STATUS_ERROR) {
        ib_diags_add(r->diags, IB_ERROR, IB1010, here(r), "malformed XML: %s",
                     XML_ErrorString(XML_GetErrorCode(r->parser)));
        return IB_BAD_INPUT;
    }
    return IB_OK;
}

/* The configuration of the library; where none is, the only one there is, for another. */
static ib_status parse_leniently(reading *r, const char *text, size_t length) {
    const char *identifier = r->identifier;
    ib_status status = parse(r, text, length);
    if (status != IB_OK || r->found)
        return status;
    const bool only = r->n_others == 1;
    ib_diags_add(r->diags, only ? IB_WARNING : IB_ERROR, IB1050, (ib_place){.file = r->file},
                 "no build configuration is for '%s' on " IB_FMI_PLATFORM3, identifier);
    if (!only)
        return IB_BAD_INPUT;
    ib_diags_suggest(r->diags, "the only one there is, for another library, is taken");
    r->identifier = NULL;
    return XML_ParserReset(r->parser, NULL) ? parse(r, text, length) : ib_diags_no_memory(r->diags);
}

static ib_status read_build_description(const ib_fmu *fmu, const char *identifier, ib_diags *diags,
                                        ib_fmi_sources *sources) {
    ib_str path = {0}, name = {0};
    char *text = NULL;
    size_t length;
    ib_str_printf(&path, "%s/sources/buildDescription.xml", fmu->folder.path);
    ib_str_printf(&name, "%s/sources/buildDescription.xml", fmu->path);
    ib_status status = path.failed || name.failed ? ib_diags_no_memory(diags) : IB_OK;
    if (status == IB_OK)
        status = ib_file_read(path.data, LARGEST, diags, IB_NO_PLACE, &text, &length);
    XML_Parser parser = status == IB_OK ? XML_ParserCreate(NULL) : NULL;
    if (status == IB_OK && !parser)
        status = ib_diags_no_memory(diags);
    if (status == IB_OK) {
        const char *file = diags ? ib_diags_file(diags, name.data) : name.data;
        ib_diags_source(diags, file, text, length);
        reading r = {.fmu = fmu,
                     .identifier = identifier,
                     .file = file,
                     .diags = diags,
                     .sources = sources,
                     .parser = parser};
        status = parse_leniently(&r, text, length);
    }
    if (parser)
        XML_ParserFree(parser);
    free(text);
    ib_str_free(&path);
    ib_str_free(&name);
    return status;
}

/* ---- the list of FMI 2 --------------------------------------------------------------------- */

/* The files that the kinds with this library name, each once. */
static ib_status read_list(const ib_fmu *fmu, const char *identifier, ib_diags *diags,
                           ib_fmi_sources *sources) {
    ib_fmi_source_set *set = add_set(sources);
    if (!set)
        return ib_diags_no_memory(diags);
    for (size_t kind = 0; kind < IB_FMU_KINDS; kind++) {
        const ib_fmi_interface *interface = &fmu->description->interfaces[kind];
        if (!interface->exists || strcmp(interface->identifier, identifier) != 0)
            continue;
        for (size_t i = 0; i < interface->n_sources; i++) {
            bool known = false;
            for (size_t k = 0; k < set->n_files; k++)
                known |= strcmp(set->files[k], interface->sources[i]) == 0;
            if (known)
                continue;
            if (!is_inside(interface->sources[i])) {
                ib_diags_add(diags, IB_ERROR, IB1050, place_of(fmu, diags),
                             "'%.200s' is no path below sources/", interface->sources[i]);
                return IB_BAD_INPUT;
            }
            if (!IB_VEC_RESERVE(set->files, set->files_capacity, set->n_files))
                return ib_diags_no_memory(diags);
            set->files[set->n_files++] = interface->sources[i];
        }
    }
    return IB_OK;
}

/* ---- the files ----------------------------------------------------------------------------- */

/* The first listed file that is not there, or NULL. */
static const char *missing_file(const ib_fmu *fmu, const ib_fmi_sources *sources) {
    for (size_t i = 0; i < sources->n_sets; i++)
        for (size_t k = 0; k < sources->sets[i].n_files; k++)
            if (!source_exists(fmu, sources->sets[i].files[k]))
                return sources->sets[i].files[k];
    return NULL;
}

static size_t count_files(const ib_fmi_sources *sources) {
    size_t n = 0;
    for (size_t i = 0; i < sources->n_sets; i++)
        n += sources->sets[i].n_files;
    return n;
}

/* Puts the one C file there is in the place of all that are listed. */
static ib_status use_only_file(const char *only, ib_diags *diags, ib_fmi_sources *sources) {
    for (size_t i = 0; i < sources->n_sets; i++)
        sources->sets[i].n_files = 0;
    ib_fmi_source_set *set = sources->n_sets ? &sources->sets[0] : add_set(sources);
    if (!set || !IB_VEC_RESERVE(set->files, set->files_capacity, set->n_files))
        return ib_diags_no_memory(diags);
    set->files[set->n_files++] = only;
    return IB_OK;
}

static ib_status settle_files(const ib_fmu *fmu, ib_diags *diags, ib_fmi_sources *sources) {
    const bool none = count_files(sources) == 0;
    const char *missing = missing_file(fmu, sources);
    if (!none && !missing)
        return IB_OK;
    const char *only = only_c_file(fmu, sources->arena);
    ib_diags_add(diags, only ? IB_WARNING : IB_ERROR, IB1050, place_of(fmu, diags),
                 none ? "the FMU lists no source files%s%s"
                      : "the FMU lists a source file that is not there: %s%s",
                 none ? "" : "sources/", none ? "" : missing);
    if (!only)
        return IB_BAD_INPUT;
    ib_diags_suggest(diags, "the only C file there is, sources/%s, is compiled", only);
    return use_only_file(only, diags, sources);
}

ib_status ib_fmi_sources_read(const ib_fmu *fmu, const char *identifier, ib_diags *diags,
                              ib_fmi_sources *sources) {
    *sources = (ib_fmi_sources){.arena = ib_arena_create()};
    if (!sources->arena)
        return ib_diags_no_memory(diags);
    const bool described = source_exists(fmu, "buildDescription.xml");
    ib_status status =
        fmu->description->version == 2 ? read_list(fmu, identifier, diags, sources) : IB_OK;
    if (status == IB_OK && described && count_files(sources) == 0) {
        forget_sets(sources);
        status = read_build_description(fmu, identifier, diags, sources);
    }
    return status == IB_OK ? settle_files(fmu, diags, sources) : status;
}

void ib_fmi_sources_free(ib_fmi_sources *sources) {
    forget_sets(sources);
    free(sources->sets);
    free(sources->libraries);
    ib_arena_destroy(sources->arena);
    *sources = (ib_fmi_sources){0};
}
