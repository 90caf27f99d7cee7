/* scalar: what a plain scalar means in the core schema of YAML 1.2.2, section 10.3.2.
 *
 * `y`, `on` and `off` are text; `2.2e4` is a number; `012` is twelve; `.inf` and `.nan` are known,
 * so that they can be refused by name.
 */
#include "model/yaml.h"

#include <math.h>
#include <string.h>

static bool is_one_of(const char *text, const char *const *words, size_t n_words) {
    for (size_t i = 0; i < n_words; i++) {
        if (strcmp(text, words[i]) == 0)
            return true;
    }
    return false;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits after 0x or 0o; the value may lose its last bits beyond 2^53. */
static bool parse_radix(const char *text, double radix, double *value) {
    double sum = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        double digit = 99;
        if (is_digit(*text))
            digit = (double)(*text - '0');
        else if (*text >= 'a' && *text <= 'f')
            digit = (double)(*text - 'a' + 10);
        else if (*text >= 'A' && *text <= 'F')
            digit = (double)(*text - 'A' + 10);
        if (digit >= radix)
            return false;
        sum = sum * radix + digit;
    }
    *value = sum;
    return true;
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool is_decimal(const char *text, bool *is_integer) {
    size_t n_digits = 0;
    *is_integer = true;
    for (; is_digit(*text); text++)
        n_digits++;
    if (*text == '.') {
        *is_integer = false;
        const size_t n_before = n_digits;
        for (text++; is_digit(*text); text++)
            n_digits++;
        if (n_before == 0 && n_digits == 0)
            return false;
    }
    if (n_digits == 0)
        return false;
    if (*text == 'e' || *text == 'E') {
        *is_integer = false;
        text++;
        text += *text == '+' || *text == '-';
        if (!is_digit(*text))
            return false;
        while (is_digit(*text))
            text++;
    }
    return *text == '\0';
}

static ib_yaml_type number_type(const char *text, double *value, bool *is_integer) {
    static const char *const not_finite[] = {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"};
    const bool has_sign = *text == '+' || *text == '-';
    const char *digits = text + (has_sign ? 1 : 0);
    if (is_one_of(digits, not_finite, has_sign ? 3 : IB_COUNT(not_finite)))
        return IB_YAML_NOT_FINITE;
    *is_integer = true;
    if (!has_sign && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'o'))
        return parse_radix(digits + 2, digits[1] == 'x' ? 16 : 8, value) ? IB_YAML_NUMBER
                                                                         : IB_YAML_TEXT;
    if (!is_decimal(digits, is_integer))
        return IB_YAML_TEXT;
    const size_t length = strlen(digits);
    size_t used = ib_number_parse(digits, length, value);
    if (used + 1 == length && digits[used] == '.') /* "5." */
        used++;
    if (used != length || !isfinite(*value))
        return IB_YAML_NOT_FINITE;
    if (*text == '-')
        *value = -*value;
    return IB_YAML_NUMBER;
}

ib_yaml_type ib_yaml_scalar_type(const ib_yaml *scalar, double *value, bool *is_integer) {
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    static const char *const trues[] = {"true", "True", "TRUE"};
    static const char *const falses[] = {"false", "False", "FALSE"};
    *value = 0;
    *is_integer = false;
    if (scalar->style != IB_YAML_PLAIN)
        return IB_YAML_TEXT;
    if (is_one_of(scalar->text, nulls, IB_COUNT(nulls)))
        return IB_YAML_NULL;
    *value = is_one_of(scalar->text, trues, IB_COUNT(trues)) ? 1 : 0;
    if (*value > 0 || is_one_of(scalar->text, falses, IB_COUNT(falses)))
        return IB_YAML_BOOL;
    return number_type(scalar->text, value, is_integer);
}
