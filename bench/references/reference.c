// Reference solutions of the two benchmark families, in extended precision.
//
//   reference chain N [STEP]      N ball-jointed links, 5 s, the tip
//   reference fourbar N [STEP]    the N-four-bar with 2N+1 links, 10 s, the point B0
//
// prints 20 equally spaced points as CSV. Both are written in coordinates that leave no position
// constraint to drift, and integrated by Gragg-Bulirsch-Stoer extrapolation of order 16 with a
// fixed step, in long double (64-bit mantissa on x86).
//
// chain: link i has centre r_i and unit direction d_i (from its joint to its tip). Its inertia is
// symmetric about d, and the joint forces act on the axis, so the spin w3 about d stays constant
// and the link's angular momentum is h = J d x d' + J3 w3 d. With F_i the force on link i at its
// joint, S_i = F_i + F_{i+1} and F_{N+1} = 0:
//
//   m r_i''  = F_i - F_{i+1} + m g
//   J d_i''  = -(l/2) (S_i - d_i (d_i . S_i)) - J3 w3 d_i' x d_i - J |d_i'|^2 d_i
//
// and "joint of link i = tip of link i-1", differentiated twice, is block tridiagonal in F.
//
// fourbar: all cranks stay parallel, so the mechanism is one equation for the crank angle t from
// the x axis, t'' = -k cos t with k = g ((N+1)/2 + N) / ((N+1)/3 + N), t(0) = pi/2, t'(0) = -1.
//
// This file does not compute a bound of its own error: run it with two steps and compare.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

enum { ROWS = 8, MAX_LINKS = 400, MAX_STATE = 6 * MAX_LINKS };

static const real gravity = 9.81L;

// One system of first-order equations y' = f(y).
typedef struct {
    int n_links;
    int n_state;
    void (*rate)(int n_links, const real *y, real *dy);
} problem;

// ---- chain ------------------------------------------------------------------------------------

static const real length = 0.1L, mass = 0.1L;

static real dot(const real *a, const real *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const real *a, const real *b, real *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// Adds s (1/m I + (l^2/4J) (I - d d^T)) or its negative counterpart to the 3x3 block.
static void add_compliance(real *block, const real *d, real by_mass, real by_turn) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            block[3 * i + k] += (i == k ? by_mass + by_turn : 0) - by_turn * d[i] * d[k];
}

static void invert_symmetric(const real *a, real *inv) {
    real c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8],
         c2 = a[3] * a[7] - a[4] * a[6], det = a[0] * c0 + a[1] * c1 + a[2] * c2;
    inv[0] = c0 / det;
    inv[1] = (a[2] * a[7] - a[1] * a[8]) / det;
    inv[2] = (a[1] * a[5] - a[2] * a[4]) / det;
    inv[3] = c1 / det;
    inv[4] = (a[0] * a[8] - a[2] * a[6]) / det;
    inv[5] = (a[2] * a[3] - a[0] * a[5]) / det;
    inv[6] = c2 / det;
    inv[7] = (a[1] * a[6] - a[0] * a[7]) / det;
    inv[8] = (a[0] * a[4] - a[1] * a[3]) / det;
}

static void multiply(const real *a, const real *b, real *c) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            c[3 * i + k] = a[3 * i] * b[k] + a[3 * i + 1] * b[3 + k] + a[3 * i + 2] * b[6 + k];
}

// Joint forces F[0..n-1] from the directions' free accelerations: block tridiagonal elimination.
// Row i says: joint of link i minus tip of link i-1 has no acceleration.
static void joint_forces(int n, const real *d, const real *free_accel, real (*force)[3]) {
    static real inverse[MAX_LINKS][9], below[9];
    const real inertia = mass * length * length / 12, half = length / 2,
               turn = half * half / inertia, inv_mass = 1 / mass;
    for (int i = 0; i < n; i++) {
        // right side: -(free acceleration of the gap); gravity moves all centres alike
        real diagonal[9] = {0};
        add_compliance(diagonal, d + 3 * i, inv_mass, turn);
        for (int k = 0; k < 3; k++)
            force[i][k] = half * free_accel[3 * i + k];
        if (i == 0) {
            force[0][2] += gravity;
        } else {
            add_compliance(diagonal, d + 3 * (i - 1), inv_mass, turn);
            for (int k = 0; k < 3; k++)
                force[i][k] += half * free_accel[3 * (i - 1) + k];
            // coupling of joint i with joint i-1 through link i-1
            real couple[9] = {0}, product[9];
            add_compliance(couple, d + 3 * (i - 1), -inv_mass, turn);
            multiply(couple, inverse[i - 1], below);
            multiply(below, couple, product);
            for (int k = 0; k < 9; k++)
                diagonal[k] -= product[k];
            for (int k = 0; k < 3; k++)
                force[i][k] -= dot(below + 3 * k, force[i - 1]);
        }
        invert_symmetric(diagonal, inverse[i]);
    }
    for (int i = n - 1; i >= 0; i--) {
        real rest[3];
        memcpy(rest, force[i], sizeof rest);
        if (i < n - 1) {
            real couple[9] = {0};
            add_compliance(couple, d + 3 * i, -inv_mass, turn);
            for (int k = 0; k < 3; k++)
                rest[k] -= dot(couple + 3 * k, force[i + 1]);
        }
        for (int k = 0; k < 3; k++)
            force[i][k] = dot(inverse[i] + 3 * k, rest);
    }
}

