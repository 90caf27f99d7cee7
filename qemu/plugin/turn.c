/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The firmware side of the turn, and the watch over the host: an emulator whose host has died ends
 * within a fraction of a second, whatever it was doing, so that none is ever left over. */
#define _GNU_SOURCE
#include "qemu/plugin/plugin.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NS = 100000000 }; /* how often the host is looked after */

ib_frame *ib_turn_open(int number) {
    struct stat facts;
    if (fstat(number, &facts) != 0 || facts.st_size != (off_t)sizeof(ib_frame))
        return NULL;
    ib_frame *frame = mmap(NULL, sizeof(ib_frame), PROT_READ | PROT_WRITE, MAP_SHARED, number, 0);
    close(number);
    if (frame == MAP_FAILED)
        return NULL;
    const bool ours = frame->magic == IB_FRAME_MAGIC && frame->version == IB_FRAME_VERSION &&
                      frame->size == sizeof(ib_frame);
    return ours ? frame : NULL;
}

static void *watch(void *argument) {
    const ib_frame *frame = argument;
    const struct timespec nap = {.tv_nsec = LOOK_NS};
    while (getppid() == (pid_t)frame->host)
        nanosleep(&nap, NULL);
    _exit(1);
}

void ib_turn_watch_host(const ib_frame *frame) {
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, watch, (void *)(uintptr_t)frame) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static _Atomic uint32_t *word(ib_frame *frame) { return (_Atomic uint32_t *)&frame->turn; }

void ib_turn_give(ib_frame *frame, ib_frame_state state) {
    frame->state = state;
    frame->sequence++;
    atomic_store_explicit(word(frame), IB_TURN_HOST, memory_order_release);
    syscall(SYS_futex, &frame->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
    while (atomic_load_explicit(word(frame), memory_order_acquire) == IB_TURN_HOST)
        syscall(SYS_futex, &frame->turn, FUTEX_WAIT, IB_TURN_HOST, NULL, NULL, 0);
    if (frame->order == IB_FRAME_QUIT) {
        fflush(NULL);
        _exit(0);
    }
}
