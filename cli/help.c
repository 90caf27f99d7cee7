/* --help, from the tables. */
#include "cli.h"

#include <string.h>

#define COLUMN 26 /* where explanations begin */
#define WIDTH 78

/* The text from `column` on, broken between words. */
static void print_wrapped(const char *text, size_t at, FILE *to) {
    fprintf(to, "%*s", (int)(at < COLUMN ? COLUMN - at : 1), "");
    size_t x = at < COLUMN ? COLUMN : at + 1;
    while (*text) {
        const size_t word = strcspn(text, " ");
        if (x > COLUMN && x + 1 + word > WIDTH) {
            fprintf(to, "\n%*s", COLUMN, "");
            x = COLUMN;
        } else if (x > COLUMN) {
            fputc(' ', to);
            x++;
        }
        fprintf(to, "%.*s", (int)word, text);
        x += word;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', to);
}

static void print_option(const ib_option *option, FILE *to) {
    char head[80];
    char letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    const bool optional = option->kind == IB_OPTION_OPTIONAL;
    const int n = snprintf(head, sizeof head, "  %s--%s%s%s%s", letter, option->name,
                           !option->argument ? ""
                           : optional        ? " ["
                                             : " ",
                           option->argument ? option->argument : "", optional ? "]" : "");
    fputs(head, to);
    size_t at = (size_t)n;
    if (at + 1 > COLUMN) {
        fputc('\n', to);
        at = 0;
    }
    print_wrapped(option->help, at, to);
}

/* "Not yet: --threads, --realtime." */
static void print_later_options(ib_command_id command, FILE *to) {
    bool any = false;
    for (int i = 0; i < IB_OPTION_COUNT; i++) {
        const ib_option *option = ib_option_at((ib_option_id)i);
        if (option->command != command || option->kind != IB_OPTION_LATER)
            continue;
        fprintf(to, "%s--%s", any ? ", " : "\nNot yet: ", option->name);
        any = true;
    }
    if (any)
        fputs("\n", to);
}

void ib_help_command(ib_command_id id, FILE *to) {
    const ib_command *command = ib_command_at(id);
    fprintf(to, "ironbird %s: %s%s\n\nUsage: ironbird %s [OPTIONS] %s\n\nOptions:\n", command->name,
            command->summary, command->description ? "" : " (not built yet)", command->name,
            command->arguments);
    for (int i = 0; i < IB_OPTION_COUNT; i++) {
        const ib_option *option = ib_option_at((ib_option_id)i);
        if (option->command == id && option->kind != IB_OPTION_LATER)
            print_option(option, to);
    }
    print_option(&(ib_option){.name = "help", .letter = 'h', .help = "show this"}, to);
    print_later_options(id, to);
    if (command->description)
        fprintf(to, "\n`man ironbird-%s` says more.\n", command->name);
}

void ib_help_program(FILE *to) {
    fputs("Ironbird " IB_VERSION ": a vehicle test bench.\n\n"
          "Usage: ironbird COMMAND [OPTIONS] ARGUMENTS\n"
          "       ironbird COMMAND --help\n"
          "       ironbird --version\n\nCommands:\n",
          to);
    for (int i = 0; i < IB_COMMAND_COUNT; i++) {
        const ib_command *command = ib_command_at((ib_command_id)i);
        if (!command->description)
            continue;
        const int n = fprintf(to, "  %s %s", command->name, command->arguments);
        print_wrapped(command->summary, n > 0 ? (size_t)n : 0, to);
    }
    fputs("\nNot yet:", to);
    for (int i = 0, n = 0; i < IB_COMMAND_COUNT; i++)
        if (!ib_command_at((ib_command_id)i)->description)
            fprintf(to, "%s%s", n++ ? ", " : " ", ib_command_at((ib_command_id)i)->name);
    fputs(
        "\n\nExit codes: 0 done; 1 the check or comparison failed; 2 wrong usage or input; 3 the\n"
        "simulation failed, results kept; 4 internal error; 130 interrupted, results kept.\n",
        to);
}
