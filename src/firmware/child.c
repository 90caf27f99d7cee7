/* The emulator's process: a group of its own, so that Ctrl-C is for the simulation, which then ends
 * it; nothing to read; what it prints in a file without a name. Should we die first, the plugin
 * notices and ends it. */
#include "firmware/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { SHARED = 3 }; /* the emulator's number for the frame's file */

/* An open file without a name, not inherited by other children. */
static int open_log(void) {
    FILE *file = tmpfile();
    if (!file)
        return -1;
    const int log = fcntl(fileno(file), F_DUPFD_CLOEXEC, SHARED + 1);
    fclose(file);
    return log;
}

static bool set_files(posix_spawn_file_actions_t *files, int log, int shared) {
    return posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0) == 0 &&
           posix_spawn_file_actions_adddup2(files, log, 1) == 0 &&
           posix_spawn_file_actions_adddup2(files, log, 2) == 0 &&
           posix_spawn_file_actions_adddup2(files, shared, SHARED) == 0;
}

bool ib_child_start(ib_emulator_child *child, char *const *arguments, int shared) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    *child = (ib_emulator_child){.log = open_log(), .code = -1};
    if (child->log < 0 || posix_spawn_file_actions_init(&files) != 0)
        return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return false;
    }
    const bool started =
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP) == 0 &&
        set_files(&files, child->log, shared) &&
        posix_spawnp(&child->process, arguments[0], &files, &attributes, arguments, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (!started)
        child->process = 0;
    return started;
}

bool ib_child_lives(ib_emulator_child *child) {
    int status = 0;
    if (!child->process)
        return false;
    const pid_t got = waitpid(child->process, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR))
        return true;
    child->process = 0;
    if (got > 0 && WIFSIGNALED(status))
        child->signal = WTERMSIG(status);
    else if (got > 0)
        child->code = WEXITSTATUS(status);
    return false;
}

void ib_child_said(const ib_emulator_child *child, char *text, size_t size) {
    const ssize_t n = child->log >= 0 ? pread(child->log, text, size - 1, 0) : 0;
    text[n > 0 ? n : 0] = '\0';
}

void ib_child_finish(ib_emulator_child *child, double grace) {
    const struct timespec nap = {.tv_nsec = 1000000};
    const double begun = ib_turn_seconds();
    while (child->process && ib_child_lives(child)) {
        if (ib_turn_seconds() - begun >= grace)
            kill(-child->process, SIGKILL);
        nanosleep(&nap, NULL);
    }
    if (child->log >= 0)
        close(child->log);
    child->log = -1;
}
