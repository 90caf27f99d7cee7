/* The host's side of the turn: shared memory without a name, and a futex. */
#define _GNU_SOURCE /* syscall */
#include "firmware/internal.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_NS = 20000000 }; /* after which the emulator's life is looked after */

/* A segment that nobody else can open: its name is gone before anybody knows it. */
static int open_segment(const void *mark) {
    char name[64];
    snprintf(name, sizeof name, "/ironbird-firmware-%ld-%llx", (long)getpid(),
             (unsigned long long)(uintptr_t)mark);
    const int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file >= 0)
        shm_unlink(name);
    return file;
}

ib_frame *ib_frame_make(int *file) {
    *file = open_segment(file);
    if (*file < 0)
        return NULL;
    ib_frame *frame = MAP_FAILED;
    if (ftruncate(*file, (off_t)sizeof *frame) == 0)
        frame = mmap(NULL, sizeof *frame, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
    if (frame == MAP_FAILED) {
        close(*file);
        *file = -1;
        return NULL;
    }
    frame->magic = IB_FRAME_MAGIC;
    frame->version = IB_FRAME_VERSION;
    frame->size = sizeof *frame;
    frame->turn = IB_TURN_FIRMWARE;
    frame->host = (uint32_t)getpid();
    return frame;
}

void ib_frame_drop(ib_frame *frame) {
    if (frame)
        munmap(frame, sizeof *frame);
}

static _Atomic uint32_t *word(ib_frame *frame) { return (_Atomic uint32_t *)&frame->turn; }

void ib_turn_give(ib_frame *frame) {
    atomic_store_explicit(word(frame), IB_TURN_FIRMWARE, memory_order_release);
    syscall(SYS_futex, &frame->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

bool ib_turn_wait(ib_frame *frame) {
    const struct timespec most = {.tv_nsec = WAIT_NS};
    if (atomic_load_explicit(word(frame), memory_order_acquire) != IB_TURN_HOST)
        syscall(SYS_futex, &frame->turn, FUTEX_WAIT, IB_TURN_FIRMWARE, &most, NULL, 0);
    return atomic_load_explicit(word(frame), memory_order_acquire) == IB_TURN_HOST;
}

double ib_turn_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
