/* Ctrl-C: the first signal is noted and ends the run after the present step; then the signal has
 * its usual effect again, so that the second one ends the program at once. A terminal that is
 * closed does the same, unless nohup asked for the contrary; a reader of messages that goes away
 * does not end a run.
 *
 * A signal handler can reach nothing but a global: this is the program's only one.
 */
#include "run.h"

#include <signal.h>

static volatile sig_atomic_t interrupted;

static void note(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

void ib_interrupt_watch(void) {
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction hang_up;
    if (sigaction(SIGHUP, NULL, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

bool ib_interrupt_seen(void) { return interrupted; }
