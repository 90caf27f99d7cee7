/* What the files of fcc share and siblings do not see. */
#ifndef IB_FCC_PRIVATE_H
#define IB_FCC_PRIVATE_H

#include "fcc/fcc.h"

/* ---- computer.c ---- */

/* A kind of computer. Functions of what it does not have are NULL. */
typedef struct ib_computer_functions {
    ib_status (*tick)(ib_computer *computer, const ib_fcc_in *in, ib_fcc_out *out, ib_diags *diags);
    size_t (*state_size)(const ib_computer *computer);
    void (*save)(const ib_computer *computer, void *state);
    void (*restore)(ib_computer *computer, const void *state);
    ib_status (*post)(ib_computer *computer, const ib_fcc_mail *mail, ib_fcc_mail *back, bool *any,
                      ib_diags *diags);
    ib_channel_counts (*counts)(const ib_computer *computer);
    void (*close)(ib_computer *computer); /* all but the strings of ib_computer and itself */
} ib_computer_functions;

/* The first member of every kind. */
struct ib_computer {
    const ib_computer_functions *functions;
    char *vehicle; /* or NULL */
    char *name;    /* path or address */
    ib_fcc_guard guard;
    bool failed;
    uint32_t n[IB_FCC_KIND_COUNT]; /* devices, of one that keeps its own time */
};

/* Sets the common part of a zeroed computer. IB_NO_MEMORY with a diagnostic. */
ib_status ib_computer_prepare(ib_computer *computer, const ib_computer_functions *functions,
                              const char *name, const ib_computer_options *options,
                              ib_diags *diags);
/* Reports that the computer failed in a tick. Returns IB_SIMULATION_FAILED. */
ib_status ib_computer_fail(const ib_computer *computer, int64_t tick, ib_diag_id id,
                           ib_diags *diags, const char *format, ...) IB_PRINTF(5, 6);
ib_status ib_fcc_no_memory(ib_diags *diags);
/* "SIGSEGV: it reached for memory that is not its own". */
const char *ib_fcc_signal_text(int signal_number);

/* ---- frame.c ---- */

const char *ib_fcc_kind_name(ib_fcc_kind kind); /* "ecu" */
/* Opens mail, which is none that is faulty, into an input frame. */
void ib_mail_open(const ib_fcc_mail *mail, ib_fcc_in *in);
/* Adds an empty message, for which there is room. */
ib_fcc_message *ib_mail_add(ib_fcc_mail *mail, ib_fcc_kind kind, size_t device);

/* ---- target.c: the computer's side of mail ---- */

/* A computer that ticks by a clock of its own. */
typedef struct ib_target {
    ib_computer *computer; /* borrowed */
    int64_t period, next;  /* of its ticks; when the next one is */
    ib_fcc_in in;
    ib_fcc_out out;
} ib_target;

void ib_target_begin(ib_target *target, const ib_fcc_attach *attach, ib_computer *computer);
/* Its tick if one is due at `now`, and mail of what it says, in any case. */
ib_status ib_target_run(ib_target *target, int64_t now, ib_fcc_mail *mail, ib_diags *diags);

/* ---- native.c ---- */

/* Whether the library could be opened, but for what ib_fcc_init says. */
ib_status ib_native_check(const char *path, ib_fcc_guard guard, ib_diags *diags);

/* ---- compile.c ---- */

/* Whether the path is that of a source rather than a library. */
bool ib_fcc_is_source(const char *path);
/* The library of a source, compiled if need be; *library is an empty text to be filled.
 * IB_BAD_INPUT with the compiler's first error, placed where it is. */
ib_status ib_fcc_compile(const char *source, ib_place place, ib_diags *diags, ib_str *library);

/* ---- wire.c ---- */

/* Counts what is not good. */
void ib_wire_count(ib_wire_fault fault, ib_channel_counts *counts);

/* ---- carrier.c, carrier_udp.c, carrier_shm.c: how bytes travel ---- */

typedef struct ib_carrier ib_carrier;

typedef struct ib_carrier_functions {
    /* To the peer; a listener's peer is who sent the last frame. What cannot be sent is lost. */
    void (*send)(ib_carrier *carrier, const void *bytes, size_t n);
    /* Waits at most so long for a frame. Returns its size, or -1 for none. What is longer than
     * `size` is cut. */
    int (*receive)(ib_carrier *carrier, void *bytes, size_t size, int milliseconds);
    /* False when the peer is known to be gone. */
    bool (*alive)(const ib_carrier *carrier);
    void (*close)(ib_carrier *carrier);
} ib_carrier_functions;

struct ib_carrier {
    const ib_carrier_functions *functions;
    bool lossy;    /* frames can get lost */
    char *address; /* where a listener listens, with the port chosen */
};

/* Is it an address of a channel? IB_BAD_INPUT with a diagnostic at the place. */
ib_status ib_carrier_check(const char *address, ib_place place, ib_diags *diags);
ib_status ib_carrier_listen(const char *address, ib_diags *diags, ib_carrier **carrier);
/* Tries once. IB_OK with *carrier NULL: there is nobody (yet); IB_INTERRUPTED: somebody else is
 * connected. */
ib_status ib_carrier_connect(const char *address, ib_place place, ib_diags *diags,
                             ib_carrier **carrier);
void ib_carrier_close(ib_carrier *carrier); /* NULL is allowed */

/* Of each scheme, behind "://". */
ib_status ib_udp_check(const char *rest, ib_place place, ib_diags *diags);
ib_status ib_udp_listen(const char *rest, ib_diags *diags, ib_carrier **carrier);
ib_status ib_udp_connect(const char *rest, ib_place place, ib_diags *diags, ib_carrier **carrier);
ib_status ib_shm_check(const char *rest, ib_place place, ib_diags *diags);
ib_status ib_shm_listen(const char *rest, ib_diags *diags, ib_carrier **carrier);
ib_status ib_shm_connect(const char *rest, ib_place place, ib_diags *diags, ib_carrier **carrier);

/* ---- isolated.c, channel.c ---- */

/* The process behind a channel, if it is ours. */
typedef struct ib_child {
    int pid;           /* 0: none */
    bool ended;        /* seen to have ended, */
    int signal_number; /* by that signal; 0: by itself */
} ib_child;

bool ib_child_running(ib_child *child);
void ib_child_end(ib_child *child); /* asks, then insists */

/* As ib_computer_open_channel, for a peer that `child` is (pid 0: none); takes it over. */
ib_status ib_channel_open(const char *address, const char *name, ib_child child,
                          const ib_computer_options *options, ib_diags *diags,
                          ib_computer **computer);

#endif
