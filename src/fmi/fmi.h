/* fmi: FMUs of FMI 3.0 and 2.0. The one header that siblings include. */
#ifndef IB_FMI_H
#define IB_FMI_H

#include "base/base.h"
#include "fmi/description.h"
#include "ironbird/fmu.h"

#endif
