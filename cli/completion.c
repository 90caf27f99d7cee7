/* Completion scripts for shells, from the tables. */
#include "cli.h"

#include <string.h>

/* True for what a user can choose now. */
static bool offered(const ib_option *option, ib_command_id command) {
    return option->command == command && option->kind != IB_OPTION_LATER;
}

static bool built(ib_command_id command) { return ib_command_at(command)->description; }

/* The choices of an argument like auto|json|none, with blanks between, or "". */
static const char *choices(const ib_option *option, char text[64]) {
    text[0] = '\0';
    if (!option->argument || !strchr(option->argument, '|'))
        return text;
    snprintf(text, 64, "%s", option->argument);
    for (char *bar = text; (bar = strchr(bar, '|'));)
        *bar = ' ';
    return text;
}

/* ---- bash ---------------------------------------------------------------------------------- */

static void print_bash_values(ib_command_id id, FILE *to) {
    char words[64];
    for (int i = 0; i < IB_OPTION_COUNT; i++) {
        const ib_option *option = ib_option_at((ib_option_id)i);
        if (!offered(option, id) || !*choices(option, words))
            continue;
        fprintf(to,
                "            if [ \"$previous\" = --%s ]; then\n"
                "                mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$word\")\n"
                "                return\n            fi\n",
                option->name, words);
    }
}

static void print_bash(FILE *to) {
    fputs(
        "# Completion of ironbird for bash. Made by `ironbird --completion bash`.\n"
        "_ironbird() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} options=\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W '",
        to);
    for (int i = 0; i < IB_COMMAND_COUNT; i++)
        if (built((ib_command_id)i))
            fprintf(to, "%s ", ib_command_at((ib_command_id)i)->name);
    fputs("--help --version' -- \"$word\")\n        return\n    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          to);
    for (int i = 0; i < IB_COMMAND_COUNT; i++) {
        if (!built((ib_command_id)i))
            continue;
        fprintf(to, "        %s)\n", ib_command_at((ib_command_id)i)->name);
        print_bash_values((ib_command_id)i, to);
        fputs("            options='", to);
        for (int k = 0; k < IB_OPTION_COUNT; k++)
            if (offered(ib_option_at((ib_option_id)k), (ib_command_id)i))
                fprintf(to, "--%s ", ib_option_at((ib_option_id)k)->name);
        fputs("--help'\n            ;;\n", to);
    }
    fputs("    esac\n"
          "    if [[ $word == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
          "    else\n"
          "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
          "        compopt -o filenames 2>/dev/null\n"
          "    fi\n}\ncomplete -F _ironbird ironbird\n",
          to);
}

/* ---- zsh ----------------------------------------------------------------------------------- */

/* Text inside single quotes of an _arguments specification. */
static void print_zsh_text(const char *text, FILE *to) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", to);
        else if (strchr(":[]\\", *text))
            fputc('\\', to);
        fputc(*text, to);
    }
}

static void print_zsh_option(const ib_option *option, FILE *to) {
    char words[64];
    fprintf(to, "                '%s--%s%s[", option->kind == IB_OPTION_LIST ? "*" : "",
            option->name, option->argument && option->kind != IB_OPTION_OPTIONAL ? "=" : "");
    print_zsh_text(option->help, to);
    fputc(']', to);
    if (option->argument && *choices(option, words))
        fprintf(to, ":value:(%s)", words);
    else if (option->argument && option->kind != IB_OPTION_OPTIONAL)
        fputs(":value:_files", to);
    fputs("' \\\n", to);
}

static void print_zsh(FILE *to) {
    fputs("#compdef ironbird\n# Completion of ironbird for zsh. Made by `ironbird --completion "
          "zsh`.\n"
          "_ironbird() {\n    local -a commands\n    commands=(\n",
          to);
    for (int i = 0; i < IB_COMMAND_COUNT; i++) {
        if (!built((ib_command_id)i))
            continue;
        fprintf(to, "        '%s:", ib_command_at((ib_command_id)i)->name);
        print_zsh_text(ib_command_at((ib_command_id)i)->summary, to);
        fputs("'\n", to);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n"
          "        return\n    fi\n    local command=$words[2]\n    shift words\n"
          "    (( CURRENT-- ))\n    case $command in\n",
          to);
    for (int i = 0; i < IB_COMMAND_COUNT; i++) {
        if (!built((ib_command_id)i))
            continue;
        fprintf(to, "        %s)\n            _arguments \\\n",
                ib_command_at((ib_command_id)i)->name);
        for (int k = 0; k < IB_OPTION_COUNT; k++)
            if (offered(ib_option_at((ib_option_id)k), (ib_command_id)i))
                print_zsh_option(ib_option_at((ib_option_id)k), to);
        fputs("                '--help[show the options]' \\\n                '*:file:_files'\n"
              "            ;;\n",
              to);
    }
    fputs("    esac\n}\n_ironbird \"$@\"\n", to);
}

/* ---- fish ---------------------------------------------------------------------------------- */

static void print_fish_text(const char *text, FILE *to) {
    fputc('\'', to);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', to);
        fputc(*text, to);
    }
    fputc('\'', to);
}

static void print_fish_option(const ib_option *option, FILE *to) {
    char words[64];
    fprintf(to, "complete -c ironbird -n '__fish_seen_subcommand_from %s' -l %s",
            ib_command_at(option->command)->name, option->name);
    if (option->letter)
        fprintf(to, " -s %c", option->letter);
    if (option->argument && *choices(option, words))
        fprintf(to, " -x -a '%s'", words);
    else if (option->argument && option->kind != IB_OPTION_OPTIONAL)
        fputs(" -r", to);
    fputs(" -d ", to);
    print_fish_text(option->help, to);
    fputc('\n', to);
}

static void print_fish(FILE *to) {
    fputs("# Completion of ironbird for fish. Made by `ironbird --completion fish`.\n", to);
    for (int i = 0; i < IB_COMMAND_COUNT; i++) {
        if (!built((ib_command_id)i))
            continue;
        fprintf(to, "complete -c ironbird -n __fish_use_subcommand -f -a %s -d ",
                ib_command_at((ib_command_id)i)->name);
        print_fish_text(ib_command_at((ib_command_id)i)->summary, to);
        fputc('\n', to);
    }
    for (int i = 0; i < IB_OPTION_COUNT; i++)
        if (ib_option_at((ib_option_id)i)->kind != IB_OPTION_LATER)
            print_fish_option(ib_option_at((ib_option_id)i), to);
}

bool ib_completion(const char *shell, FILE *to) {
    if (strcmp(shell, "bash") == 0)
        print_bash(to);
    else if (strcmp(shell, "zsh") == 0)
        print_zsh(to);
    else if (strcmp(shell, "fish") == 0)
        print_fish(to);
    else
        return false;
    return true;
}
