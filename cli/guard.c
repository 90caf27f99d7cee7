/* The guard around flight computers in this process: a crash in one ends the call, not the program.
 *
 * Each thread has a place to return to while it is inside a guarded call. A signal that a fault of
 * that thread raises goes there; any other takes its usual course. The handler runs on a stack of
 * its own, so that a stack that has run over is contained too. Memory that the library had locked
 * or spoilt stays so: the run that sees a crash keeps its results and ends.
 *
 * A handler reaches nothing but globals: these are one a thread.
 */
#define _DEFAULT_SOURCE /* sigaltstack */
#include "cli.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#define STACK_SIZE 65536

static _Thread_local sigjmp_buf *place;           /* NULL: no guarded call is on */
static _Thread_local volatile sig_atomic_t fault; /* the signal that ended it */
static _Thread_local bool has_stack;

static void leave(int signal_number) {
    if (place) {
        fault = signal_number;
        siglongjmp(*place, 1);
    }
    /* Not ours: again, without this handler. */
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void install(void) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_handler = leave, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < IB_COUNT(faults); i++)
        sigaction(faults[i], &action, NULL);
}

/* A stack for this thread's handler, for as long as the program runs. */
static void give_stack(void) {
    has_stack = true;
    const stack_t stack = {.ss_sp = malloc(STACK_SIZE), .ss_size = STACK_SIZE};
    if (stack.ss_sp && sigaltstack(&stack, NULL) != 0)
        free(stack.ss_sp);
}

int ib_guard(void (*work)(void *argument), void *argument) {
    sigjmp_buf here;
    if (!has_stack) {
        give_stack();
        install();
    }
    fault = 0;
    if (sigsetjmp(here, 0) == 0) {
        place = &here;
        work(argument);
    }
    place = NULL;
    return fault;
}
