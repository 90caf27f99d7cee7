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

#define STACK_SIZE 32768

static _Thread_local sigjmp_buf *place;           /* NULL: no guarded call is on */
static _Thread_local volatile sig_atomic_t fault; /* the signal that ended it */
static _Thread_local bool has_stack;
static _Thread_local char handler_stack[STACK_SIZE];

static void leave(int signal_number) {
    if (place) {
        fault = signal_number;
        siglongjmp(*place, 1);
    }
    /* Not ours: again, without this handler. */
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void ib_guard_watch(void) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_handler = leave, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < IB_COUNT(faults); i++)
        sigaction(faults[i], &action, NULL);
}

/* A stack for this thread's handler, unless somebody gave it one already. */
static void give_stack(void) {
    const stack_t own = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    stack_t there;
    has_stack = true;
    if (sigaltstack(NULL, &there) == 0 && (there.ss_flags & SS_DISABLE))
        (void)sigaltstack(&own, NULL);
}

int ib_guard(void (*work)(void *argument), void *argument) {
    sigjmp_buf here;
    if (!has_stack) {
        give_stack();
        ib_guard_watch();
    }
    fault = 0;
    if (sigsetjmp(here, 0) == 0) {
        place = &here;
        work(argument);
    }
    place = NULL;
    return fault;
}
