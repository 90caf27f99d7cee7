/* fmi: FMUs of FMI 3.0 and 2.0. The one header that siblings include. */
#ifndef IB_FMI_H
#define IB_FMI_H

#include "base/base.h"
#include "fmi/description.h"
#include "ironbird/fmu.h"

/* modelica.c: adds to `fmu` the path of the FMU of a Modelica class, made by the compiler that the
 * machine has or kept from before. `class_name` NULL: the one class of the file. In the folders
 * `roots` lie the packages that it uses. */
ib_status ib_modelica_build(const char *path, const char *class_name, const char *const *roots,
                            size_t n_roots, ib_diags *diags, ib_str *fmu);

#endif
