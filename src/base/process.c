/* Running other programs (POSIX.1-2008): found on the PATH, started without a shell, waited for. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* True when the file `program` in a folder of `length` characters (none: here) can be executed. */
static bool executable(const char *folder, size_t length, const char *program) {
    const size_t size = length + strlen(program) + 3;
    char *file = malloc(size);
    if (!file)
        return false;
    snprintf(file, size, "%.*s/%s", (int)(length ? length : 1), length ? folder : ".", program);
    const bool found = access(file, X_OK) == 0;
    free(file);
    return found;
}

bool ib_program_found(const char *program) {
    if (strchr(program, '/'))
        return access(program, X_OK) == 0;
    const char *path = getenv("PATH");
    while (path && *path) {
        const size_t length = strcspn(path, ":");
        if (executable(path, length, program))
            return true;
        path += length;
        path += *path == ':';
    }
    return false;
}

/* Standard input from nowhere, the other two into the log. False when it cannot be said. */
static bool redirect(posix_spawn_file_actions_t *files, const char *log) {
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    return posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0) == 0 &&
           posix_spawn_file_actions_addopen(files, 1, log, flags, 0600) == 0 &&
           posix_spawn_file_actions_adddup2(files, 1, 2) == 0;
}

ib_program_end ib_program_run(char *const *arguments, const char *log) {
    posix_spawn_file_actions_t files;
    pid_t child = 0;
    int status = 0;
    if (!ib_program_found(arguments[0]))
        return IB_PROGRAM_MISSING;
    if (posix_spawn_file_actions_init(&files) != 0)
        return IB_PROGRAM_FAILED;
    const bool started = redirect(&files, log ? log : "/dev/null") &&
                         posix_spawnp(&child, arguments[0], &files, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    if (!started)
        return IB_PROGRAM_FAILED;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return IB_PROGRAM_FAILED;
    if (WIFSIGNALED(status))
        return IB_PROGRAM_KILLED;
    return WEXITSTATUS(status) == 0 ? IB_PROGRAM_DONE : IB_PROGRAM_FAILED;
}
