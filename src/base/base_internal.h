/* What the files of base share and siblings do not see. */
#ifndef IB_BASE_INTERNAL_H
#define IB_BASE_INTERNAL_H

#include "base/base.h"

/* vsnprintf in the "C" locale, whatever locale the host program has chosen. */
int ib_format_c(char *buffer, size_t size, const char *format, va_list arguments);

/* Bytes of the code point at text[0..length), at least 1 when length > 0. A byte that starts no
 * well-formed UTF-8 sequence counts as one character of its own. */
size_t ib_utf8_size(const char *text, size_t length);

/* A short reason for an errno value, in plain English and without the locale. */
const char *ib_error_reason(int code);

#endif
