/* Man pages from the tables, as scdoc text. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

/* Text for scdoc: what would be markup is escaped. Descriptions carry their own markup and are
 * printed as they are. */
static void print_escaped(const char *text, FILE *to) {
    for (; *text; text++) {
        if (strchr("*_\\#[]<>~", *text))
            fputc('\\', to);
        fputc(*text, to);
    }
}

static void print_title(const char *name, const char *summary, FILE *to) {
    fprintf(to, "%s(1)\n\n# NAME\n\n%s - ", name, name);
    print_escaped(summary, to);
    fputs("\n\n", to);
}

static void print_option(const ib_option *option, FILE *to) {
    if (option->letter)
        fprintf(to, "*-%c*, ", option->letter);
    fprintf(to, "*--%s*", option->name);
    if (option->argument) {
        const bool optional = option->kind == IB_OPTION_OPTIONAL;
        fputs(optional ? " \\[_" : " _", to);
        print_escaped(option->argument, to);
        fputs(optional ? "_\\]" : "_", to);
    }
    fputs("\n\t", to);
    fputc(toupper((unsigned char)option->help[0]), to);
    print_escaped(option->help + 1, to);
    fputs(".\n\n", to);
}

static void print_exit_codes(FILE *to) {
    fputs("# EXIT STATUS\n\n"
          "*0*\n\tDone.\n\n"
          "*1*\n\tThe check or comparison failed.\n\n"
          "*2*\n\tWrong usage or input.\n\n"
          "*3*\n\tThe simulation failed; results are kept.\n\n"
          "*4*\n\tInternal error.\n\n"
          "*130*\n\tInterrupted; results are kept.\n\n",
          to);
}

static void print_command(ib_command_id id, FILE *to) {
    const ib_command *command = ib_command_at(id);
    char name[40];
    snprintf(name, sizeof name, "ironbird-%s", command->name);
    print_title(name, command->summary, to);
    fprintf(to, "# SYNOPSIS\n\n*ironbird %s* [_options_] ", command->name);
    print_escaped(command->arguments, to);
    fprintf(to, "\n\n# DESCRIPTION\n\n%s\n\n# OPTIONS\n\n", command->description);
    for (int i = 0; i < IB_OPTION_COUNT; i++) {
        const ib_option *option = ib_option_at((ib_option_id)i);
        if (option->command == id && option->kind != IB_OPTION_LATER)
            print_option(option, to);
    }
    print_option(&(ib_option){.name = "help", .letter = 'h', .help = "show the options"}, to);
    print_exit_codes(to);
    fputs("# SEE ALSO\n\n*ironbird*(1)\n", to);
}

static void print_program(FILE *to) {
    print_title("ironbird", "a vehicle test bench", to);
    fputs("# SYNOPSIS\n\n*ironbird* _command_ [_options_] _arguments_\n\n"
          "*ironbird* _command_ *--help*\n\n*ironbird* *--version*\n\n# DESCRIPTION\n\n"
          "Ironbird simulates vehicles and mechanisms that are described in YAML, exactly and "
          "repeatably, and leaves results that can be plotted and compared.\n\n# COMMANDS\n\n",
          to);
    for (int i = 0; i < IB_COMMAND_COUNT; i++) {
        const ib_command *command = ib_command_at((ib_command_id)i);
        if (!command->description)
            continue;
        fprintf(to, "*%s* ", command->name);
        print_escaped(command->arguments, to);
        fprintf(to, "\n\t%c", toupper((unsigned char)command->summary[0]));
        print_escaped(command->summary + 1, to);
        fprintf(to, ". See *ironbird-%s*(1).\n\n", command->name);
    }
    fputs("# MESSAGES\n\nErrors, warnings and notes go to standard error in the form that "
          "compilers use: file, line, column, what is wrong, and what would be right. Each ends in "
          "an ID, which *ironbird explain* explains.\n\n",
          to);
    print_exit_codes(to);
    fputs("# ENVIRONMENT\n\n*NO_COLOR*\n\tNo colours, whatever the terminal.\n\n"
          "*LC_ALL*, *LC_CTYPE*, *LANG*\n\tWhere they name UTF-8, plots in the terminal and the "
          "progress bar use its characters.\n\n"
          "*PATH*\n\tWhere *rsvg-convert* or *convert* are looked for to write PNG pictures.\n",
          to);
}

void ib_man_page(ib_command_id command, FILE *to) {
    if (command == IB_COMMAND_COUNT)
        print_program(to);
    else
        print_command(command, to);
}
