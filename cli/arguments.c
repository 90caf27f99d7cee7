/* The command line, taken apart by the table of options.
 *
 * `--name VALUE`, `--name=VALUE`, `-o VALUE`, `-oVALUE`; options and arguments in any order; `--`
 * ends the options; a lone `-` and negative numbers are arguments. All mistakes are reported.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct parser {
    ib_arguments *result;
    int n;
    char **texts;
    int at;
    ib_diags *diags;
    bool failed;
} parser;

static void complain_unknown(parser *p, const char *text) {
    const char *names[IB_OPTION_COUNT];
    size_t n = 0;
    for (int i = 0; i < IB_OPTION_COUNT; i++)
        if (ib_option_at((ib_option_id)i)->command == p->result->command)
            names[n++] = ib_option_at((ib_option_id)i)->name;
    ib_usage_error(p->diags, p->result->command, "there is no option '%s'", text);
    ib_str name = {0};
    ib_str_add_n(&name, text + strspn(text, "-"), strcspn(text + strspn(text, "-"), "="));
    const char *nearest = name.data ? ib_nearest_name(name.data, names, n) : NULL;
    if (nearest)
        ib_diags_suggest(p->diags, "did you mean '--%s'?", nearest);
    ib_str_free(&name);
    p->failed = true;
}

/* The option that a text names; *value is what follows it within the text, or NULL. */
static ib_option_id find_option(const parser *p, const char *text, const char **value) {
    const bool is_long = text[1] == '-';
    const size_t length = strcspn(text, "=");
    for (int i = 0; i < IB_OPTION_COUNT; i++) {
        const ib_option *option = ib_option_at((ib_option_id)i);
        if (option->command != p->result->command)
            continue;
        if (is_long && strlen(option->name) == length - 2 &&
            strncmp(text + 2, option->name, length - 2) == 0) {
            *value = text[length] ? text + length + 1 : NULL;
            return (ib_option_id)i;
        }
        if (!is_long && option->letter == text[1]) {
            *value = text[2] ? text + 2 : NULL;
            return (ib_option_id)i;
        }
    }
    return IB_OPTION_COUNT;
}

static bool is_option(const char *text) {
    return text[0] == '-' && text[1] && !(text[1] >= '0' && text[1] <= '9') && text[1] != '.' &&
           text[1] != ' ' && text[1] != '(';
}

static bool is_number(const char *text) {
    double number;
    const size_t n = strlen(text);
    return n > 0 && ib_number_parse(text, n, &number) == n;
}

static void add_option(parser *p, ib_option_id id, const char *text, const char *value) {
    const ib_option *option = ib_option_at(id);
    if (option->kind == IB_OPTION_LATER) {
        ib_diags_add(p->diags, IB_ERROR, IB0902, IB_NO_PLACE, "option '--%s' is not yet supported",
                     option->name);
        p->failed = true;
        if (option->argument && !value && p->at < p->n && !is_option(p->texts[p->at]))
            p->at++;
        return;
    }
    if (!option->argument && value) {
        ib_usage_error(p->diags, p->result->command, "option '--%s' takes no value", option->name);
        p->failed = true;
        return;
    }
    const bool optional = option->kind == IB_OPTION_OPTIONAL;
    if (optional && !value && p->at < p->n && is_number(p->texts[p->at]))
        value = p->texts[p->at++];
    if (option->argument && !value && !optional) {
        if (p->at == p->n) {
            ib_usage_error(p->diags, p->result->command, "option '%s' needs a value: %s", text,
                           option->argument);
            p->failed = true;
            return;
        }
        value = p->texts[p->at++];
    }
    p->result->given[p->result->n_given++] = (ib_given){id, value};
}

static void take_option(parser *p, const char *text) {
    if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
        p->result->help = true;
        return;
    }
    const char *value = NULL;
    const ib_option_id id = find_option(p, text, &value);
    if (id == IB_OPTION_COUNT)
        complain_unknown(p, text);
    else
        add_option(p, id, text, value);
}

static void check_count(parser *p) {
    const ib_command *command = ib_command_at(p->result->command);
    if (p->result->n_words < command->least)
        ib_usage_error(p->diags, p->result->command, "'%s' takes %s", command->name,
                       command->arguments);
    else if (command->most && p->result->n_words > command->most)
        ib_usage_error(p->diags, p->result->command, "'%s' takes %s only; what is '%s'?",
                       command->name, command->arguments, p->result->words[command->most]);
    else
        return;
    p->failed = true;
}

bool ib_arguments_parse(ib_command_id command, int n, char **texts, ib_diags *diags,
                        ib_arguments *arguments) {
    *arguments = (ib_arguments){.command = command};
    arguments->words = calloc((size_t)n + 1, sizeof *arguments->words);
    arguments->given = calloc((size_t)n + 1, sizeof *arguments->given);
    if (!arguments->words || !arguments->given) {
        ib_diags_no_memory(diags);
        return false;
    }
    parser p = {arguments, n, texts, 0, diags, false};
    bool options_ended = false;
    while (p.at < n) {
        const char *text = texts[p.at++];
        if (!options_ended && strcmp(text, "--") == 0)
            options_ended = true;
        else if (!options_ended && is_option(text))
            take_option(&p, text);
        else
            arguments->words[arguments->n_words++] = text;
    }
    if (!p.failed && !arguments->help)
        check_count(&p);
    return arguments->help || !p.failed;
}

void ib_arguments_free(ib_arguments *arguments) {
    free(arguments->words);
    free(arguments->given);
    *arguments = (ib_arguments){0};
}

bool ib_arguments_has(const ib_arguments *arguments, ib_option_id option) {
    for (size_t i = 0; i < arguments->n_given; i++)
        if (arguments->given[i].option == option)
            return true;
    return false;
}

const char *ib_arguments_value(const ib_arguments *arguments, ib_option_id option) {
    const char *value = NULL;
    for (size_t i = 0; i < arguments->n_given; i++)
        if (arguments->given[i].option == option)
            value = arguments->given[i].value;
    return value;
}

const char **ib_arguments_list(const ib_arguments *arguments, ib_option_id option, size_t *n) {
    const char **values = calloc(arguments->n_given + 1, sizeof *values);
    *n = 0;
    for (size_t i = 0; values && i < arguments->n_given; i++)
        if (arguments->given[i].option == option)
            values[(*n)++] = arguments->given[i].value;
    return values;
}
