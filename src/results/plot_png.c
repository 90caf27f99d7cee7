/* PNG pictures by a program that turns SVG into PNG: rsvg-convert (librsvg) or ImageMagick.
 *
 * The picture goes to the converter through a file beside the target and comes back under a
 * temporary name, so that a failure leaves no half a picture. It is twice as fine as the SVG's
 * pixels, for screens that show it.
 */
#include "results_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tries the converters in turn. */
static bool convert(char *svg, char *png) {
    char *rsvg[] = {"rsvg-convert", "--zoom", "2", "--format", "png", "--output", png, svg, NULL};
    if (ib_program_run(rsvg, NULL) == IB_PROGRAM_DONE)
        return true;
    char *magick[] = {"convert", "-density", "192", svg, png, NULL};
    return ib_program_run(magick, NULL) == IB_PROGRAM_DONE;
}

static ib_status refuse(const char *path, ib_diags *diags) {
    const bool any = ib_program_found("rsvg-convert") || ib_program_found("convert");
    ib_diags_add(diags, IB_ERROR, IB0810, (ib_place){.file = ib_diags_file(diags, path)},
                 any ? "the converter from SVG to PNG failed"
                     : "no program that turns SVG into PNG was found");
    ib_diags_suggest(diags, any ? "write an .svg file instead"
                                : "install librsvg2-bin or imagemagick, or write an .svg file");
    return any ? IB_IO_ERROR : IB_UNSUPPORTED;
}

/* "PATH.PID.ending" in malloc'ed memory, or NULL. */
static char *temporary_name(const char *path, const char *ending) {
    const size_t size = strlen(path) + strlen(ending) + 24;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s.%ld%s", path, (long)getpid(), ending);
    return name;
}

ib_status ib_png_write(const char *path, const char *svg, ib_diags *diags) {
    char *source = temporary_name(path, ".svg"), *target = temporary_name(path, ".png");
    ib_status status = IB_NO_MEMORY;
    if (source && target)
        status = ib_file_write(source, svg, strlen(svg), diags);
    else
        ib_diags_no_memory(diags);
    if (status == IB_OK && !convert(source, target))
        status = refuse(path, diags);
    if (status == IB_OK && rename(target, path) != 0) {
        ib_diags_add(diags, IB_ERROR, IB0102, (ib_place){.file = ib_diags_file(diags, path)},
                     "cannot write the picture: %s", strerror(errno));
        status = IB_IO_ERROR;
    }
    if (source)
        unlink(source);
    if (target)
        unlink(target);
    free(source);
    free(target);
    return status;
}
