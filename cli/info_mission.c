/* `ironbird info MISSION`: what flies, what steers it, how often everything steps, and where. */
#include "info.h"

#include <math.h> /* fabs, fpclassify only */
#include <stdlib.h>
#include <string.h>

#define DEGREES (180 / 3.14159265358979323846)

static double hertz(ib_time period) { return (double)IB_SECOND / (double)period; }

/* The text of a number, in a buffer of the caller's. */
typedef char digits[IB_NUMBER_SIZE];

/* An angle in degrees, without what turning it into radians left of rounding. */
static const char *degrees(double angle, digits text) {
    snprintf(text, IB_NUMBER_SIZE, "%.12g", DEGREES * angle);
    return text;
}

/* ---- the whole ---- */

static void print_head(const ib_world *world) {
    digits end, step;
    printf("mission: %s\nmode: %s, to %s s, a row every %s s, seed %llu\n", ib_world_name(world),
           ib_world_mode(world), ib_number_text(ib_time_seconds(ib_world_end(world)), end),
           ib_number_text(ib_time_seconds(ib_world_output_step(world)), step),
           (unsigned long long)ib_world_seed(world));
}

/* A component for people: what turning left of rounding is nought. */
static double shown(double x) { return fabs(x) < 1e-9 ? 0 : x; }

static void print_vector(const double v[3], const char *unit) {
    printf(" [%.6g, %.6g, %.6g] %s", shown(v[0]), shown(v[1]), shown(v[2]), unit);
}

static bool is_zero(const double v[3]) {
    return fpclassify(v[0]) == FP_ZERO && fpclassify(v[1]) == FP_ZERO &&
           fpclassify(v[2]) == FP_ZERO;
}

static void print_wind(const ib_environment_about *e) {
    digits number;
    const bool still =
        is_zero(e->steady) && e->n_levels == 0 && e->n_gusts == 0 && !(e->turbulence > 0);
    printf("; wind:%s", still ? " none" : "");
    const char *comma = "";
    if (!is_zero(e->steady)) {
        print_vector(e->steady, "m/s (north, east, down)");
        comma = ",";
    }
    if (e->n_levels > 0) {
        printf("%s a profile of %zu height%s", comma, e->n_levels, e->n_levels == 1 ? "" : "s");
        comma = ",";
    }
    if (e->n_gusts > 0) {
        printf("%s %zu gust%s", comma, e->n_gusts, e->n_gusts == 1 ? "" : "s");
        comma = ",";
    }
    if (e->turbulence > 0)
        printf("%s turbulence of %s m/s", comma, ib_number_text(e->turbulence, number));
}

static void print_environment(const ib_world *world) {
    const ib_environment_about e = ib_world_environment_about(world);
    digits latitude, longitude, altitude;
    printf("environment: Earth %s, %s; gravity %s", e.shape,
           e.rotation > 0 ? "turning" : "not turning", e.gravity);
    if (strcmp(e.gravity, "uniform") == 0)
        print_vector(e.uniform, "m/s^2");
    printf("; air %s", e.atmosphere);
    print_wind(&e);
    printf("; magnetic field: %s\n", e.magnetic_field ? "yes" : "no");
    printf("launch point: latitude %s deg, longitude %s deg, altitude %s m\n",
           degrees(e.latitude, latitude), degrees(e.longitude, longitude),
           ib_number_text(e.altitude, altitude));
}

/* ---- vehicles ---- */

static void print_bus(const ib_world *world, size_t vehicle, int capacity) {
    ib_topic_about topic;
    digits number;
    printf("    bus: %d messages", capacity);
    for (size_t i = 0; ib_world_topic_about(world, vehicle, i, &topic); i++) {
        printf("%s %s", i ? "," : ";", topic.name);
        if (topic.latency > 0)
            printf(" (%s s late)", ib_number_text(topic.latency, number));
        if (topic.loss > 0)
            printf(" (%s lost)", ib_number_text(topic.loss, number));
    }
    printf("\n");
}

