/* A flight computer that is a shared library in this process.
 *
 * Frames and state lie in one block of ours with a pattern around each, which is compared after
 * every call: a write past a frame is reported in the tick that did it. The library sees a copy of
 * the input, so nothing it writes there reaches anybody. All of its code, constructors included,
 * runs inside the guard that the program gave, and in the floating-point environment of the
 * results, whatever it does to it.
 *
 * What this cannot contain: writes far off into memory of others, and a tick that never returns.
 * For those there is the computer in a process of its own (isolated.c).
 */
#include "fcc/internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT ((size_t)64)
#define GUARD ((size_t)1024) /* bytes of pattern around a region, at least */
#define PATTERN 0xa5
#define STATE_MOST ((uint64_t)16 << 20)

enum { IN, OUT, STATE, REGIONS };

/* Part of the block that the library may write to. */
typedef struct region {
    size_t offset, size;
} region;

typedef struct native {
    ib_computer computer;
    ib_str file; /* of the library: the computer's name, or made of it */
    void *handle;
    uint32_t (*abi)(void);
    int32_t (*init)(const char *config, void *state, uint64_t *state_size, char *message);
    int32_t (*tick)(const ib_fcc_in *in, ib_fcc_out *out, void *state);
    bool crashed; /* its locks and memory are in an unknown state: it is not unloaded */
    unsigned char *block;
    size_t block_size;
    region regions[REGIONS];
} native;

static void *at(const native *self, int which) { return self->block + self->regions[which].offset; }

/* The state as the library gets it. */
static void *state_of(const native *self) {
    return self->regions[STATE].size ? at(self, STATE) : NULL;
}

/* ---- calls into the library ----------------------------------------------------------------- */

typedef struct call {
    native *self;
    const char *text;          /* path, or configuration */
    void *state;               /* of init */
    uint64_t state_size;       /* of init */
    char message[IB_FCC_TEXT]; /* of init */
    uint32_t abi;
    int32_t result;
} call;

static void work_load(void *argument) {
    call *this = argument;
    this->self->handle = dlopen(this->text, RTLD_NOW | RTLD_LOCAL);
}

static void work_abi(void *argument) {
    call *this = argument;
    this->abi = this->self->abi();
}

static void work_init(void *argument) {
    call *this = argument;
    this->result = this->self->init(this->text, this->state, &this->state_size, this->message);
}

static void work_tick(void *argument) {
    call *this = argument;
    const native *self = this->self;
    this->result = self->tick(at(self, IN), at(self, OUT), state_of(self));
}

static void work_unload(void *argument) {
    call *this = argument;
    dlclose(this->self->handle);
}

/* Runs it inside the guard. Returns the signal that ended it, or 0. */
static int guarded(native *self, void (*work)(void *), call *this) {
    const ib_floating before = ib_floating_enter();
    int signal_number = 0;
    if (self->computer.guard)
        signal_number = self->computer.guard(work, this);
    else
        work(this);
    ib_floating_leave(before);
    self->crashed = self->crashed || signal_number != 0;
    return signal_number;
}

/* ---- the block ------------------------------------------------------------------------------ */

