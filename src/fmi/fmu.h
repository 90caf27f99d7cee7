/* An open FMU. Private to the module. */
#ifndef IB_FMI_FMU_H
#define IB_FMI_FMU_H

#include "fmi/archive.h"
#include "fmi/description.h"

struct ib_fmu {
    char *path; /* of the archive, as given */
    ib_fmi_folder folder;
    ib_fmi_description *description;
    /* Where the library of a kind is, once that was asked: the folder that holds binaries/. */
    char *roots[IB_FMU_KINDS];
    /* Sizes, start values and the like as text, made when they are asked for. */
    ib_arena *texts;
};

#endif
