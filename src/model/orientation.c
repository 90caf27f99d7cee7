/* orientation: quaternions, axes and angles as unit quaternions, global at t = 0.
 *
 * {z} is the smallest rotation that takes global z to the given direction; {x, z} completes the
 * right handed frame with x made perpendicular to z; {sequence, angles} multiplies elementary
 * rotations from the left to the right, that is, each about the axes as turned so far.
 */
#include "model/model_internal.h"

#include <math.h>
#include <string.h>

#define SILENT_TOLERANCE 1e-6 /* distance of a quaternion's length from 1 */
#define NOTED_TOLERANCE 1e-3

void ib_orientation_from_z(ib_loader *l, const double z[3], double q[4]) {
    static const double up[3] = {0, 0, 1};
    /* The half-way rotation between e_z and z: (1 + e_z.z, e_z x z), normalised. */
    if (1 + z[2] < 1e-12) {
        const double half_turn[4] = {0, 1, 0, 0};
        ib_tracked_constant(l, half_turn, q, 4);
        return;
    }
    ib_tracked_between(l, up, z, q);
    ib_tracked_quat_normalize(l, q);
}

static bool read_quaternion(ib_loader *l, const char *key, ib_yaml *node, double q[4]) {
    if (!ib_read_numbers(l, key, node, IB_DIM_NUMBER, 4, q))
        return false;
    const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double off = fabs(norm - 1);
    if (!(off < NOTED_TOLERANCE)) {
        ib_report(l, IB0603, node, "%s: this quaternion has length %.6g; it must be 1", key, norm);
        return false;
    }
    if (!(off < SILENT_TOLERANCE) && !node->reported) {
        node->reported = true;
        ib_diags_add(l->diags, IB_NOTE, IB0604, ib_node_place(l, node),
                     "%s: this quaternion has length %.9g and was normalised", key, norm);
    }
    ib_tracked_quat_normalize(l, q);
    return true;
}

/* ---- a map: {z}, {x, z}, {sequence, angles} ---- */

static bool from_axes(ib_loader *l, ib_record *r, const ib_frame_spec *spec, double q[4]) {
    if (!r->given[IB_KEY_frame_x]) {
        ib_orientation_from_z(l, spec->z, q);
        return true;
    }
    double x[3];
    double y[3];
    ib_tracked_reject(l, spec->x, spec->z, x);
    if (ib_norm(x) < 1e-9) {
        ib_report(l, IB0605, r->given[IB_KEY_frame_x], "x: the directions x and z are parallel");
        return false;
    }
    ib_tracked_unit(l, x, x);
    ib_tracked_cross(l, spec->z, x, y);
    ib_tracked_from_axes(l, x, y, spec->z, q);
    return true;
}

bool ib_is_sequence(const char *text) {
    for (int i = 0; i < 3; i++) {
        if (text[i] < 'x' || text[i] > 'z' || (i > 0 && text[i] == text[i - 1]))
            return false;
    }
    return text[3] == '\0';
}

static bool from_angles(ib_loader *l, ib_record *r, const ib_frame_spec *spec, double q[4]) {
    if (!ib_is_sequence(spec->sequence)) {
        if (ib_report(l, IB0215, r->given[IB_KEY_frame_sequence],
                      "sequence: '%s' is not a sequence of turns", spec->sequence))
            ib_diags_suggest(l->diags,
                             "three of x, y, z, no letter twice in a row, such as zyx or zxz");
        return false;
    }
    const double identity[4] = {1, 0, 0, 0}, zeros[4] = {0, 0, 0, 0};
    ib_tracked_constant(l, identity, q, 4);
    for (int i = 0; i < 3; i++) {
        double turn[4];
        ib_tracked_constant(l, zeros, turn, 4);
        ib_tracked_half_turn(l, &spec->angles[i], &turn[1 + spec->sequence[i] - 'x'], &turn[0]);
        ib_tracked_quat_mul(l, q, turn, q);
    }
    ib_tracked_quat_normalize(l, q);
    return true;
}

static bool read_map(ib_loader *l, const char *key, ib_yaml *node, double q[4]) {
    ib_record r;
    ib_frame_spec spec = {.sequence = ""};
    if (!ib_record_open(l, IB_SECTION_frame, NULL, node, &r))
        return false;
    ib_record_read(l, &r, &spec);
    for (size_t i = 0; i < IB_KEY_COUNT; i++) {
        if (r.bad[i])
            return false;
    }
    const bool has_axes = r.given[IB_KEY_frame_z] != NULL;
    const bool has_angles = r.given[IB_KEY_frame_sequence] && r.given[IB_KEY_frame_angles];
    const bool has_half = r.given[IB_KEY_frame_sequence] || r.given[IB_KEY_frame_angles];
    if (has_axes && !has_half)
        return from_axes(l, &r, &spec, q);
    if (has_angles && !has_axes && !r.given[IB_KEY_frame_x])
        return from_angles(l, &r, &spec, q);
    if (has_axes || has_half || r.given[IB_KEY_frame_x] || node->n == 0)
        ib_report(l, IB0222, node, "%s: an orientation is {z}, {x, z} or {sequence, angles}", key);
    return false;
}

bool ib_read_frame(ib_loader *l, const char *key, ib_yaml *node, double q[4]) {
    const double identity[4] = {1, 0, 0, 0};
    const bool good =
        node->kind == IB_YAML_MAP ? read_map(l, key, node, q) : read_quaternion(l, key, node, q);
    if (!good)
        ib_tracked_constant(l, identity, q, 4);
    ib_place_orientation(l, q);
    return good;
}

bool ib_read_orientation(ib_loader *l, const char *key, ib_yaml *node, double q[4]) {
    if (node->kind != IB_YAML_SCALAR || node->length == 0)
        return ib_read_frame(l, key, node, q);
    const size_t index = ib_find_name(l, &l->frames, node->text);
    if (index == SIZE_MAX) {
        if (ib_report(l, IB0311, node, "%s: there is no frame '%s'", key, node->text))
            ib_suggest_known(l, node->text, &l->frames);
        return false;
    }
    ib_tracked_copy(l, l->frame_values[index], q, 4);
    return !l->frame_bad[index];
}
