/* GPS time: weeks of 604,800 s since 1980-01-06 00:00:00 UTC, without leap seconds (IS-GPS-200).
 *
 * Week and time of week come from one count by one division, so they can never belong to different
 * instants. Receivers that keep the broadcast's 10 bits count weeks modulo 1024.
 */
#include "avionics/avionics.h"

#define DAY INT64_C(86400)
#define WEEK (7 * DAY * IB_SECOND)
#define EPOCH_DAY INT64_C(3657) /* 1980-01-06 in days since 1970-01-01 */

static bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static int month_days(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days since 1970-01-01 of a date of 1970 or later. */
static int64_t days_of(int year, int month, int day) {
    const int64_t before = year - 1;
    int64_t days = 365 * (before - 1969) + before / 4 - before / 100 + before / 400 - 477;
    for (int m = 1; m < month; m++)
        days += month_days(year, m);
    return days + day - 1;
}

bool ib_gps_time_from_utc(int year, int month, int day, int hour, int minute, int second, int leap,
                          ib_gps_time *time) {
    if (year < 1980 || year > 2200 || month < 1 || month > 12 || day < 1 ||
        day > month_days(year, month) || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
        second < 0 || second > 60 || leap < 0 || leap > 1000)
        return false;
    const int64_t seconds = (days_of(year, month, day) - EPOCH_DAY) * DAY + hour * INT64_C(3600) +
                            minute * INT64_C(60) + second + leap;
    if (seconds < 0)
        return false;
    *time = seconds * IB_SECOND;
    return true;
}

void ib_gps_week(ib_gps_time time, bool roll_over, uint32_t *week, uint32_t *time_of_week) {
    const int64_t since = time > 0 ? time : 0;
    const int64_t count = since / WEEK;
    *week = (uint32_t)(roll_over ? count % 1024 : count);
    *time_of_week = (uint32_t)(since % WEEK / 1000000);
}