static void print_separations(const ib_world *world, size_t vehicle) {
    ib_separation_about separation;
    for (size_t i = 0; ib_world_separation_about(world, vehicle, i, &separation); i++) {
        printf("    separation %s: releases", separation.name);
        for (size_t k = 0; k < separation.n_joints; k++)
            printf("%s %s", k ? "," : "", separation.joints[k]);
        printf(", becomes %s\n", separation.as);
    }
}

static void print_vehicle(const ib_world *world, size_t vehicle) {
    const ib_vehicle_about about = ib_world_vehicle_about(world, vehicle);
    digits mass;
    if (about.from[0]) {
        printf("  %s: comes off %s\n", about.name, about.from);
        return;
    }
    printf("  %s: %s, plant %s (%s)", about.name, about.kind, about.plant, about.plant_file);
    if (about.mass - about.mass == 0)
        printf(", %s kg", ib_number_text(about.mass, mass));
    printf("%s%s%s\n", about.held ? ", held by its pad" : "", about.stage[0] ? ", stage " : "",
           about.stage);
    if (about.computer[0])
        printf("    flight computer: %s (%s), %s\n", about.computer, about.computer_where,
               about.computer_kind);
    print_bus(world, vehicle, about.bus_capacity);
    print_separations(world, vehicle);
}

/* ---- rates, events ---- */

static void print_rate(const char *name, ib_time period, int64_t ticks) {
    digits rate;
    snprintf(rate, sizeof rate, "%.9g", hertz(period));
    printf("  %-30s %10s %8lld", name, rate, (long long)ticks);
}

static void print_rates(const ib_world *world) {
    const ib_time physics = ib_world_period(world), computer = ib_world_computer_period(world);
    const ib_time row = ib_world_output_step(world);
    ib_device_about device;
    ib_str name = {0};
    printf("%-32s %10s %8s\n", "rates and devices:", "Hz", "ticks");
    print_rate("physics", physics, 1);
    printf("\n");
    for (size_t v = 0; v < ib_world_vehicle_count(world); v++)
        for (size_t i = 0; ib_world_device_about(world, v, i, &device); i++) {
            ib_str_clear(&name);
            ib_str_printf(&name, "%s.%s", ib_world_vehicle_name(world, v), device.name);
            print_rate(name.failed ? device.name : name.data, device.period, device.ticks);
            printf("  %s on %s\n", device.type, device.body);
        }
    print_rate("flight computers", computer, computer / physics);
    printf("\n");
    print_rate("output", row, row / physics);
    printf("\n");
    ib_str_free(&name);
}

static void print_events(const ib_world *world) {
    ib_event_about event;
    size_t n = 0;
    while (ib_world_event_about(world, n, &event))
        n++;
    printf("events (%zu)%s\n", n, n ? ":" : "");
    for (size_t i = 0; ib_world_event_about(world, i, &event); i++)
        printf("  %s: when %s crosses zero%s%s%s, %zu thing%s to do\n", event.name, event.when,
               strcmp(event.crosses, "both") ? " " : "",
               strcmp(event.crosses, "both") ? event.crosses : "", event.once ? ", once" : "",
               event.n_actions, event.n_actions == 1 ? "" : "s");
}

static void print_mission(const ib_world *world) {
    print_head(world);
    print_environment(world);
    printf("vehicles (%zu):\n", ib_world_vehicle_count(world));
    for (size_t i = 0; i < ib_world_vehicle_count(world); i++)
        print_vehicle(world, i);
    print_rates(world);
    print_events(world);
    printf("channels (%zu), which --json lists\n", ib_world_channel_count(world));
}

/* ---- as JSON ---- */

static void text_member(ib_str *text, const char *name, const char *value) {
    ib_str_add(text, ", ");
    ib_info_json_text(text, name, value);
}

static void number_member(ib_str *text, const char *name, double value) {
    ib_str_add(text, ", ");
    ib_info_json_number(text, name, value);
}