static size_t rounded(size_t size) { return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* Lays out the regions with the pattern before, between and behind them. */
static ib_status make_block(native *self, size_t state_size, ib_diags *diags) {
    const size_t sizes[REGIONS] = {sizeof(ib_fcc_in), sizeof(ib_fcc_out), state_size};
    size_t offset = GUARD;
    for (int i = 0; i < REGIONS; i++) {
        self->regions[i] = (region){offset, sizes[i]};
        offset += rounded(sizes[i]) + GUARD;
    }
    self->block = aligned_alloc(ALIGNMENT, offset);
    self->block_size = offset;
    if (!self->block)
        return ib_fcc_no_memory(diags);
    memset(self->block, PATTERN, offset);
    for (int i = 0; i < REGIONS; i++)
        memset(at(self, i), 0, sizes[i]);
    return IB_OK;
}

static bool is_pattern(const unsigned char *bytes, size_t n) {
    /* All bytes are equal when each equals its neighbour. */
    return n == 0 || (bytes[0] == PATTERN && memcmp(bytes, bytes + 1, n - 1) == 0);
}

/* Where the library wrote outside its regions, or NULL. */
static const char *overrun(const native *self) {
    static const char *const past[] = {"before its input frame", "past its input frame",
                                       "past its output frame", "past its state"};
    size_t from = 0;
    for (int i = 0; i <= REGIONS; i++) {
        const size_t to = i < REGIONS ? self->regions[i].offset : self->block_size;
        if (!is_pattern(self->block + from, to - from))
            return past[i];
        if (i < REGIONS)
            from = to + self->regions[i].size;
    }
    return NULL;
}

/* ---- opening -------------------------------------------------------------------------------- */

static ib_status check_file(const char *path, ib_place place, ib_diags *diags) {
    char *bytes = NULL;
    size_t size = 0;
    const ib_status status = ib_file_read(path, SIZE_MAX, diags, place, &bytes, &size);
    const char *fault = status == IB_OK ? ib_library_fault(bytes, size) : NULL;
    free(bytes);
    if (!fault)
        return status;
    ib_diags_add(diags, IB_ERROR, IB1201, place, "flight computer '%s' %s", path, fault);
    return IB_BAD_INPUT;
}

static ib_status crashed_in(const native *self, const char *function, int signal_number,
                            ib_place place, ib_diags *diags) {
    ib_diags_add(diags, IB_ERROR, IB1206, place, "flight computer '%s' crashed in %s (%s)",
                 self->computer.name, function, ib_fcc_signal_text(signal_number));
    return IB_BAD_INPUT;
}

/* The library's file, with a slash, without which the loader would look elsewhere. A source is
 * compiled first. */
static ib_status find_file(native *self, ib_place place, ib_diags *diags) {
    const char *name = self->computer.name;
    if (ib_fcc_is_source(name))
        return ib_fcc_compile(name, place, diags, &self->file);
    ib_str_printf(&self->file, "%s%s", strchr(name, '/') ? "" : "./", name);
    return self->file.failed ? ib_fcc_no_memory(diags) : check_file(name, place, diags);
}

static ib_status load(native *self, ib_place place, ib_diags *diags) {
    call this = {.self = self, .text = self->file.data};
    const int signal_number = guarded(self, work_load, &this);
    if (signal_number)
        return crashed_in(self, "a constructor", signal_number, place, diags);
    if (self->handle)
        return IB_OK;
    const char *why = dlerror();
    ib_diags_add(diags, IB_ERROR, IB1201, place, "flight computer '%s' cannot be loaded: %s",
                 self->computer.name, why ? why : "for no reason given");
    return IB_BAD_INPUT;
}

/* The three functions; those that are missing are named. */
static ib_status bind(native *self, ib_place place, ib_diags *diags) {
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {{"ib_fcc_abi", offsetof(native, abi)},
                     {"ib_fcc_init", offsetof(native, init)},
                     {"ib_fcc_tick", offsetof(native, tick)}};
    char missing[64] = "";
    size_t length = 0;
    for (size_t i = 0; i < IB_COUNT(functions); i++) {
        void *address = dlsym(self->handle, functions[i].name);
        memcpy((char *)self + functions[i].offset, &address, sizeof address);
        if (address)
            continue;
        memcpy(missing + length, length ? ", " : "  ", 2);
        length += 2;
        memcpy(missing + length, functions[i].name, strlen(functions[i].name) + 1);
        length += strlen(functions[i].name);
    }
    if (!length)
        return IB_OK;
    ib_diags_add(diags, IB_ERROR, IB1202, place, "flight computer '%s' lacks %s",
                 self->computer.name, missing + 2);
    ib_diags_suggest(diags, "does it include ironbird/fcc.h, and export what it defines?");
    return IB_BAD_INPUT;
}

static ib_status check_abi(native *self, ib_place place, ib_diags *diags) {
    call this = {.self = self};
    const int signal_number = guarded(self, work_abi, &this);
    if (signal_number)
        return crashed_in(self, "ib_fcc_abi", signal_number, place, diags);
    if (this.abi == IB_FCC_ABI)
        return IB_OK;
    ib_diags_add(diags, IB_ERROR, IB1203, place,
                 "flight computer '%s' has version %u of the frames; this Ironbird has version %u",
                 self->computer.name, this.abi, IB_FCC_ABI);
    return IB_BAD_INPUT;
}

/* Calls ib_fcc_init once. */
static ib_status init(native *self, const char *config, void *state, uint64_t *state_size,
                      ib_place place, ib_diags *diags) {
    call this = {.self = self, .text = config, .state = state, .state_size = *state_size};
    const int signal_number = guarded(self, work_init, &this);
    this.message[IB_FCC_TEXT - 1] = '\0';
    if (signal_number)
        return crashed_in(self, "ib_fcc_init", signal_number, place, diags);
    if (this.result != 0) {
        ib_diags_add(diags, IB_ERROR, IB1204, place, "flight computer '%s' refuses to start: %s",
                     self->computer.name,
                     this.message[0] ? this.message : "ib_fcc_init says no more than that");
        return IB_BAD_INPUT;
    }
    if (state && this.state_size != *state_size) {
        ib_diags_add(diags, IB_ERROR, IB1204, place,
                     "flight computer '%s' first asked for a state of %llu bytes, then of %llu",
                     self->computer.name, (unsigned long long)*state_size,
                     (unsigned long long)this.state_size);
        return IB_BAD_INPUT;
    }
    *state_size = this.state_size;
    return IB_OK;
}

/* Asks for the size of the state, makes it, and has it filled in. */
static ib_status initialize(native *self, const char *config, ib_place place, ib_diags *diags) {
    uint64_t size = 0;
    ib_status status = init(self, config, NULL, &size, place, diags);
    if (status != IB_OK)
        return status;
    if (size > STATE_MOST) {
        ib_diags_add(diags, IB_ERROR, IB1204, place,
                     "flight computer '%s' asks for a state of %llu bytes; at most %llu",
                     self->computer.name, (unsigned long long)size, (unsigned long long)STATE_MOST);
        return IB_BAD_INPUT;
    }
    status = make_block(self, (size_t)size, diags);
    if (status == IB_OK && size > 0)
        status = init(self, config, at(self, STATE), &size, place, diags);
    const char *where = status == IB_OK ? overrun(self) : NULL;
    if (!where)
        return status;
    ib_diags_add(diags, IB_ERROR, IB1207, place,
                 "flight computer '%s' writes %s, which has %llu bytes, in ib_fcc_init",
                 self->computer.name, where, (unsigned long long)size);
    return IB_BAD_INPUT;
}

/* ---- the kind ------------------------------------------------------------------------------- */

static ib_status native_tick(ib_computer *computer, const ib_fcc_in *in, ib_fcc_out *out,
                             ib_diags *diags) {
    native *self = (native *)computer;
    ib_fcc_out *theirs = at(self, OUT);
    call this = {.self = self};
    memcpy(at(self, IN), in, sizeof *in);
    memset(theirs, 0, sizeof *theirs);
    theirs->abi = IB_FCC_ABI;

    const int signal_number = guarded(self, work_tick, &this);
    if (signal_number)
        return ib_computer_fail(computer, in->tick, IB1206, diags, "it crashed (%s)",
                                ib_fcc_signal_text(signal_number));
    const char *where = overrun(self);
    if (where)
        return ib_computer_fail(computer, in->tick, IB1207, diags, "it writes %s", where);
    memcpy(out, theirs, sizeof *out);
    out->log_text[IB_FCC_TEXT - 1] = '\0';
    if (this.result != 0)
        return ib_computer_fail(computer, in->tick, IB1205, diags, "it gives up: %s",
                                out->log_text[0] ? out->log_text : "it says no more than that");
    return IB_OK;
}

static size_t native_state_size(const ib_computer *computer) {
    return ((const native *)computer)->regions[STATE].size;
}

static void native_save(const ib_computer *computer, void *state) {
    const native *self = (const native *)computer;
    if (self->regions[STATE].size)
        memcpy(state, at(self, STATE), self->regions[STATE].size);
}

static void native_restore(ib_computer *computer, const void *state) {
    native *self = (native *)computer;
    if (self->regions[STATE].size)
        memcpy(at(self, STATE), state, self->regions[STATE].size);
}

static void native_close(ib_computer *computer) {
    native *self = (native *)computer;
    call this = {.self = self};
    if (self->handle && !self->crashed)
        (void)guarded(self, work_unload, &this);
    free(self->block);
    ib_str_free(&self->file);
}

static const ib_computer_functions functions = {.tick = native_tick,
                                                .state_size = native_state_size,
                                                .save = native_save,
                                                .restore = native_restore,
                                                .close = native_close};

/* All but the call of ib_fcc_init. *made is to be closed, unless it is NULL. */
static ib_status open_library(const char *path, const ib_computer_options *options, ib_diags *diags,
                              native **made) {
    native *self = *made = calloc(1, sizeof *self);
    if (!self)
        return ib_fcc_no_memory(diags);
    const ib_place place = options->place;
    ib_status status = ib_computer_prepare(&self->computer, &functions, path, options, diags);
    if (status == IB_OK)
        status = find_file(self, place, diags);
    if (status == IB_OK)
        status = load(self, place, diags);
    if (status == IB_OK)
        status = bind(self, place, diags);
    if (status == IB_OK)
        status = check_abi(self, place, diags);
    return status;
}

ib_status ib_native_check(const char *path, ib_fcc_guard guard, ib_diags *diags) {
    const ib_computer_options options = {.guard = guard};
    native *self = NULL;
    const ib_status status = open_library(path, &options, diags, &self);
    ib_computer_close(self ? &self->computer : NULL);
    return status;
}

ib_status ib_computer_open_native(const char *path, const ib_computer_options *options,
                                  ib_diags *diags, ib_computer **computer) {
    native *self = NULL;
    *computer = NULL;
    ib_status status = open_library(path, options, diags, &self);
    if (status == IB_OK)
        status = initialize(self, options->config ? options->config : "", options->place, diags);
    if (status == IB_OK)
        *computer = &self->computer;
    else
        ib_computer_close(self ? &self->computer : NULL);
    return status;
}
