/* Merged bodies move; all bodies are shown. The state is that of the merged run alone. What is read
 * (also the reactions of welds, which the merged run does not know) comes from the equations of all
 * bodies at that state, so that it is what it would be without merging. */
#include "plant/merged.h"

#include <string.h>

static bool number_joints(const ib_model *model, merged_run *run) {
    int n = 0;
    run->joint = IB_ARENA_ARRAY(run->arena, model->n_joints + 1, int);
    run->original = IB_ARENA_ARRAY(run->arena, model->n_joints + 1, int);
    run->states = IB_ARENA_ARRAY(run->arena, IB_STATE * model->n_bodies + 1, double);
    if (!run->joint || !run->original || !run->states)
        return false;
    for (size_t i = 0; i < model->n_joints; i++) {
        run->joint[i] = run->welds.gone[i] ? -1 : n;
        if (!run->welds.gone[i])
            run->original[n++] = (int)i;
    }
    return true;
}

ib_status ib_merged_take(const ib_model *model, const ib_dynamics *all, merged_run *run) {
    ib_welds_merge(&run->welds, model, ib_dynamics_bodies(all), run->states);
    ib_dynamics_follow(run->dynamics, all, run->states, run->original);
    return ib_dynamics_assemble(run->dynamics, NULL);
}

/* From the assembled states of all bodies. A merged model that cannot be started, which only a weld
 * off by more than rounding could bring about, is left aside. */
static ib_status start(const ib_model *model, const ib_dynamics *all, merged_run *run) {
    ib_status status = ib_compile(model, &run->welds, &run->compiled, NULL);
    if (status != IB_OK)
        return status;
    run->dynamics = ib_dynamics_create(run->compiled.mechanism);
    if (!run->dynamics)
        return IB_NO_MEMORY;
    return ib_merged_take(model, all, run);
}

ib_status ib_merged_create(const ib_model *model, const ib_dynamics *all, merged_run *run) {
    memset(run, 0, sizeof *run);
    run->arena = ib_arena_create();
    if (!run->arena || !ib_welds_find(model, run->arena, &run->welds))
        return IB_NO_MEMORY;
    if (!run->welds.merged)
        return IB_OK;
    const ib_status status = number_joints(model, run) ? start(model, all, run) : IB_NO_MEMORY;
    if (status == IB_OK || status == IB_NO_MEMORY)
        return status;
    ib_merged_destroy(run);
    return IB_OK;
}

void ib_merged_destroy(merged_run *run) {
    ib_dynamics_destroy(run->dynamics);
    ib_compiled_destroy(&run->compiled);
    ib_arena_destroy(run->arena);
    memset(run, 0, sizeof *run);
}

void ib_merged_show(const merged_run *run, ib_dynamics *all) {
    ib_welds_part(&run->welds, run->compiled.model, ib_dynamics_bodies(run->dynamics), run->states);
    ib_dynamics_follow(all, run->dynamics, run->states, run->joint);
}
