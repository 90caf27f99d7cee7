/* Which channels a run records: patterns of the command line, else those of the file, else what is
 * usual. The same for models, missions and networks.
 */
#include "run.h"

#include <stdlib.h>

/* Marks what the pattern matches; how many that are. */
static size_t mark(ib_run *run, const ib_channel_source *source, const char *pattern) {
    size_t matches = 0;
    for (size_t i = 0; i < source->n; i++)
        if (ib_glob_match(pattern, source->info(run, (ib_handle)i).name)) {
            run->wanted[i] = true;
            matches++;
        }
    return matches;
}

static ib_status complain(ib_run *run, const ib_channel_source *source, const char *pattern,
                          ib_place place) {
    const char **names = calloc(source->n + 1, sizeof *names);
    for (size_t i = 0; names && i < source->n; i++)
        names[i] = source->info(run, (ib_handle)i).name;
    const char *nearest = names ? ib_nearest_name(pattern, names, source->n) : NULL;
    ib_diags_add(run->diags, IB_ERROR, IB0904, place, "no channel matches '%s'", pattern);
    if (nearest)
        ib_diags_suggest(run->diags, "did you mean '%s'?", nearest);
    free(names);
    return IB_BAD_INPUT;
}

static ib_status mark_all(ib_run *run, const ib_channel_source *source) {
    size_t n;
    const char **given = ib_arguments_list(run->given, IB_OPTION_run_record, &n);
    const char *const *patterns = n ? given : source->patterns;
    const ib_place place = n ? IB_NO_PLACE : source->place;
    ib_status status = given ? IB_OK : ib_diags_no_memory(run->diags);
    if (!n)
        n = source->n_patterns;
    for (size_t i = 0; status != IB_NO_MEMORY && i < n; i++)
        if (mark(run, source, patterns[i]) == 0)
            status = complain(run, source, patterns[i], place);
    for (size_t i = 0; !n && i < source->n; i++)
        run->wanted[i] = source->usual(run, (ib_handle)i);
    free(given);
    return status;
}

ib_status ib_run_mark_channels(ib_run *run, const ib_channel_source *source) {
    const size_t n = source->n + 1;
    run->wanted = calloc(n, sizeof *run->wanted);
    run->channels = calloc(n, sizeof *run->channels);
    run->infos = calloc(n, sizeof *run->infos);
    run->values = calloc(n, sizeof *run->values);
    if (!run->wanted || !run->channels || !run->infos || !run->values)
        return ib_diags_no_memory(run->diags);
    return mark_all(run, source);
}

void ib_run_list_channels(ib_run *run, const ib_channel_source *source) {
    for (size_t i = 0; i < source->n; i++)
        if (run->wanted[i]) {
            run->infos[run->n_channels] = source->info(run, (ib_handle)i);
            run->channels[run->n_channels++] = (ib_handle)i;
        }
}
