/* Frames through POSIX shared memory: one ring of frames in each direction, and a semaphore that
 * counts what waits in it.
 *
 * The listener makes the segment and names its process in it, the caller does the same when it
 * attaches; so each can see whether the other still lives, and a segment left behind by a process
 * that died is taken over. A ring has one writer and one reader. Nothing in the segment is trusted:
 * lengths are bounded and frames copied before anybody looks at them.
 */
#include "fcc/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC 0x4d534249u /* "IBSM" */
#define SLOTS 4u
#define NAME_MOST 200

typedef struct ring {
    sem_t waiting;
    atomic_uint head, tail; /* frames written and read so far */
    struct {
        uint32_t length;
        unsigned char bytes[IB_WIRE_MOST];
    } slots[SLOTS];
} ring;

typedef struct segment {
    atomic_uint magic; /* set last, when the rest is ready */
    uint32_t version;
    atomic_int listener, caller; /* processes; caller 0: nobody */
    ring to_listener, to_caller;
} segment;

typedef struct shm {
    ib_carrier carrier;
    segment *segment;
    bool listens;
    char name[NAME_MOST + 2]; /* "/guidance" */
} shm;

ib_status ib_shm_check(const char *rest, ib_place place, ib_diags *diags) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const size_t length = strlen(rest);
    if (length > 0 && length <= NAME_MOST && strspn(rest, letters) == length && rest[0] != '.')
        return IB_OK;
    ib_diags_add(diags, IB_ERROR, IB1210, place,
                 "shm://%s is no address: a name is 1 to %d letters, digits, '-', '_' or '.'", rest,
                 NAME_MOST);
    return IB_BAD_INPUT;
}

/* ---- a ring --------------------------------------------------------------------------------- */

static void ring_write(ring *this, const void *bytes, size_t n) {
    const unsigned head = atomic_load_explicit(&this->head, memory_order_relaxed);
    const unsigned tail = atomic_load_explicit(&this->tail, memory_order_acquire);
    if (head - tail >= SLOTS || n > IB_WIRE_MOST)
        return; /* nobody reads: lost */
    this->slots[head % SLOTS].length = (uint32_t)n;
    memcpy(this->slots[head % SLOTS].bytes, bytes, n);
    atomic_store_explicit(&this->head, head + 1, memory_order_release);
    sem_post(&this->waiting);
}

/* True when something may be there. The wait is by the wall clock, so it is kept short. */
static bool ring_wait(ring *this, int milliseconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)milliseconds % 1000 * 1000000;
    until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return sem_timedwait(&this->waiting, &until) == 0;
}

static int ring_read(ring *this, void *bytes, size_t size, int milliseconds) {
    if (!ring_wait(this, milliseconds))
        return -1;
    const unsigned tail = atomic_load_explicit(&this->tail, memory_order_relaxed);
    if (atomic_load_explicit(&this->head, memory_order_acquire) == tail)
        return -1;
    size_t n = this->slots[tail % SLOTS].length;
    n = n < size ? n : size;
    n = n < IB_WIRE_MOST ? n : IB_WIRE_MOST;
    memcpy(bytes, this->slots[tail % SLOTS].bytes, n);
    atomic_store_explicit(&this->tail, tail + 1, memory_order_release);
    return (int)n;
}

/* ---- the carrier ---------------------------------------------------------------------------- */

static bool lives(int process) { return process > 0 && (kill(process, 0) == 0 || errno == EPERM); }

static void shm_send(ib_carrier *carrier, const void *bytes, size_t n) {
    shm *self = (shm *)carrier;
    ring_write(self->listens ? &self->segment->to_caller : &self->segment->to_listener, bytes, n);
}

static int shm_receive(ib_carrier *carrier, void *bytes, size_t size, int milliseconds) {
    shm *self = (shm *)carrier;
    return ring_read(self->listens ? &self->segment->to_listener : &self->segment->to_caller, bytes,
                     size, milliseconds);
}

static bool shm_alive(const ib_carrier *carrier) {
    const shm *self = (const shm *)carrier;
    return lives(atomic_load(self->listens ? &self->segment->caller : &self->segment->listener));
}

static void shm_close(ib_carrier *carrier) {
    shm *self = (shm *)carrier;
    if (self->segment && self->listens) {
        atomic_store(&self->segment->listener, 0);
        shm_unlink(self->name);
    } else if (self->segment) {
        atomic_store(&self->segment->caller, 0);
    }
    if (self->segment)
        munmap(self->segment, sizeof *self->segment);
    free(self->carrier.address);
    free(self);
}