static void flag_member(ib_str *text, const char *name, bool value) {
    ib_str_printf(text, ", \"%s\": %s", name, value ? "true" : "false");
}

static void vector_member(ib_str *text, const char *name, const double v[3]) {
    digits x, y, z;
    ib_str_printf(text, ", \"%s\": [%s, %s, %s]", name, ib_number_text(v[0], x),
                  ib_number_text(v[1], y), ib_number_text(v[2], z));
}

static void add_rate(ib_str *text, const char *name, ib_time period, ib_time physics) {
    ib_str_printf(text, ", \"%s\": {\"ticks\": %lld", name, (long long)(period / physics));
    number_member(text, "hertz", hertz(period));
    ib_str_add_char(text, '}');
}

static void add_environment(ib_str *text, const ib_world *world) {
    const ib_environment_about e = ib_world_environment_about(world);
    ib_str_add(text, ",\n \"environment\": {");
    ib_info_json_text(text, "earth", e.shape);
    number_member(text, "rotation", e.rotation);
    text_member(text, "gravity", e.gravity);
    vector_member(text, "uniform_gravity", e.uniform);
    text_member(text, "atmosphere", e.atmosphere);
    vector_member(text, "wind", e.steady);
    ib_str_printf(text, ", \"wind_levels\": %zu, \"gusts\": %zu", e.n_levels, e.n_gusts);
    number_member(text, "turbulence", e.turbulence);
    flag_member(text, "magnetic_field", e.magnetic_field);
    ib_str_add(text, "},\n \"launch\": {");
    ib_info_json_number(text, "latitude", e.latitude);
    number_member(text, "longitude", e.longitude);
    number_member(text, "altitude", e.altitude);
    ib_str_add_char(text, '}');
}

static void add_devices(ib_str *text, const ib_world *world, size_t vehicle) {
    ib_device_about device;
    ib_str_add(text, ", \"devices\": [");
    for (size_t i = 0; ib_world_device_about(world, vehicle, i, &device); i++) {
        ib_str_add(text, i ? ",\n    {" : "\n    {");
        ib_info_json_text(text, "name", device.name);
        text_member(text, "type", device.type);
        text_member(text, "body", device.body);
        number_member(text, "hertz", hertz(device.period));
        ib_str_printf(text, ", \"ticks\": %lld}", (long long)device.ticks);
    }
    ib_str_add_char(text, ']');
}

static void add_topics(ib_str *text, const ib_world *world, size_t vehicle) {
    ib_topic_about topic;
    ib_str_add(text, ", \"topics\": [");
    for (size_t i = 0; ib_world_topic_about(world, vehicle, i, &topic); i++) {
        ib_str_add(text, i ? ", {" : "{");
        ib_info_json_text(text, "name", topic.name);
        number_member(text, "latency", topic.latency);
        number_member(text, "loss", topic.loss);
        ib_str_add_char(text, '}');
    }
    ib_str_add_char(text, ']');
}

static void add_separations(ib_str *text, const ib_world *world, size_t vehicle) {
    ib_separation_about separation;
    ib_str_add(text, ", \"separations\": [");
    for (size_t i = 0; ib_world_separation_about(world, vehicle, i, &separation); i++) {
        ib_str_add(text, i ? ", {" : "{");
        ib_info_json_text(text, "name", separation.name);
        text_member(text, "as", separation.as);
        ib_str_add(text, ", \"release\": [");
        for (size_t k = 0; k < separation.n_joints; k++) {
            ib_str_add(text, k ? ", \"" : "\"");
            ib_str_add_json(text, separation.joints[k]);
            ib_str_add_char(text, '"');
        }
        ib_str_add(text, "]}");
    }
    ib_str_add_char(text, ']');
}

