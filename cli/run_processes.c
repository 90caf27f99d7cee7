/* `processes:` of a mission: programs beside the run. They are started before flight computers are
 * opened, in the mission's folder, each in a process group of its own, so that Ctrl-C at a terminal
 * is the run's; and none is left when the run ends, however it ends: the kernel ends them with this
 * program, and their groups are killed.
 */
#define _GNU_SOURCE /* realpath, mkstemp, prctl's signal */
#include "run.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE 2.0 /* s between asking a program to end and ending it */

typedef struct process {
    char *name;
    pid_t id; /* 0: ended, and waited for */
    int status;
    int log; /* a file without a name, until the folder of results is there */
    bool stop_on_exit, end_run_on_exit;
} process;

struct ib_run_processes {
    process *list;
    size_t n;
};

/* ---- starting ------------------------------------------------------------------------------ */

/* What it says goes to a file that nobody else sees, and that is gone with this program. */
static int open_log(void) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/ironbird-process-XXXXXX", folder && *folder ? folder : "/tmp");
    const int log = mkstemp(path);
    if (log >= 0) {
        unlink(path);
        fcntl(log, F_SETFD, FD_CLOEXEC);
    }
    return log;
}

static void set_whole(const char *name, const char *path) {
    ib_str text = {0};
    char *here = path[0] == '/' ? NULL : realpath(".", NULL);
    ib_str_printf(&text, "%s%s%s", here ? here : "", here ? "/" : "", path);
    if (!text.failed)
        setenv(name, text.data, 1);
    free(here);
    ib_str_free(&text);
}

