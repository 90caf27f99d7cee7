/* Rotations: unit quaternions (w, x, y, z) with v_global = R(q) v_body, rotation matrices, and the
 * exponential map of SO(3) with its tangent operators.
 */
#ifndef IB_NUM_ROTATION_H
#define IB_NUM_ROTATION_H

/* R(q / |q|), row-major. */
void ib_quat_matrix(const double q[4], double R[9]);
/* The unit quaternion of a rotation matrix, w >= 0 (Shepperd 1978). */
void ib_quat_from_matrix(const double R[9], double q[4]);
/* out = a b (Hamilton product); out may alias. */
void ib_quat_mul(const double a[4], const double b[4], double out[4]);
void ib_quat_normalize(double q[4]);
/* out = R(q) v and out = R(q)ᵀ v; out may alias v. */
void ib_quat_rotate(const double q[4], const double v[3], double out[3]);
void ib_quat_rotate_back(const double q[4], const double v[3], double out[3]);
/* q exp(e/2): the attitude after turning by the rotation vector e (rad) in body axes. */
void ib_quat_turn(const double q[4], const double e[3], double out[4]);
/* Time derivative of q for the angular velocity w in body axes (rad/s). */
void ib_quat_rate(const double q[4], const double w[3], double dq[4]);
/* The shortest rotation vector of a unit quaternion, |e| <= pi. */
void ib_quat_log(const double q[4], double e[3]);

/* exp(e^) for a rotation vector e (Rodrigues). Polynomials in |e|^2 below 0.5 rad. */
void ib_so3_exp(const double e[3], double R[9]);
/* The right tangent operator T(e): exp((e + de)^) = exp(e^) exp((T(e) de)^) to first order. */
void ib_so3_tangent(const double e[3], double T[9]);
/* Its inverse; singular at |e| = 2 pi. */
void ib_so3_tangent_inverse(const double e[3], double T[9]);

/* A rotation matrix whose column 2 is the unit vector z; columns 0 and 1 complete it. */
void ib_frame_from_z(const double z[3], double R[9]);

#endif