static void add_vehicle(ib_str *text, const ib_world *world, size_t vehicle) {
    const ib_vehicle_about about = ib_world_vehicle_about(world, vehicle);
    ib_str_add(text, vehicle ? ",\n  {" : "\n  {");
    ib_info_json_text(text, "name", about.name);
    if (about.from[0]) {
        text_member(text, "comes_off", about.from);
        ib_str_add_char(text, '}');
        return;
    }
    text_member(text, "kind", about.kind);
    text_member(text, "plant", about.plant);
    text_member(text, "file", about.plant_file);
    number_member(text, "mass", about.mass);
    flag_member(text, "held", about.held);
    text_member(text, "stage", about.stage);
    text_member(text, "flight_computer", about.computer);
    text_member(text, "computer_runs", about.computer_kind);
    text_member(text, "computer_at", about.computer_where);
    ib_str_printf(text, ", \"bus_capacity\": %d", about.bus_capacity);
    add_topics(text, world, vehicle);
    add_separations(text, world, vehicle);
    add_devices(text, world, vehicle);
    ib_str_add_char(text, '}');
}

static void add_events(ib_str *text, const ib_world *world) {
    ib_event_about event;
    ib_str_add(text, ",\n \"events\": [");
    for (size_t i = 0; ib_world_event_about(world, i, &event); i++) {
        ib_str_add(text, i ? ",\n  {" : "\n  {");
        ib_info_json_text(text, "name", event.name);
        text_member(text, "when", event.when);
        text_member(text, "crosses", event.crosses);
        flag_member(text, "once", event.once);
        ib_str_printf(text, ", \"actions\": %zu}", event.n_actions);
    }
    ib_str_add_char(text, ']');
}

static void print_mission_json(const ib_world *world, const ib_channel_list *all) {
    const ib_time physics = ib_world_period(world);
    ib_str text = {0};
    ib_str_add(&text, "{\"kind\": \"mission\"");
    text_member(&text, "name", ib_world_name(world));
    text_member(&text, "mode", ib_world_mode(world));
    number_member(&text, "end", ib_time_seconds(ib_world_end(world)));
    ib_str_printf(&text, ", \"seed\": %llu,\n \"rates\": {\"tick_ns\": %lld",
                  (unsigned long long)ib_world_seed(world), (long long)physics);
    add_rate(&text, "physics", physics, physics);
    add_rate(&text, "flight_computer", ib_world_computer_period(world), physics);
    add_rate(&text, "output", ib_world_output_step(world), physics);
    ib_str_add_char(&text, '}');
    add_environment(&text, world);
    ib_str_add(&text, ",\n \"vehicles\": [");
    for (size_t i = 0; i < ib_world_vehicle_count(world); i++)
        add_vehicle(&text, world, i);
    ib_str_add_char(&text, ']');
    add_events(&text, world);
    ib_str_add(&text, ",\n ");
    ib_info_json_channels(&text, all);
    ib_str_add(&text, "}\n");
    if (!text.failed)
        ib_print(text.data);
    ib_str_free(&text);
}

/* ---- the command ---- */

static ib_status print_json(const ib_world *world, ib_diags *diags) {
    const size_t n = ib_world_channel_count(world);
    ib_channel_list all = {calloc(n + 1, sizeof *all.list), 0};
    if (!all.list)
        return ib_diags_no_memory(diags);
    for (; all.n < n; all.n++)
        all.list[all.n] = ib_world_channel_info(world, (ib_handle)all.n);
    print_mission_json(world, &all);
    free(all.list);
    return IB_OK;
}

ib_status ib_info_mission(const char *path, const ib_arguments *given, ib_diags *diags) {
    ib_overrides overrides;
    ib_world *world = NULL;
    ib_status status = ib_overrides_open(given, IB_OPTION_info_set, diags, &overrides);
    const ib_world_options options = {.overrides = overrides.list,
                                      .n_overrides = overrides.n,
                                      .guard = ib_guard,
                                      .host = "/proc/self/exe"};
    if (status == IB_OK)
        status = ib_world_create(path, &options, diags, &world);
    ib_overrides_close(&overrides);
    if (status == IB_OK && ib_arguments_has(given, IB_OPTION_info_json))
        status = print_json(world, diags);
    else if (status == IB_OK)
        print_mission(world);
    ib_world_destroy(world);
    return status;
}
