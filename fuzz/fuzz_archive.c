/* Fuzzing of archives of FMUs: any bytes are taken for an archive and opened. What is refused has
 * to say why, and no folder is left behind.
 */
#include "base/base.h"
#include "ironbird/fmu.h"

#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[] = "/tmp/ironbird-fuzz-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0)
        return 0;
    const bool written = write(file, data, size) == (ssize_t)size;
    close(file);
    ib_diags *diags = ib_diags_create();
    ib_fmu *fmu = NULL;
    if (written && diags) {
        const ib_status status = ib_fmu_open(path, IB_FMU_LENIENT, diags, &fmu);
        if ((status == IB_OK) != (fmu != NULL) ||
            (status == IB_OK) != (ib_diags_errors(diags) == 0))
            abort();
    }
    ib_fmu_close(fmu);
    ib_diags_destroy(diags);
    unlink(path);
    return 0;
}
