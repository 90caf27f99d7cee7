/* The program: finds the command, takes its command line apart, and runs it.
 *
 * Two hidden commands print the tables in other forms: `--man [COMMAND]` a man page as scdoc,
 * `--completion SHELL` a completion script.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static ib_command_id find_command(const char *name) {
    for (int i = 0; i < IB_COMMAND_COUNT; i++)
        if (strcmp(ib_command_at((ib_command_id)i)->name, name) == 0)
            return (ib_command_id)i;
    return IB_COMMAND_COUNT;
}

static void complain_unknown(const char *name, ib_diags *diags) {
    const char *names[IB_COMMAND_COUNT];
    for (int i = 0; i < IB_COMMAND_COUNT; i++)
        names[i] = ib_command_at((ib_command_id)i)->name;
    const bool option = name[0] == '-';
    ib_diags_add(diags, IB_ERROR, IB0901, IB_NO_PLACE, "there is no %s '%s'",
                 option ? "option" : "command", name);
    const char *nearest = ib_nearest_name(name, names, IB_COMMAND_COUNT);
    if (nearest)
        ib_diags_suggest(diags, "did you mean '%s'?", nearest);
    ib_diags_note(diags, IB_NO_PLACE, "`ironbird --help` lists the commands");
}

static int run_command(ib_command_id id, int n, char **texts, ib_diags *diags) {
    /* `fmu run` is `run`. */
    if (id == IB_COMMAND_fmu && n > 0 && strcmp(texts[0], "run") == 0)
        return run_command(IB_COMMAND_run, n - 1, texts + 1, diags);
    const ib_command *command = ib_command_at(id);
    ib_arguments given;
    if (!command->run) {
        for (int i = 0; i < n; i++)
            if (strcmp(texts[i], "--help") == 0 || strcmp(texts[i], "-h") == 0) {
                ib_help_command(id, stdout);
                return IB_EXIT_DONE;
            }
        ib_diags_add(diags, IB_ERROR, IB0902, IB_NO_PLACE, "command '%s' is not yet supported",
                     command->name);
        return IB_EXIT_USAGE;
    }
    int code = IB_EXIT_USAGE;
    if (ib_arguments_parse(id, n, texts, diags, &given)) {
        if (given.help)
            ib_help_command(id, stdout);
        code = given.help ? IB_EXIT_DONE : command->run(&given);
    }
    ib_arguments_free(&given);
    return code;
}

/* --help, --version and the hidden ones; -1 when the text is none of them. */
static int run_global(int n, char **texts, ib_diags *diags) {
    const char *first = texts[0];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) {
        ib_help_program(stdout);
    } else if (strcmp(first, "--version") == 0) {
        puts("ironbird " IB_VERSION);
    } else if (strcmp(first, "--man") == 0) {
        const ib_command_id id = n > 1 ? find_command(texts[1]) : IB_COMMAND_COUNT;
        if (n > 1 && (id == IB_COMMAND_COUNT || !ib_command_at(id)->description)) {
            complain_unknown(texts[1], diags);
            return IB_EXIT_USAGE;
        }
        ib_man_page(id, stdout);
    } else if (strcmp(first, "--completion") == 0) {
        if (n < 2 || !ib_completion(texts[1], stdout)) {
            ib_usage_error(diags, IB_COMMAND_COUNT, "--completion takes bash, zsh or fish");
            return IB_EXIT_USAGE;
        }
    } else {
        return -1;
    }
    return IB_EXIT_DONE;
}

/* A standard stream that is closed would give its number to the next file that is opened, and
 * messages would end up among results. */
static bool hold_standard_streams(void) {
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    return fd > 2 && close(fd) == 0;
}

/* `ironbird plot ... | head` ends when head has seen enough; that is nobody's failure. */
static bool reader_has_gone(void) {
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR);
}

/* What was printed and did not arrive is a failure. */
static int close_output(int code) {
    const bool failed = fflush(stdout) != 0;
    if (!failed && !ferror(stdout))
        return code;
    if (reader_has_gone())
        return code;
    fprintf(stderr, "ironbird: error: cannot write to standard output: %s\n",
            failed ? strerror(errno) : "the disk is full, or it is closed");
    return code ? code : IB_EXIT_USAGE;
}

int main(int argc, char **argv) {
    if (!hold_standard_streams())
        return IB_EXIT_INTERNAL;
    /* A file that may not grow is reported like a full disk, not by a signal. */
    signal(SIGXFSZ, SIG_IGN);
    if (argc < 2) {
        ib_help_program(stderr);
        return IB_EXIT_USAGE;
    }
    ib_diags *diags = ib_new_diags();
    int code = run_global(argc - 1, argv + 1, diags);
    if (code < 0) {
        const ib_command_id id = find_command(argv[1]);
        if (id == IB_COMMAND_COUNT)
            complain_unknown(argv[1], diags);
        code = id == IB_COMMAND_COUNT ? IB_EXIT_USAGE : run_command(id, argc - 2, argv + 2, diags);
    }
    size_t printed = 0;
    ib_print_diags(diags, &printed, false);
    ib_diags_destroy(diags);
    return close_output(code);
}
