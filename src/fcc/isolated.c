/* A flight computer in a process of its own: `ironbird fcc serve LIB` over shared memory, started
 * and ended by us. Whatever the library does to its memory, and however long it takes, the
 * simulation is told and goes on to keep its results.
 */
#include "fcc/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* ---- the process ---------------------------------------------------------------------------- */

bool ib_child_running(ib_child *child) {
    int status = 0;
    if (!child->pid || child->ended)
        return false;
    const pid_t got = waitpid(child->pid, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR))
        return true;
    child->ended = true;
    child->signal_number = got > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return false;
}

/* It ends by itself when the run says goodbye; else it is asked, then killed. */
void ib_child_end(ib_child *child) {
    const struct timespec nap = {.tv_nsec = 2000000};
    for (int i = 0; child->pid && ib_child_running(child); i++) {
        if (i == 100)
            kill(child->pid, SIGTERM);
        if (i >= 200)
            kill(child->pid, SIGKILL);
        nanosleep(&nap, NULL);
    }
}

/* Starts the program with nothing to read, nowhere to print, and a process group of its own: Ctrl-C
 * is for the simulation, which then ends it. Returns 0 when it cannot be. */
static int start(char *const *arguments) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    pid_t child = 0;
    if (posix_spawn_file_actions_init(&files) != 0)
        return 0;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return 0;
    }
    const bool started =
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP) == 0 &&
        posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDWR, 0) == 0 &&
        posix_spawn_file_actions_adddup2(&files, 0, 1) == 0 &&
        posix_spawn_file_actions_adddup2(&files, 0, 2) == 0 &&
        posix_spawnp(&child, arguments[0], &files, &attributes, arguments, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return started ? (int)child : 0;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* A source is compiled here, where its errors can be told; the process then finds it compiled. */
static ib_status prepare(const char *path, ib_place place, ib_diags *diags) {
    ib_str library = {0};
    const ib_status status =
        ib_fcc_is_source(path) ? ib_fcc_compile(path, place, diags, &library) : IB_OK;
    ib_str_free(&library);
    return status;
}

ib_status ib_computer_open_isolated(const char *path, const ib_computer_options *options,
                                    ib_diags *diags, ib_computer **computer) {
    char address[96], parent[24];
    const char *host = options->host ? options->host : "ironbird";
    *computer = NULL;
    /* Named after what nobody else has at the same time: this process and this block of memory. */
    ib_crc *mark = malloc(sizeof *mark);
    if (!mark)
        return ib_fcc_no_memory(diags);
    snprintf(address, sizeof address, "shm://ironbird-%ld-%llx", (long)getpid(),
             (unsigned long long)(uintptr_t)mark);
    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    char *const arguments[] = {(char *)host, "fcc",     "serve",  (char *)path,
                               "--listen",   address,   "--once", "--with-process",
                               parent,       "--quiet", NULL};
    ib_status status = prepare(path, options->place, diags);
    if (status != IB_OK) {
        free(mark);
        return status;
    }
    const ib_child child = {.pid = ib_program_found(host) ? start(arguments) : 0};
    status = IB_BAD_INPUT;
    if (child.pid)
        status = ib_channel_open(address, path, child, options, diags, computer);
    else
        ib_diags_add(diags, IB_ERROR, IB1201, options->place,
                     "flight computer '%s' cannot have a process of its own: there is no program "
                     "'%s'",
                     path, host);
    free(mark);
    return status;
}
