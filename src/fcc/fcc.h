/* fcc: flight computers of all kinds. The one header that siblings include.
 *
 * A computer turns an input frame into an output frame, whatever it is: a library in this process,
 * a library in a process of its own, or a peer behind a channel. Frames are filled from a vehicle's
 * bus and emptied onto it by the functions of frame.c. Ticking allocates nothing; a native
 * computer's tick makes no system call.
 *
 * Nothing here installs a signal handler, prints or ends the process.
 */
#ifndef IB_FCC_INTERNAL_H
#define IB_FCC_INTERNAL_H

#include "fcc/wire.h"

/* ---- computer.c: one interface to all kinds ------------------------------------------------- */

typedef struct ib_computer ib_computer;

/* Calls work(argument) and contains what a crash in it would do. Returns 0, or the number of the
 * signal that ended the call. The program has one to give (it alone may install handlers); without
 * it a crash of a library in this process is a crash of the process. */
typedef int (*ib_fcc_guard)(void (*work)(void *argument), void *argument);

/* What every kind takes; the strings are copied. All may be zero. */
typedef struct ib_computer_options {
    const char *vehicle; /* for messages */
    const char *config;  /* handed to ib_fcc_init; NULL: empty */
    ib_place place;      /* in the mission, for messages at load */
    ib_fcc_guard guard;  /* NULL: none */
    double timeout;      /* s of wall time that a peer may take for an answer; 0: 2 s */
    const char *host;    /* the ironbird program, for isolated ones; NULL: the one on the PATH */
    const ib_fcc_attach *attach;    /* of a peer that keeps its own time, which needs a channel */
    bool (*stopped)(void *context); /* asked while waiting for a peer; true ends the wait */
    void *context;                  /* of stopped */
} ib_computer_options;

/* A library in this process, or a source (NAME.c) that is compiled into one, already initialised.
 * IB_BAD_INPUT with a diagnostic when it is
 * missing, no library for this machine, truncated, lacks a function, has another ABI, or refuses
 * its configuration. *computer is NULL unless IB_OK. */
ib_status ib_computer_open_native(const char *path, const ib_computer_options *options,
                                  ib_diags *diags, ib_computer **computer);
/* The same in a process of its own, over shared memory: nothing that it does to its memory reaches
 * ours. */
ib_status ib_computer_open_isolated(const char *path, const ib_computer_options *options,
                                    ib_diags *diags, ib_computer **computer);
/* A peer that listens at udp://HOST:PORT or shm://NAME. Waits for it to appear until the time-out
 * has passed. */
ib_status ib_computer_open_channel(const char *address, const ib_computer_options *options,
                                   ib_diags *diags, ib_computer **computer);

/* One tick. *out is written whole, and checked: counts within bounds, numbers finite, the text
 * terminated. IB_SIMULATION_FAILED with one diagnostic that names vehicle and tick when the
 * computer fails, crashes, writes past its frame or state, is silent until the time-out, or answers
 * what cannot be; from then on every tick fails at once. IB_INTERRUPTED when `stopped` said so. */
ib_status ib_computer_tick(ib_computer *computer, const ib_fcc_in *in, ib_fcc_out *out,
                           ib_diags *diags);

/* The same for a computer that keeps its own time: sends mail, and waits for the answer where the
 * computer runs in lockstep. Without, *back is the oldest mail that has come, and *any false when
 * there is none; `mail` NULL: nothing is sent. *back holds the computer's mail before, for errors
 * to name its tick. */
ib_status ib_computer_post(ib_computer *computer, const ib_fcc_mail *mail, ib_fcc_mail *back,
                           bool *any, ib_diags *diags);

/* Monotonic wall time, s. */
double ib_wall_seconds(void);

/* What a snapshot keeps. 0 for a native computer without state, SIZE_MAX: it cannot be saved
 * (channels, isolated ones). */
size_t ib_computer_state_size(const ib_computer *computer);
void ib_computer_save(const ib_computer *computer, void *state);
/* IB_BAD_INPUT when the size is another. */
ib_status ib_computer_restore(ib_computer *computer, const void *state, size_t size);

/* Frames of a channel since it was opened. Each one received is good or one of the others. */
typedef struct ib_channel_counts {
    uint64_t sent, resent;
    uint64_t received;   /* all of those below */
    uint64_t good;       /* answers that were waited for */
    uint64_t small;      /* shorter than a head, or than their head says, or longer */
    uint64_t corrupt;    /* wrong checksum */
    uint64_t foreign;    /* of no flight computer, of another version, session or sender */
    uint64_t duplicate;  /* of an answer already taken */
    uint64_t late;       /* of an earlier tick */
    uint64_t unexpected; /* well formed, but of no use now */
} ib_channel_counts;

