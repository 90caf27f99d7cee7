/* US Standard Atmosphere 1976 (NOAA-S/T 76-1562, Washington 1976).
 *
 * To 86 km geometric: geopotential height H = r0 z / (r0 + z) (eq. 18); molecular-scale temperature
 * T_M = T_b + L_b (H - H_b) in seven layers (eq. 23); pressure by eq. 33a and 33b with k = g0 M0 /
 * R*; density k' p / T_M (eq. 42); speed of sound (eq. 50); viscosity (eq. 51). The kinetic
 * temperature is T_M times the molecular weight's ratio, which the standard tabulates from 80 km
 * (table 8). dp/dz = -rho g0 (r0 / (r0 + z))^2 exactly, as the pressure is hydrostatic by
 * construction.
 *
 * Above: ln p, ln rho and T of the standard's table at twelve heights to 1000 km, joined by cubics
 * with continuous first derivatives whose slopes at the knots are harmonic means of the
 * neighbouring secants (F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5, 1984), which add
 * no extrema; at 86 km values and slopes are those from below. Beyond 1000 km both logarithms go on
 * along the last secant. Between the knots this is not
 * the standard's composition of species, only a curve through its results.
 */
#include "environment/environment.h"

#define EARTH_RADIUS 6356766.0 /* r0, m */
#define GRAVITY 9.80665        /* g0', m/s^2 */
#define MOLAR_MASS 28.9644     /* M0, kg/kmol */
#define GAS_CONSTANT 8314.32   /* R*, J/(kmol K) */
#define GAMMA 1.4
#define SUTHERLAND_BETA 1.458e-6 /* kg/(s m K^1/2) */
#define SUTHERLAND_S 110.4       /* K */

#define LOWEST (-10000.0)
#define TOP 86000.0 /* of the standard's layers, geometric */

typedef struct layer {
    double base;        /* H_b, m geopotential */
    double temperature; /* T_b, K */
    double lapse;       /* L_b, K/m */
    double pressure;    /* p_b, Pa: eq. 33 from 101325 Pa upwards, to 20 digits */
} layer;

static const layer layers[] = {
    {0, 288.15, -0.0065, 101325.0},
    {11000, 216.65, 0, 22632.063973462930199},
    {20000, 216.65, 0.001, 5474.8886696777795581},
    {32000, 228.65, 0.0028, 868.01868475522733012},
    {47000, 270.65, 0, 110.90630555496587730},
    {51000, 270.65, -0.0028, 66.938873118687266041},
    {71000, 214.65, -0.002, 3.9564204280407286536},
};

/* M/M0 from 80 km, every 500 m. */
static const double weight_ratio[] = {1,        0.999996, 0.999989, 0.999971, 0.999941,
                                      0.999909, 0.999870, 0.999829, 0.999786, 0.999741,
                                      0.999694, 0.999641, 0.999579};

/* A quantity at the knots, the first of which is the layers' top, with the slope there. */
#define N_KNOTS 13
typedef struct curve {
    double value[N_KNOTS];
    double first_slope;
} curve;

static const double knots[N_KNOTS] = {TOP,   90e3,  100e3, 110e3, 120e3, 150e3, 200e3,
                                      300e3, 400e3, 500e3, 600e3, 800e3, 1000e3};
static const curve kinetic = {{186.86720408278993, 186.87, 195.08, 240.00, 360.00, 634.39, 854.56,
                               976.01, 995.83, 999.24, 999.85, 999.99, 1000.00},
                              -0.0019693247590796261};
/* The table's 1.8359e-1, 3.2011e-2, 7.1042e-3, 2.5382e-3, 4.5422e-4, 8.4736e-5, 8.7704e-6,
 * 1.4518e-6, 3.0236e-7, 8.2130e-8, 1.7036e-8 and 7.5138e-9 Pa. */
static const curve ln_pressure = {{-0.98515737428085548, -1.6950502685100228, -3.4416756852509058,
                                   -4.9470691205354074, -5.9763001105882099, -7.6969288957968267,
                                   -9.3759700170897862, -11.64412814258608, -13.442706392095671,
                                   -15.011647476522436, -16.31496247919431, -17.887937084885444,
                                   -18.706524507130506},
                                  -0.00017789766416059959};
/* Its 3.416e-6, 5.604e-7, 9.708e-8, 2.222e-8, 2.076e-9, 2.541e-10, 1.916e-11, 2.803e-12, 5.215e-13,
 * 1.137e-13, 1.136e-14 and 3.561e-15 kg/m^3. */
static const curve ln_density = {{-11.875643807606904, -12.58704028203795, -14.39461502248356,
                                  -16.147730456088009, -17.622273052734926, -19.992822871642769,
                                  -22.09329322560243, -24.678196343385835, -26.600330843745898,
                                  -28.282067120469858, -29.805212994154196, -32.108677981617681,
                                  -33.268734990615044},
                                 -0.00016748308405275497};

double ib_us76_geopotential(double height) {
    return EARTH_RADIUS * height / (EARTH_RADIUS + height);
}

/* Speed of sound and viscosity follow from the rest. */
static void complete(ib_air *air) {
    air->sound_speed = sqrt(GAMMA * air->pressure / air->density);
    air->d_sound_speed =
        air->sound_speed / 2 * (air->d_pressure / air->pressure - air->d_density / air->density);
    const double T = air->pressure * MOLAR_MASS / (GAS_CONSTANT * air->density); /* T_M */
    air->viscosity = SUTHERLAND_BETA * T * sqrt(T) / (T + SUTHERLAND_S);
}

