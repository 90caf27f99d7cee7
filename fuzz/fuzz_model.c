/* Fuzz target: any bytes as a model. Nothing may crash, hang or leak, a refusal has a reason, and
 * every diagnostic can be written out. */
#include "model/model.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good) {
    if (!good)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ib_diags *diags = ib_diags_create();
    ib_model *model = NULL;
    if (!diags)
        return 0;
    const ib_status status =
        ib_model_load_text("fuzz.yaml", (const char *)data, size, NULL, 0, diags, &model);
    check((status == IB_OK) == (model != NULL));
    check((status == IB_OK) == (ib_diags_errors(diags) == 0));
    for (size_t i = 0; i < ib_diags_count(diags) && i < 20; i++) {
        char text[2000];
        ib_diag_format(ib_diags_at(diags, i), false, text, sizeof(text));
    }
    ib_model_destroy(model);
    ib_diags_destroy(diags);
    return 0;
}
