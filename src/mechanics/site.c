/* Elements placed on bodies: which slots move, and points and vectors in body axes. */
#include "mechanics/mechanism.h"

#include <string.h>

void ib_site_place(const ib_mechanism *m, mech_site *site, ib_element_id id, int body1, int body2,
                   int body3) {
    const int given[IB_SLOTS] = {body1, body2, body3};
    const int ground = (int)m->n_bodies;
    site->code = &ib_element_codes[id];
    site->n_active = 0;
    site->merge = -1;
    for (int s = 0; s < IB_SLOTS; s++) {
        const bool used = s < site->code->n_bodies && given[s] != IB_MECH_GROUND;
        site->body[s] = used ? given[s] : ground;
        if (!used)
            continue;
        if (s == 2 && site->body[2] == site->body[0])
            site->merge = 0;
        else if (s == 2 && site->body[2] == site->body[1])
            site->merge = 1;
        else
            site->active[site->n_active++] = s;
    }
}

void ib_site_constants(const mech_site *site, double *J) {
    if (site->code->constants)
        site->code->constants(NULL, NULL, NULL, site->p, J);
}

/* J of slot 2 goes to the slot on the same body. Only elements whose J varies throughout have three
 * bodies, so what is added here was written anew just before. */
void ib_site_merge(const mech_site *site, int n_rows, double *J) {
    if (site->merge < 0)
        return;
    double *to = J + site->merge * 6 * n_rows;
    const double *from = J + 12 * n_rows;
    for (int i = 0; i < 6 * n_rows; i++)
        to[i] += from[i];
}

void ib_vector_to_body(const ib_mech_body *bodies, int body, const double v[3], double out[3]) {
    if (body == IB_MECH_GROUND)
        memmove(out, v, 3 * sizeof *out);
    else
        ib_quat_rotate_back(bodies[body].orientation, v, out);
}

void ib_to_body(const ib_mech_body *bodies, int body, const double point[3], double s[3]) {
    double arm[3] = {point[0], point[1], point[2]};
    if (body != IB_MECH_GROUND)
        ib_sub3(point, bodies[body].position, arm);
    ib_vector_to_body(bodies, body, arm, s);
}