static const ib_carrier_functions functions = {
    .send = shm_send, .receive = shm_receive, .alive = shm_alive, .close = shm_close};

static shm *create(const char *rest, bool listens) {
    shm *self = calloc(1, sizeof *self);
    ib_str address = {0};
    ib_str_printf(&address, "shm://%s", rest);
    if (!self || address.failed) {
        ib_str_free(&address);
        free(self);
        return NULL;
    }
    self->carrier.functions = &functions;
    self->carrier.address = address.data;
    self->listens = listens;
    self->name[0] = '/';
    memcpy(self->name + 1, rest, strlen(rest) + 1);
    return self;
}

/* Maps an open segment and closes the file. NULL when it has not its whole size. */
static segment *map(int file) {
    struct stat facts;
    void *address = MAP_FAILED;
    if (fstat(file, &facts) == 0 && facts.st_size == (off_t)sizeof(segment))
        address = mmap(NULL, sizeof(segment), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return address == MAP_FAILED ? NULL : address;
}

/* ---- listening ------------------------------------------------------------------------------ */

/* The process that listens at a segment, 0 for none, -1 for a segment that is not ours. */
static int listener_of(const char *name) {
    const int file = shm_open(name, O_RDWR, 0);
    segment *there = file >= 0 ? map(file) : NULL;
    if (!there)
        return file >= 0 ? -1 : 0;
    const bool ours = atomic_load(&there->magic) == MAGIC;
    const int process = ours ? atomic_load(&there->listener) : -1;
    munmap(there, sizeof *there);
    return process;
}

/* Makes the segment's file, in place of one whose listener has died. */
static int make_file(const char *name) {
    const int flags = O_RDWR | O_CREAT | O_EXCL;
    int file = shm_open(name, flags, 0600);
    if (file < 0 && errno == EEXIST && !lives(listener_of(name))) {
        shm_unlink(name);
        file = shm_open(name, flags, 0600);
    }
    return file;
}

static bool prepare(segment *this) {
    if (sem_init(&this->to_listener.waiting, 1, 0) != 0 ||
        sem_init(&this->to_caller.waiting, 1, 0) != 0)
        return false;
    this->version = IB_WIRE_VERSION;
    atomic_store(&this->listener, (int)getpid());
    atomic_store(&this->magic, MAGIC);
    return true;
}

ib_status ib_shm_listen(const char *rest, ib_diags *diags, ib_carrier **carrier) {
    shm *self = create(rest, true);
    if (!self)
        return ib_fcc_no_memory(diags);
    const int file = make_file(self->name);
    const bool taken = file < 0 && errno == EEXIST;
    if (file >= 0 && ftruncate(file, (off_t)sizeof(segment)) == 0)
        self->segment = map(file);
    else if (file >= 0)
        close(file);
    if (self->segment && prepare(self->segment)) {
        *carrier = &self->carrier;
        return IB_OK;
    }
    ib_diags_add(diags, IB_ERROR, IB1210, IB_NO_PLACE, "cannot listen at shm://%s: %s", rest,
                 taken ? "somebody else does" : "the system gives no shared memory");
    if (file >= 0 && !self->segment)
        shm_unlink(self->name);
    shm_close(&self->carrier);
    return IB_IO_ERROR;
}

/* ---- calling -------------------------------------------------------------------------------- */

/* Puts this process in the caller's place if that is free, or held by one that has died. */
static bool attach(segment *this) {
    const int own = (int)getpid();
    int holder = 0;
    if (atomic_compare_exchange_strong(&this->caller, &holder, own))
        return true;
    return !lives(holder) && atomic_compare_exchange_strong(&this->caller, &holder, own);
}

ib_status ib_shm_connect(const char *rest, ib_place place, ib_diags *diags, ib_carrier **carrier) {
    (void)place;
    shm *self = create(rest, false);
    if (!self)
        return ib_fcc_no_memory(diags);
    const int file = shm_open(self->name, O_RDWR, 0);
    segment *there = file >= 0 ? map(file) : NULL;
    const bool ready = there && atomic_load(&there->magic) == MAGIC &&
                       there->version == IB_WIRE_VERSION && lives(atomic_load(&there->listener));
    const bool free_place = ready && attach(there);
    if (free_place) {
        self->segment = there;
        *carrier = &self->carrier;
        return IB_OK;
    }
    if (there)
        munmap(there, sizeof *there);
    shm_close(&self->carrier);
    return ready ? IB_INTERRUPTED : IB_OK;
}
