/* The smallest program on the library: load a model, advance it, read an output. */
#include <ironbird/ironbird.h>
#include <stdio.h>

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "examples/a01_simple_pendulum/model.yaml";
    ib_diags *diags = ib_diags_create();
    ib_model *model = NULL;
    ib_system *pendulum = NULL;
    ib_status status = ib_model_load(path, NULL, 0, diags, &model);
    if (status == IB_OK)
        status = ib_system_create(model, diags, &pendulum);
    ib_handle angle = status == IB_OK ? ib_system_output(pendulum, "angle") : -1;
    for (ib_time t = 0; status == IB_OK && t <= 2 * IB_SECOND; t += IB_SECOND / 4) {
        double value = 0;
        status = ib_system_advance(pendulum, t, diags);
        if (status == IB_OK)
            status = ib_system_read(pendulum, &angle, 1, &value, diags);
        if (status == IB_OK)
            printf("%.2f s  %+.6f rad\n", (double)t / (double)IB_SECOND, value);
    }
    for (size_t i = 0; status != IB_OK && i < ib_diags_count(diags); i++)
        fprintf(stderr, "%s\n", ib_diags_at(diags, i)->message);
    ib_system_destroy(pendulum);
    ib_model_destroy(model);
    ib_diags_destroy(diags);
    return status == IB_OK ? 0 : 1;
}
