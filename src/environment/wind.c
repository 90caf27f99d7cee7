/* Mean wind: steady, a profile over height, and gusts, added up in north-east-down components.
 *
 * A gust is a pulse a/2 (1 - cos(2 pi (t - t0) / T)), the discrete gust of MIL-F-8785C drawn over
 * time instead of over the way flown: everyone meets it at once.
 */
#include "environment/environment.h"

#define TWO_PI 0x1.921fb54442d18p+2

void ib_wind_from_direction(double speed, double direction, double wind[3]) {
    double s, c;
    ib_sincos(direction, &s, &c);
    wind[0] = -speed * c;
    wind[1] = -speed * s;
    wind[2] = 0;
}

static void add_profile(const ib_wind *wind, double height, double ned[3], double d_height[3]) {
    const ib_wind_level *level = wind->levels;
    const int last = wind->n_levels - 1;
    if (last < 0)
        return;
    if (!(height > level[0].height) || height >= level[last].height) {
        ib_axpy(ned, 1, level[height >= level[last].height ? last : 0].wind, ned);
        return;
    }
    int i = 0;
    while (height >= level[i + 1].height)
        i++;
    const double span = level[i + 1].height - level[i].height;
    const double part = (height - level[i].height) / span;
    for (int k = 0; k < 3; k++) {
        const double rise = level[i + 1].wind[k] - level[i].wind[k];
        ned[k] += level[i].wind[k] + part * rise;
        d_height[k] += rise / span;
    }
}

static void add_gust(const ib_wind_gust *gust, double t, double ned[3]) {
    const double since = t - gust->start;
    if (since > 0 && since < gust->duration)
        ib_axpy(ned, (1 - ib_cos(TWO_PI * since / gust->duration)) / 2, gust->amplitude, ned);
}

void ib_wind_mean(const ib_wind *wind, double height, double t, double ned[3], double d_height[3]) {
    for (int k = 0; k < 3; k++) {
        ned[k] = wind->steady[k];
        d_height[k] = 0;
    }
    add_profile(wind, height, ned, d_height);
    for (int i = 0; i < wind->n_gusts; i++)
        add_gust(&wind->gusts[i], t, ned);
}