/* IRONBIRD_ADDRESS_NAME, in capitals; what no variable's name can have is a '_'. */
static void set_address(const ib_world_peer *peer) {
    ib_str name = {0};
    ib_str_add(&name, "IRONBIRD_ADDRESS_");
    for (const char *c = peer->computer; *c; c++)
        ib_str_add_char(&name, isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_');
    if (!name.failed)
        setenv(name.data, peer->address, 1);
    ib_str_free(&name);
}

/* In the child, between fork and exec: this program has one thread here. */
_Noreturn static void become(const ib_world_process *spec, const char *folder, int log, int failure,
                             pid_t parent) {
    char **words = calloc(spec->n_command + 1, sizeof *words);
    for (size_t i = 0; words && i < spec->n_command; i++)
        words[i] = strdup(spec->command[i]);
    const int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    if (words && getppid() == parent && chdir(folder) == 0 && dup2(nothing, 0) >= 0 &&
        dup2(log, 1) >= 0 && dup2(log, 2) >= 0)
        execvp(words[0], words);
    const int why = errno;
    while (write(failure, &why, sizeof why) < 0 && errno == EINTR)
        continue;
    _exit(127);
}

/* Forks; *why is the error number of what could not be executed, 0 where it could. */
static pid_t spawn(const ib_world_process *spec, const char *folder, int log, int *why) {
    int pipes[2];
    const pid_t parent = getpid();
    *why = 0;
    if (pipe2(pipes, O_CLOEXEC) != 0) {
        *why = errno;
        return 0;
    }
    const pid_t child = fork();
    if (child == 0)
        become(spec, folder, log, pipes[1], parent);
    if (child < 0)
        *why = errno;
    close(pipes[1]);
    while (child > 0 && read(pipes[0], why, sizeof *why) < 0 && errno == EINTR)
        continue;
    close(pipes[0]);
    return child > 0 ? child : 0;
}

static bool start_one(ib_run *run, const ib_world_process *spec, const char *folder,
                      process *made) {
    int why;
    *made = (process){.name = strdup(spec->name),
                      .log = open_log(),
                      .stop_on_exit = spec->stop_on_exit,
                      .end_run_on_exit = spec->end_run_on_exit};
    if (!made->name || made->log < 0) {
        ib_diags_add(run->diags, IB_ERROR, IB0740, spec->place,
                     "process '%s' cannot be started: no file for what it says: %s", spec->name,
                     strerror(errno));
        return false;
    }
    made->id = spawn(spec, folder, made->log, &why);
    if (why == 0)
        return true;
    if (made->id)
        waitpid(made->id, &made->status, 0);
    made->id = 0;
    ib_diags_add(run->diags, IB_ERROR, IB0740, spec->place,
                 "process '%s' cannot be started: %s: %s", spec->name, spec->command[0],
                 strerror(why));
    return false;
}

ib_status ib_processes_start(ib_run *run, const ib_world_process *specs, size_t n,
                             const ib_world_peer *peers, size_t n_peers) {
    char *out = ib_run_folder_name(run), *file = realpath(run->file, NULL);
    ib_run_processes *all = calloc(1, sizeof *all);
    run->processes = all;
    if (all)
        all->list = calloc(n, sizeof *all->list);
    ib_status status = out && file && all && all->list ? IB_OK : ib_diags_no_memory(run->diags);
    if (status == IB_OK) {
        setenv("IRONBIRD_MISSION", file, 1);
        set_whole("IRONBIRD_OUT", out);
        for (size_t i = 0; i < n_peers; i++)
            set_address(&peers[i]);
        *strrchr(file, '/') = '\0';
    }
    for (size_t i = 0; i < n && status == IB_OK; i++, all->n = i)
        if (!start_one(run, &specs[i], *file ? file : "/", &all->list[i]))
            status = IB_BAD_INPUT;
    free(out);
    free(file);
    return status;
}

/* ---- watching ------------------------------------------------------------------------------ */

static bool runs(process *p) {
    int status;
    if (p->id && waitpid(p->id, &status, WNOHANG) == p->id) {
        kill(-p->id, SIGKILL); /* what it has left behind */
        p->id = 0;
        p->status = status;
    }
    return p->id != 0;
}

static void tell_end(ib_run *run, const process *p) {
    if (WIFSIGNALED(p->status))
        ib_diags_add(run->diags, IB_NOTE, IB0741, IB_NO_PLACE,
                     "process '%s' was ended by signal %d, and the run with it", p->name,
                     WTERMSIG(p->status));
    else
        ib_diags_add(run->diags, IB_NOTE, IB0741, IB_NO_PLACE,
                     "process '%s' has ended with code %d, and the run with it", p->name,
                     WEXITSTATUS(p->status));
}

bool ib_processes_ended(ib_run *run) {
    for (size_t i = 0; run->processes && i < run->processes->n; i++) {
        process *p = &run->processes->list[i];
        if (p->id && p->end_run_on_exit && !runs(p)) {
            tell_end(run, p);
            return true;
        }
    }
    return false;
}

/* ---- ending -------------------------------------------------------------------------------- */

static void wait_for(process *p, double until, bool for_interrupt) {
    const struct timespec nap = {.tv_nsec = 5000000};
    while (runs(p) && ib_clock() < until && !(for_interrupt && ib_interrupt_seen()))
        nanosleep(&nap, NULL);
}

static void end_one(process *p, bool wait) {
    if (wait && !p->stop_on_exit)
        wait_for(p, 1e300, true);
    if (runs(p))
        kill(-p->id, SIGTERM);
    wait_for(p, ib_clock() + PATIENCE, false);
    if (runs(p))
        kill(-p->id, SIGKILL);
    wait_for(p, 1e300, false);
}

static void keep_log(ib_run *run, const process *p) {
    ib_str path = {0};
    char bytes[65536];
    ssize_t n = 0;
    ib_str_printf(&path, "%s/process-%s.log", run->folder, p->name);
    FILE *file = path.failed ? NULL : fopen(path.data, "w");
    bool good = file && lseek(p->log, 0, SEEK_SET) == 0;
    while (good && (n = read(p->log, bytes, sizeof bytes)) > 0)
        good = fwrite(bytes, 1, (size_t)n, file) == (size_t)n;
    if ((file && fclose(file) != 0) || !good || n < 0)
        ib_diags_add(run->diags, IB_WARNING, IB0102, IB_NO_PLACE, "cannot write '%s': %s",
                     path.data ? path.data : p->name, strerror(errno));
    ib_str_free(&path);
}

void ib_processes_end(ib_run *run, bool wait) {
    ib_run_processes *all = run->processes;
    if (!all)
        return;
    for (size_t i = 0; i < all->n; i++)
        end_one(&all->list[i], wait);
    for (size_t i = 0; i < all->n; i++) {
        if (run->folder && run->folder_ours)
            keep_log(run, &all->list[i]);
        close(all->list[i].log);
        free(all->list[i].name);
    }
    free(all->list);
    free(all);
    run->processes = NULL;
}
