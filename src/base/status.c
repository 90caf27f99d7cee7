/* The texts of the status codes. */
#include "base/base.h"

const char *ib_status_text(ib_status status) {
    switch (status) {
#define IB_STATUS_TEXT(name, text)                                                                 \
    case name:                                                                                     \
        return text;
        IB_STATUS_LIST(IB_STATUS_TEXT)
#undef IB_STATUS_TEXT
    }
    return "unknown status";
}