/* M/M0 and its slope by geometric height. */
static double molecular_ratio(double height, double *slope) {
    const int last = (int)IB_COUNT(weight_ratio) - 2;
    const double place = (height - 80e3) / 500;
    *slope = 0;
    if (!(place > 0))
        return 1;
    const int i = place < last ? (int)place : last;
    *slope = (weight_ratio[i + 1] - weight_ratio[i]) / 500;
    return weight_ratio[i] + (place - i) * (weight_ratio[i + 1] - weight_ratio[i]);
}

/* Molecular temperature and pressure at a geopotential height; the layer. */
static const layer *hydrostatic(double H, double *T, double *pressure) {
    size_t i = 0;
    while (i + 1 < IB_COUNT(layers) && H >= layers[i + 1].base)
        i++;
    const layer *at = &layers[i];
    const double k = GRAVITY * MOLAR_MASS / GAS_CONSTANT;
    *T = at->temperature + at->lapse * (H - at->base);
    const double ratio = at->lapse < 0 || at->lapse > 0
                             ? ib_pow(at->temperature / *T, k / at->lapse)
                             : ib_exp(-k * (H - at->base) / *T);
    *pressure = at->pressure * ratio;
    return at;
}

static void layered(double height, ib_air *air) {
    double T;
    const layer *at = hydrostatic(ib_us76_geopotential(height), &T, &air->pressure);
    const double shrink = EARTH_RADIUS / (EARTH_RADIUS + height), dH = shrink * shrink;
    const double dT = at->lapse * dH;
    air->density = air->pressure * MOLAR_MASS / (GAS_CONSTANT * T);
    air->d_pressure = -air->density * GRAVITY * dH;
    air->d_density = air->density * (air->d_pressure / air->pressure - dT / T);
    double slope;
    const double weight = molecular_ratio(height, &slope);
    air->temperature = T * weight;
    air->d_temperature = dT * weight + T * slope;
}

/* ---- above the layers ---- */

static double secant(const curve *of, int i) {
    return (of->value[i + 1] - of->value[i]) / (knots[i + 1] - knots[i]);
}

/* The weighted harmonic mean of the secants on both sides, 0 where they differ in sign. */
static double knot_slope(const curve *of, int i) {
    if (i == 0)
        return of->first_slope;
    const double before = secant(of, i - 1);
    if (i == N_KNOTS - 1)
        return before;
    const double after = secant(of, i);
    if (!(before * after > 0))
        return 0;
    const double left = knots[i] - knots[i - 1], right = knots[i + 1] - knots[i];
    const double w1 = 2 * right + left, w2 = right + 2 * left;
    return (w1 + w2) / (w1 / before + w2 / after);
}

/* The cubic through both ends of piece i with their slopes. */
static double cubic(const curve *of, int i, double height, double *derivative) {
    const double h = knots[i + 1] - knots[i], x = (height - knots[i]) / h;
    const double s0 = h * knot_slope(of, i), s1 = h * knot_slope(of, i + 1);
    const double rise = of->value[i + 1] - of->value[i];
    const double c2 = 3 * rise - 2 * s0 - s1, c3 = s0 + s1 - 2 * rise;
    *derivative = (s0 + x * (2 * c2 + 3 * c3 * x)) / h;
    return of->value[i] + x * (s0 + x * (c2 + c3 * x));
}

/* Number of the piece above the knot; the last is open. */
static int piece_of(double height) {
    int piece = 0;
    while (piece < N_KNOTS - 1 && height >= knots[piece + 1])
        piece++;
    return piece;
}

static double curve_at(const curve *of, int piece, double height, double *derivative) {
    if (piece < N_KNOTS - 1)
        return cubic(of, piece, height, derivative);
    *derivative = secant(of, N_KNOTS - 2);
    return of->value[N_KNOTS - 1] + *derivative * (height - knots[N_KNOTS - 1]);
}

/* The exponential of a curve, held within what a double can hold: above some 190,000 km there is
 * simply no less air. */
static double exp_at(const curve *of, int piece, double height, double *derivative) {
    double x = curve_at(of, piece, height, derivative);
    if (x < -600) {
        *derivative = 0;
        x = -600;
    }
    const double value = ib_exp(x);
    *derivative *= value;
    return value;
}

static double temperature_at(int piece, double height, double *derivative) {
    if (piece < N_KNOTS - 1)
        return cubic(&kinetic, piece, height, derivative);
    *derivative = 0;
    return kinetic.value[N_KNOTS - 1];
}

static void tabulated(double height, ib_air *air) {
    const int piece = piece_of(height);
    air->temperature = temperature_at(piece, height, &air->d_temperature);
    air->pressure = exp_at(&ln_pressure, piece, height, &air->d_pressure);
    air->density = exp_at(&ln_density, piece, height, &air->d_density);
}

double ib_us76_density(double height, double *temperature) {
    double T, pressure, slope;
    if (height > TOP) {
        const int piece = piece_of(height);
        *temperature = temperature_at(piece, height, &slope);
        return exp_at(&ln_density, piece, height, &slope);
    }
    if (height < LOWEST)
        height = LOWEST;
    hydrostatic(ib_us76_geopotential(height), &T, &pressure);
    *temperature = T * molecular_ratio(height, &slope);
    return pressure * MOLAR_MASS / (GAS_CONSTANT * T);
}

void ib_us76(double height, ib_air *air) {
    if (height > TOP) {
        tabulated(height, air);
    } else if (height < LOWEST) {
        layered(LOWEST, air);
        air->d_temperature = air->d_pressure = air->d_density = 0;
    } else {
        layered(height, air);
    }
    complete(air);
}