/* All zero for native computers. */
ib_channel_counts ib_computer_counts(const ib_computer *computer);

/* Ends it: says goodbye to a peer, waits for a process of ours. NULL is allowed. */
void ib_computer_close(ib_computer *computer);

/* ---- frame.c, command.c: between a vehicle's bus and the frames ----------------------------- */

/* Which devices stand behind which entries of the frames. Plain data, constant during a run. */
typedef struct ib_fcc_wiring {
    uint16_t vehicle;
    uint16_t address; /* of the computer itself on the bus */
    uint8_t priority; /* of its messages */
    uint32_t n[IB_FCC_KIND_COUNT];
    uint16_t device[IB_FCC_KIND_COUNT][IB_FCC_MOST]; /* addresses */
    uint32_t n_user_in, n_user_out;                  /* signals of the mission */
} ib_fcc_wiring;

/* A device of the vehicle, in the order of the mission file. */
typedef struct ib_fcc_device {
    ib_fcc_kind kind;
    uint16_t address;
} ib_fcc_device;

/* Fills wiring->n and ->device. IB_BAD_INPUT at `place` when a frame has no room for all devices of
 * a kind, or for the signals: names bound and count. */
ib_status ib_wiring_make(const ib_fcc_device *devices, size_t n, const char *vehicle,
                         ib_place place, ib_diags *diags, ib_fcc_wiring *wiring);

/* An input frame that nothing has been heard for; its counts are set. */
void ib_frame_reset(const ib_fcc_wiring *wiring, ib_fcc_in *in);
/* Takes the messages that are due at `now` for this computer off the bus into the frame. May be
 * called at any time, and as often as one likes: more often than the computer ticks keeps a bus of
 * fast devices from running over. */
void ib_frame_absorb(const ib_fcc_wiring *wiring, ib_bus *bus, ib_time now, ib_fcc_in *in);
/* Begins the computer's next tick: counts it, sets time and period. */
void ib_frame_begin(ib_fcc_in *in, ib_time now, ib_time period);
/* Ends it: what the frame holds is no longer new. */
void ib_frame_end(ib_fcc_in *in);
/* Publishes the commands at `now`. IB_SIMULATION_FAILED, naming vehicle and tick, when the computer
 * commands more devices than the vehicle has; nothing is published then. */
ib_status ib_frame_publish(const ib_fcc_wiring *wiring, const ib_fcc_out *out, int64_t tick,
                           const char *vehicle, ib_time now, ib_bus *bus, ib_diags *diags);

/* The same for a computer that keeps its own time: mail of the messages that are due (what finds no
 * room waits on the bus), and the commands of its answer. */
void ib_mail_begin(ib_fcc_mail *mail, ib_time now);
void ib_mail_absorb(const ib_fcc_wiring *wiring, ib_bus *bus, ib_time now, ib_fcc_mail *mail);
void ib_mail_publish(const ib_fcc_wiring *wiring, const ib_fcc_mail *mail, ib_time now,
                     ib_bus *bus);

/* ---- server.c: the other end of a channel --------------------------------------------------- */

typedef struct ib_server ib_server;

typedef struct ib_server_options {
    const char *config; /* for ib_fcc_init where the mission sends none; NULL: empty */
    ib_fcc_guard guard;
    bool once; /* end after the first run */
    bool (*stopped)(void *context);
    void *context;
} ib_server_options;

/* Listens at the address for runs that want the library's computer. The library is opened once to
 * see that it is good. */
ib_status ib_server_open(const char *library, const char *address, const ib_server_options *options,
                         ib_diags *diags, ib_server **server);
/* Where it listens: the address with the port that was chosen for port 0. The server's own. */
const char *ib_server_address(const ib_server *server);

typedef struct ib_server_counts {
    uint64_t runs, ticks;
    ib_channel_counts frames;
} ib_server_counts;

typedef enum ib_server_event {
    IB_SERVER_BEGUN,  /* a run has connected */
    IB_SERVER_ENDED,  /* said goodbye */
    IB_SERVER_FAILED, /* its computer could not be opened or failed; diagnostics say why */
    IB_SERVER_STOPPED /* `stopped` said so, or `once` is over */
} ib_server_event;

/* Serves until the next event. IB_OK with *event, or what has broken (the transport itself). */
ib_status ib_server_run(ib_server *server, ib_diags *diags, ib_server_event *event);
ib_server_counts ib_server_count(const ib_server *server);
void ib_server_close(ib_server *server);

#endif
