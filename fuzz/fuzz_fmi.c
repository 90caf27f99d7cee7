/* Fuzzing of descriptions of FMUs: any bytes are read, leniently and strictly. What is refused has
 * to say why; what the strict reading takes, the lenient one takes too.
 */

#include "fmi/fmi.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ib_status read_once(const uint8_t *data, size_t size, ib_fmu_rigour rigour) {
    ib_fmi_description *description = NULL;
    ib_diags *diags = ib_diags_create();
    const ib_status status =
        ib_fmi_description_read("md.xml", (const char *)data, size, rigour, diags, &description);
    if ((status == IB_OK) != (description != NULL) ||
        (diags && (status == IB_OK) != (ib_diags_errors(diags) == 0)))
        abort();
    ib_fmi_description_destroy(description);
    ib_diags_destroy(diags);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const ib_status strict = read_once(data, size, IB_FMU_STRICT);
    const ib_status lenient = read_once(data, size, IB_FMU_LENIENT);
    if (strict == IB_OK && lenient != IB_OK)
        abort();
    return 0;
}