// State: directions d (3n), then their rates (3n).
static void chain_rate(int n, const real *y, real *dy) {
    static real force[MAX_LINKS + 1][3];
    const real inertia = mass * length * length / 12, axial = inertia / 2, half = length / 2;
    // 1 rad/s about z, seen along the first direction (sin 60, 0, -cos 60)
    const real spin = -0.5L;
    const real *d = y, *v = y + 3 * n;
    real *accel = dy + 3 * n;
    memcpy(dy, v, sizeof(real) * 3 * (size_t)n);
    for (int i = 0; i < n; i++) {
        real gyro[3];
        cross(v + 3 * i, d + 3 * i, gyro);
        for (int k = 0; k < 3; k++)
            accel[3 * i + k] =
                -axial * spin / inertia * gyro[k] - dot(v + 3 * i, v + 3 * i) * d[3 * i + k];
    }
    joint_forces(n, d, accel, force);
    memset(force[n], 0, sizeof force[n]);
    for (int i = 0; i < n; i++) {
        real sum[3];
        for (int k = 0; k < 3; k++)
            sum[k] = force[i][k] + force[i + 1][k];
        real along = dot(sum, d + 3 * i);
        for (int k = 0; k < 3; k++)
            accel[3 * i + k] -= half / inertia * (sum[k] - along * d[3 * i + k]);
    }
}

static void chain_start(int n, real *y) {
    const real sine = sqrtl(3.0L) / 2, cosine = 0.5L;
    memset(y, 0, sizeof(real) * 6 * (size_t)n);
    for (int i = 0; i < n; i++) {
        y[3 * i] = sine;
        y[3 * i + 2] = -cosine;
        y[3 * n + 3 * i + 1] = sine;
    }
}

static void chain_tip(int n, const real *y, real *p) {
    p[0] = p[1] = p[2] = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            p[k] += length * y[3 * i + k];
}

// ---- fourbar ----------------------------------------------------------------------------------

static void fourbar_rate(int n, const real *y, real *dy) {
    real bars = n, k = gravity * ((bars + 1) / 2 + bars) / ((bars + 1) / 3 + bars);
    dy[0] = y[1];
    dy[1] = -k * cosl(y[0]);
}

// ---- extrapolation ----------------------------------------------------------------------------

// Gragg's modified midpoint rule over one step in `count` substeps, with the smoothing step.
static void midpoint(const problem *p, const real *y, real step, int count, real *out) {
    static real before[MAX_STATE], now[MAX_STATE], rate[MAX_STATE];
    real h = step / count;
    p->rate(p->n_links, y, rate);
    for (int i = 0; i < p->n_state; i++) {
        before[i] = y[i];
        now[i] = y[i] + h * rate[i];
    }
    for (int s = 1; s < count; s++) {
        p->rate(p->n_links, now, rate);
        for (int i = 0; i < p->n_state; i++) {
            real next = before[i] + 2 * h * rate[i];
            before[i] = now[i];
            now[i] = next;
        }
    }
    p->rate(p->n_links, now, rate);
    for (int i = 0; i < p->n_state; i++)
        out[i] = (before[i] + now[i] + h * rate[i]) / 2;
}

// One step of order 2*ROWS: the Aitken-Neville table in h^2, kept as one row.
static void advance(const problem *p, real *y, real step) {
    static real table[ROWS][MAX_STATE];
    for (int row = 0; row < ROWS; row++) {
        int count = 2 * (row + 1);
        midpoint(p, y, step, count, table[row]);
        for (int column = row - 1; column >= 0; column--) {
            real ratio = (real)count / (2 * (column + 1));
            for (int i = 0; i < p->n_state; i++)
                table[column][i] = table[column + 1][i] +
                                   (table[column + 1][i] - table[column][i]) / (ratio * ratio - 1);
        }
    }
    memcpy(y, table[0], sizeof(real) * (size_t)p->n_state);
}

int main(int argc, char **argv) {
    int n = argc > 2 ? atoi(argv[2]) : 0;
    int chain = argc > 1 && strcmp(argv[1], "chain") == 0;
    if (argc < 3 || n < 1 || n > MAX_LINKS || (!chain && strcmp(argv[1], "fourbar") != 0)) {
        fprintf(stderr, "usage: reference chain|fourbar N [STEP]\n");
        return 2;
    }
    const real span = chain ? 5.0L : 10.0L, interval = span / 20;
    const real wanted = argc > 3 ? strtold(argv[3], NULL) : 0.0025L;
    const int steps = (int)ceill(interval / wanted - 1e-9L);

    static real y[MAX_STATE];
    problem p = {n, chain ? 6 * n : 2, chain ? chain_rate : fourbar_rate};
    if (chain) {
        chain_start(n, y);
    } else {
        y[0] = acosl(-1.0L) / 2;
        y[1] = -1;
    }
    printf("t,x,y,z\n");
    for (int out = 1; out <= 20; out++) {
        real point[3] = {cosl(y[0]), sinl(y[0]), 0};
        for (int s = 0; s < steps; s++)
            advance(&p, y, interval / steps);
        if (chain) {
            chain_tip(n, y, point);
        } else {
            point[0] = cosl(y[0]);
            point[1] = sinl(y[0]);
        }
        printf("%.17Lg,%.17Lg,%.17Lg,%.17Lg\n", interval * out, point[0], point[1], point[2]);
    }
    return 0;
}
