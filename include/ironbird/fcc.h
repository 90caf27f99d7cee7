/* Flight computers: the frames that one reads and writes, and the functions that it exports.
 *
 * This header needs nothing but <stdint.h>, in C and in C++. It serves native libraries, computers
 * behind a channel and firmware alike, so the layout is fixed: every struct is free of padding on
 * any machine that aligns naturally or less, holds no pointer, and is little-endian on the wire.
 * What changes it changes IB_FCC_ABI.
 *
 * Times are int64 nanoseconds of simulated time. Vectors are in body axes unless named otherwise.
 */
#ifndef IRONBIRD_FCC_H
#define IRONBIRD_FCC_H

#include <stdint.h>

#if defined(__cplusplus)
#define IB_FCC_ASSERT(what, text) static_assert(what, text)
extern "C" {
#else
#define IB_FCC_ASSERT(what, text) _Static_assert(what, text)
#endif

/* Of the frames and functions of this header. */
#define IB_FCC_ABI 1u

#define IB_FCC_MOST 8   /* devices of one kind */
#define IB_FCC_PWM 16   /* pulse widths */
#define IB_FCC_USER 64  /* numbers of the mission's own */
#define IB_FCC_TEXT 256 /* bytes of a text, its end included */

/* The stamp of what no device has said yet. */
#define IB_FCC_NEVER INT64_MIN

/* ---- what it reads -------------------------------------------------------------------------- */

/* An entry holds what its device said last, and keeps it until it says something else. */
enum {
    IB_FCC_SATURATED = 1, /* at the end of its range */
    IB_FCC_INVALID = 2,   /* the device itself calls it invalid */
    IB_FCC_NEW = 4        /* arrived since this computer's tick before */
};

typedef struct ib_fcc_imu {
    int64_t stamp;            /* when it was sampled, ns */
    double specific_force[3]; /* m/s^2; on the ground, level: (0, 0, -g) in forward-right-down */
    double rate[3];           /* rad/s */
    double temperature;       /* degrees Celsius */
    uint32_t flags;
    uint32_t reserved;
} ib_fcc_imu;

typedef struct ib_fcc_gps {
    int64_t stamp;
    uint32_t week, time_of_week; /* GPS week; ms */
    double latitude, longitude;  /* degrees */
    double height;               /* above the ellipsoid, m */
    double velocity[3];          /* north, east, down, m/s */
    uint32_t fix;                /* 0: none, and place and velocity mean nothing; 3: three axes */
    uint32_t satellites;
    uint32_t flags;
    uint32_t reserved;
} ib_fcc_gps;

typedef struct ib_fcc_baro {
    int64_t stamp;
    double pressure;    /* Pa */
    double temperature; /* degrees Celsius */
    uint32_t flags;
    uint32_t reserved;
} ib_fcc_baro;

typedef struct ib_fcc_mag {
    int64_t stamp;
    double field[3]; /* gauss */
    uint32_t flags;
    uint32_t reserved;
} ib_fcc_mag;

typedef struct ib_fcc_altimeter {
    int64_t stamp;
    double range; /* m */
    uint32_t flags;
    uint32_t reserved;
} ib_fcc_altimeter;

enum {
    IB_FCC_ENGINE_OFF,
    IB_FCC_ENGINE_IGNITING,
    IB_FCC_ENGINE_RISING,
    IB_FCC_ENGINE_RUNNING,
    IB_FCC_ENGINE_DECAYING,
    IB_FCC_ENGINE_FAILED
};

typedef struct ib_fcc_engine {
    int64_t stamp;
    uint32_t state; /* IB_FCC_ENGINE_... */
    uint32_t flags;
    double thrust;   /* N */
    double pressure; /* of the chamber, Pa */
    double speed;    /* of what turns in it, rad/s; 0 where nothing does */
} ib_fcc_engine;

enum {
    IB_FCC_SERVO_HOLDING,
    IB_FCC_SERVO_MOVING,
    IB_FCC_SERVO_AT_STOP,
    IB_FCC_SERVO_STUCK,
    IB_FCC_SERVO_FLOATING,
    IB_FCC_SERVO_HARD_OVER
};

/* Servos and fins. */
typedef struct ib_fcc_servo {
    int64_t stamp;
    uint32_t state; /* IB_FCC_SERVO_... */
    uint32_t flags;
    double angle; /* rad */
} ib_fcc_servo;

enum { IB_FCC_INTERLOCK_SAFE, IB_FCC_INTERLOCK_ARMED, IB_FCC_INTERLOCK_FIRED };

typedef struct ib_fcc_interlock {
    int64_t stamp;
    uint32_t state; /* IB_FCC_INTERLOCK_... */
    uint32_t flags;
    uint32_t bolts; /* that have been fired, as bits */
    uint32_t reserved;
} ib_fcc_interlock;

/* The input frame. Of every array the first n_... entries are in use, one for each device of the
 * kind, in the order of the mission file; the others are zero. */
typedef struct ib_fcc_in {
    uint32_t abi; /* IB_FCC_ABI */
    uint32_t reserved;
    int64_t tick; /* of this computer: 1, 2, ... */
    int64_t time; /* now: the newest samples carry this stamp */
    int64_t dt;   /* this computer's own period */
    uint32_t n_imu, n_gps, n_baro, n_mag, n_altimeter;
    uint32_t n_engine, n_servo, n_fin, n_interlock, n_user;
    ib_fcc_imu imu[IB_FCC_MOST];
    ib_fcc_gps gps[IB_FCC_MOST];
    ib_fcc_baro baro[IB_FCC_MOST];
    ib_fcc_mag mag[IB_FCC_MOST];
    ib_fcc_altimeter altimeter[IB_FCC_MOST];
    ib_fcc_engine engine[IB_FCC_MOST];
    ib_fcc_servo servo[IB_FCC_MOST];
    ib_fcc_servo fin[IB_FCC_MOST];
    ib_fcc_interlock interlock[IB_FCC_MOST];
    double user[IB_FCC_USER]; /* named by the mission's `signals:` */
} ib_fcc_in;

/* ---- what it writes ------------------------------------------------------------------------- */

typedef struct ib_fcc_engine_command {
    uint32_t start;     /* 1: start it */
    uint32_t stop;      /* 1: stop it; of both, the stop counts */
    uint32_t throttled; /* 1: throttle is a command; 0: it stays as it was */
    uint32_t reserved;
    double throttle; /* 0 to 1 */
} ib_fcc_engine_command;

typedef struct ib_fcc_interlock_command {
    uint32_t arm;  /* 1: arm it */
    uint32_t fire; /* 1: fire, which it does if it is armed */
} ib_fcc_interlock_command;

/* The output frame. It is all zero but for `abi` before every tick. The first n_... entries of an
 * array are commands, entry i for device i of the input frame; a device without a command goes on
 * as commanded before. Every number in use has to be finite. */
typedef struct ib_fcc_out {
    uint32_t abi; /* IB_FCC_ABI */
    uint32_t reserved;
    uint32_t n_engine, n_servo, n_fin, n_interlock, n_pwm, n_user;
    ib_fcc_engine_command engine[IB_FCC_MOST];
    double servo[IB_FCC_MOST]; /* rad */
    double fin[IB_FCC_MOST];   /* rad */
    ib_fcc_interlock_command interlock[IB_FCC_MOST];
    double pwm[IB_FCC_PWM];     /* pulse widths, us */
    double user[IB_FCC_USER];   /* named by the mission's `signals:` */
    char log_text[IB_FCC_TEXT]; /* a line for the log; empty: none */
} ib_fcc_out;

/* ---- messages, for a computer that keeps its own time --------------------------------------- */

/* In mode hil_fcc a computer gets no input frames: it gets what devices say as they say it, ticks
 * when its own clock wants it to, and answers with commands. Host and computer send each other mail
 * (docs/flight-computer.md). */
typedef enum ib_fcc_kind {
    IB_FCC_KIND_IMU,
    IB_FCC_KIND_GPS,
    IB_FCC_KIND_BARO,
    IB_FCC_KIND_MAG,
    IB_FCC_KIND_ALTIMETER,
    IB_FCC_KIND_ENGINE,
    IB_FCC_KIND_SERVO,
    IB_FCC_KIND_FIN,
    IB_FCC_KIND_INTERLOCK,
    IB_FCC_KIND_MOTORS, /* commanded by `pwm`, heard nothing of */
    IB_FCC_KIND_COUNT
} ib_fcc_kind;

/* From the host `body` is the entry that the input frame would hold for that device (an ib_fcc_imu,
 * say); to the host it is an entry of the output frame: an ib_fcc_engine_command, an
 * ib_fcc_interlock_command, or a double for a servo or a fin. */
typedef struct ib_fcc_message {
    uint32_t kind;    /* ib_fcc_kind */
    uint32_t device;  /* 0, 1, ... in the order of the mission file */
    uint8_t body[80]; /* zero behind what it is */
} ib_fcc_message;

#define IB_FCC_MAIL 128 /* messages at once */

/* What is sent is as long as its messages need. `user`, `pwm` and `log_text` of the computer are of
 * its last tick, and count when `ticks` has grown since its mail before. */
typedef struct ib_fcc_mail {
    uint32_t abi; /* IB_FCC_ABI */
    uint32_t n_messages;
    int64_t time;  /* the sender's clock, ns; the host's begins with 0 */
    int64_t ticks; /* of the computer so far; from the host 0 */
    uint32_t n_user, n_pwm;
    double user[IB_FCC_USER]; /* named by the mission's `signals:` */
    double pwm[IB_FCC_PWM];
    char log_text[IB_FCC_TEXT];
    ib_fcc_message messages[IB_FCC_MAIL];
} ib_fcc_mail;

/* How a run with such a computer begins; the text of its configuration follows. */
typedef struct ib_fcc_attach {
    uint32_t abi; /* IB_FCC_ABI */
    uint32_t
        own_clock;  /* 1: it ticks by a clock of its own; 0: in lockstep, by the host's `time` */
    int64_t period; /* of its ticks, ns */
    uint32_t n[IB_FCC_KIND_COUNT]; /* devices of each kind */
    uint32_t n_user;               /* numbers that `user` of the host's mail holds */
    uint32_t reserved;
} ib_fcc_attach;

/* Sums of what the members take: equal to the size only where nothing is padded, so that they fix
 * every offset too. */
IB_FCC_ASSERT(sizeof(ib_fcc_imu) == 72, "ib_fcc_imu");
IB_FCC_ASSERT(sizeof(ib_fcc_gps) == 80, "ib_fcc_gps");
IB_FCC_ASSERT(sizeof(ib_fcc_baro) == 32, "ib_fcc_baro");
IB_FCC_ASSERT(sizeof(ib_fcc_mag) == 40, "ib_fcc_mag");
IB_FCC_ASSERT(sizeof(ib_fcc_altimeter) == 24, "ib_fcc_altimeter");
IB_FCC_ASSERT(sizeof(ib_fcc_engine) == 40, "ib_fcc_engine");
IB_FCC_ASSERT(sizeof(ib_fcc_servo) == 24, "ib_fcc_servo");
IB_FCC_ASSERT(sizeof(ib_fcc_interlock) == 24, "ib_fcc_interlock");
IB_FCC_ASSERT(sizeof(ib_fcc_in) == 3464, "ib_fcc_in");
IB_FCC_ASSERT(sizeof(ib_fcc_engine_command) == 24, "ib_fcc_engine_command");
IB_FCC_ASSERT(sizeof(ib_fcc_interlock_command) == 8, "ib_fcc_interlock_command");
IB_FCC_ASSERT(sizeof(ib_fcc_out) == 1312, "ib_fcc_out");
IB_FCC_ASSERT(sizeof(ib_fcc_message) == 88, "ib_fcc_message");
IB_FCC_ASSERT(sizeof(ib_fcc_mail) == 32 + 640 + 256 + 128 * 88, "ib_fcc_mail");
IB_FCC_ASSERT(sizeof(ib_fcc_attach) == 64, "ib_fcc_attach");

/* ---- what a native library exports ---------------------------------------------------------- */

#if defined(__GNUC__)
#define IB_FCC_EXPORT __attribute__((visibility("default")))
#else
#define IB_FCC_EXPORT
#endif

/* Returns IB_FCC_ABI. Nothing else is called unless it is the one of the host. */
IB_FCC_EXPORT uint32_t ib_fcc_abi(void);

/* Called twice. First with state NULL: puts the size of the state in bytes into *state_size (0:
 * none, and it is called only once; at most 16 MiB). Then with that many zeroed bytes at an address
 * divisible by 64: fills in the state that the first tick finds, and says the same size again.
 *
 * The state is the host's and is all that the computer remembers: plain data without pointers,
 * which the host saves and restores by copying it, perhaps to another address. Nothing is kept
 * elsewhere: vehicles that fly one library have a state each.
 *
 * config: the text of the mission's `config:`, one line `name=value` each (never NULL; docs/
 * flight-computer.md). Returns 0, or anything else to refuse it, with the reason in `message`. */
IB_FCC_EXPORT int32_t ib_fcc_init(const char *config, void *state, uint64_t *state_size,
                                  char message[IB_FCC_TEXT]);

/* One tick: reads *in, writes *out, changes the state, and nothing else. Returns 0, or anything
 * else to end the run, with the reason in out->log_text. */
IB_FCC_EXPORT int32_t ib_fcc_tick(const ib_fcc_in *in, ib_fcc_out *out, void *state);

#if defined(__cplusplus)
}
#endif

#endif
