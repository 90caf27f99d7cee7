/* Directional and adjoint derivatives (FMI 3.0.2, section 2.2.11; FMI 2.0.5, section 2.1.9).
 *
 * With J the derivatives of the unknowns by the knowns, elements of arrays one behind the other:
 * J seed, and seed J.
 */
#include "fmi/instance.h"

bool ib_fmi_has_directional(const ib_fmi_instance *i) {
    return i->description->interfaces[i->kind].flags[IB_FMI_FLAG_DIRECTIONAL] &&
           (i->description->version == 3 ? i->library.f3.GetDirectionalDerivative != NULL
                                         : i->library.f2.GetDirectionalDerivative != NULL);
}

bool ib_fmi_has_adjoint(const ib_fmi_instance *i) {
    return i->description->version == 3 &&
           i->description->interfaces[i->kind].flags[IB_FMI_FLAG_ADJOINT] &&
           i->library.f3.GetAdjointDerivative;
}

ib_status ib_fmi_get_directional(ib_fmi_instance *i, const uint32_t *unknowns, size_t n_unknowns,
                                 const uint32_t *knowns, size_t n_knowns, const double *seed,
                                 size_t n_seed, double *result, size_t n_result) {
    if (i->description->version == 3)
        return IB_FMI_CALL(
            i, "fmi3GetDirectionalDerivative",
            (int)i->library.f3.GetDirectionalDerivative(i->component, unknowns, n_unknowns, knowns,
                                                        n_knowns, seed, n_seed, result, n_result));
    return IB_FMI_CALL(i, "fmi2GetDirectionalDerivative",
                       (int)i->library.f2.GetDirectionalDerivative(
                           i->component, unknowns, n_unknowns, knowns, n_knowns, seed, result));
}

ib_status ib_fmi_get_adjoint(ib_fmi_instance *i, const uint32_t *unknowns, size_t n_unknowns,
                             const uint32_t *knowns, size_t n_knowns, const double *seed,
                             size_t n_seed, double *result, size_t n_result) {
    return IB_FMI_CALL(i, "fmi3GetAdjointDerivative",
                       (int)i->library.f3.GetAdjointDerivative(i->component, unknowns, n_unknowns,
                                                               knowns, n_knowns, seed, n_seed,
                                                               result, n_result));
}
