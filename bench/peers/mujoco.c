// The two benchmark families simulated by MuJoCo, one run per call:
//
//   mujoco chain|fourbar N SOLVER SETTING
//
// prints one JSON line: version, CPU seconds of the stepping alone, and the observed point at 20
// equally spaced times. The same file compiles against MuJoCo 2.2 and against the newest release.
//
// SOLVER is words joined by '+': an integrator (euler, rk4, implicit, implicitfast, discrete); for
// the loop closures of the fourbar a constraint solver (newton, cg, pgs); "hinges" builds each ball
// joint of the chain of three hinges; "hard" divides the compiled model's constraint weights, and
// so the softness of the loop closures, by ten million.
// SETTING is a comma-separated list: steps=STEPS BETWEEN OUTPUTS, and for the fourbar ref=TIME
// CONSTANT IN STEPS, imp=IMPEDANCE, tol=SOLVER TOLERANCE, exact=1 (exact constraint diagonal,
// newest release only).
//
// A chain is a tree of ball joints. The fourbar is a tree of N+1 cranks, the first N of which
// carry a coupler each; the coupler's far end is tied to the next crank by a "connect". MuJoCo has
// no hard equality constraint: the impedance is set next to one and the time constant as short as
// the step allows, and everything the model does not need (contacts, sensors, ...) is off.

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// MuJoCo 2.2 reads elements nested up to a limit: a chain is cut into included files.
enum { POINTS = 20, LINKS_PER_FILE = 40, PATH_SIZE = 200 };

typedef struct {
    int fourbar;
    int n;
    const char *integrator; // MuJoCo's names
    const char *solver;
    int hinges;
    int hard;
    long steps;
    double step;
    double time_constant; // in steps
    double impedance;
    double tolerance;
    int exact_diagonal;
} bench_case;

static void fail(const char *what) {
    fprintf(stderr, "mujoco: %s\n", what);
    exit(1);
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- models -----------------------------------------------------------------------------------

static void part_path(char *path, const char *folder, int part) {
    snprintf(path, PATH_SIZE, "%s/part%d.xml", folder, part);
}

static FILE *open_part(const char *folder, int part) {
    char path[PATH_SIZE];
    part_path(path, folder, part);
    FILE *file = fopen(path, "w");
    if (!file)
        fail("cannot write the model");
    return file;
}

static void write_link(FILE *out, int index, int hinges) {
    const double l = 0.1, m = 0.1, half_angle = acos(-1.0) / 6;
    if (index == 0)
        fprintf(out, "<body quat='%.17g 0 %.17g 0'>", cos(half_angle), -sin(half_angle));
    else
        fprintf(out, "<body pos='0 0 %.17g'>", -l);
    if (hinges)
        fprintf(out, "<joint axis='0 0 1'/><joint axis='1 0 0'/><joint axis='0 1 0'/>");
    else
        fprintf(out, "<joint type='ball'/>");
    fprintf(out, "<inertial pos='0 0 %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>", -l / 2,
            m, m * l * l / 12, m * l * l / 12, m * l * l / 24);
}

// Links from `first` on; what does not fit goes to the next part, included by this one.
static void write_chain(FILE *out, const bench_case *c, const char *folder, int first) {
    int last = first + LINKS_PER_FILE < c->n ? first + LINKS_PER_FILE : c->n;
    for (int i = first; i < last; i++)
        write_link(out, i, c->hinges);
    if (last < c->n) {
        int part = last / LINKS_PER_FILE;
        FILE *next = open_part(folder, part);
        fprintf(next, "<mujocoinclude>");
        write_chain(next, c, folder, last);
        fprintf(next, "</mujocoinclude>");
        fclose(next);
        fprintf(out, "<include file='part%d.xml'/>", part);
    } else {
        fprintf(out, "<site name='observed' pos='0 0 -0.1'/>");
    }
    for (int i = first; i < last; i++)
        fprintf(out, "</body>");
}

static void write_fourbar(FILE *out, const bench_case *c) {
    const double across = 1. / 12;
    for (int i = 0; i <= c->n; i++) {
        fprintf(out, "<body name='crank%d' pos='%d 0 0'><joint type='hinge' axis='0 0 1'/>", i, i);
        fprintf(out, "<inertial pos='0 0.5 0' mass='1' diaginertia='%.17g 1e-4 %.17g'/>", across,
                across);
        if (i == 0)
            fprintf(out, "<site name='observed' pos='0 1 0'/>");
        if (i < c->n) {
            fprintf(out, "<body name='coupler%d' pos='0 1 0'><joint type='hinge' axis='0 0 1'/>",
                    i);
            fprintf(out, "<inertial pos='0.5 0 0' mass='1' diaginertia='1e-4 %.17g %.17g'/></body>",
                    across, across);
        }
        fprintf(out, "</body>");
    }
    fprintf(out, "</worldbody><equality>");
    for (int i = 0; i < c->n; i++)
        fprintf(out,
                "<connect body1='coupler%d' body2='crank%d' anchor='1 0 0' solref='%.17g 1' "
                "solimp='%.17g %.17g 0.001'/>",
                i, i + 1, c->time_constant * c->step, c->impedance, c->impedance);
    fprintf(out, "</equality>");
}

static void write_options(FILE *out, const bench_case *c) {
    fprintf(out,
            "<mujoco><compiler angle='radian' boundmass='0' boundinertia='0'/>"
            "<option timestep='%.17g' gravity='%s' integrator='%s' solver='%s' iterations='200' "
            "tolerance='%.17g'>",
            c->step, c->fourbar ? "0 -9.81 0" : "0 0 -9.81", c->integrator, c->solver,
            c->tolerance);
    fprintf(out,
            "<flag contact='disable' limit='disable' frictionloss='disable' actuation='disable' "
            "sensor='disable' refsafe='disable' %s %s %s/></option><worldbody>",
            c->fourbar ? "" : "constraint='disable'",
            mjVERSION_HEADER < 300 ? "passive='disable'"
                                   : "spring='disable' damper='disable' "
                                     "island='disable' eulerdamp='disable'",
            c->exact_diagonal ? "diagexact='enable'" : "");
}

static mjModel *build(const bench_case *c) {
    char folder[] = "/tmp/ironbird-bench-XXXXXX", path[PATH_SIZE], message[1000] = "";
    if (!mkdtemp(folder))
        fail("cannot make a folder for the model");
    FILE *out = open_part(folder, 0);
    write_options(out, c);
    if (c->fourbar) {
        write_fourbar(out, c);
    } else {
        write_chain(out, c, folder, 0);
        fprintf(out, "</worldbody>");
    }
    fprintf(out, "</mujoco>");
    fclose(out);

    part_path(path, folder, 0);
    mjModel *model = mj_loadXML(path, NULL, message, sizeof message);
    for (int part = 0; part == 0 || part * LINKS_PER_FILE < c->n; part++) {
        part_path(path, folder, part);
        unlink(path);
    }
    rmdir(folder);
    if (!model)
        fail(message);
    if (c->hard)
        for (int i = 0; i < 2 * model->nbody; i++)
            model->body_invweight0[i] *= 1e-7;
    return model;
}

static void start(const bench_case *c, const mjModel *model, mjData *data) {
    if (c->fourbar) { // the cranks fall to the right at 1 rad/s, the couplers stay level
        for (int i = 0; i <= c->n; i++) {
            int body = mj_name2id(model, mjOBJ_BODY, "crank0") + 2 * i;
            data->qvel[model->body_dofadr[body]] = -1;
            if (i < c->n)
                data->qvel[model->body_dofadr[body + 1]] = 1;
        }
    } else { // 1 rad/s about the vertical, in the first link's frame
        const double vertical[3] = {0, 0, 1};
        mjtNum back[4], rate[3];
        mju_negQuat(back, model->body_quat + 4);
        mju_rotVecQuat(rate, vertical, back);
        for (int i = 0; i < 3; i++) // hinges turn about z, x, y
            data->qvel[i] = rate[c->hinges ? (i + 2) % 3 : i];
    }
}

// ---- settings ---------------------------------------------------------------------------------

static void read_solver(bench_case *c, char *text) {
    static const char *const integrators[][2] = {{"euler", "Euler"},
                                                 {"rk4", "RK4"},
                                                 {"implicit", "implicit"},
                                                 {"implicitfast", "implicitfast"},
                                                 {"discrete", "discrete"}};
    static const char *const solvers[][2] = {{"newton", "Newton"}, {"cg", "CG"}, {"pgs", "PGS"}};
    for (char *word = strtok(text, "+"); word; word = strtok(NULL, "+")) {
        int known = 1;
        if (strcmp(word, "hinges") == 0)
            c->hinges = 1;
        else if (strcmp(word, "hard") == 0)
            c->hard = 1;
        else
            known = 0;
        for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
            if (strcmp(word, integrators[i][0]) == 0) {
                c->integrator = integrators[i][1];
                known = 1;
            }
        for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
            if (strcmp(word, solvers[i][0]) == 0) {
                c->solver = solvers[i][1];
                known = 1;
            }
        if (!known)
            fail("unknown solver word");
    }
}

static void read_setting(bench_case *c, char *text) {
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        char *value = strchr(word, '=');
        if (!value)
            fail("a setting is written key=value");
        *value++ = 0;
        if (strcmp(word, "steps") == 0)
            c->steps = atol(value);
        else if (strcmp(word, "ref") == 0)
            c->time_constant = atof(value);
        else if (strcmp(word, "imp") == 0)
            c->impedance = atof(value);
        else if (strcmp(word, "tol") == 0)
            c->tolerance = atof(value);
        else if (strcmp(word, "exact") == 0)
            c->exact_diagonal = atoi(value);
        else
            fail("unknown setting");
    }
}

// "2.2.2" from 222, "3.1.6" from 316, "4.0.0" from 4000000.
static void print_version(void) {
    int version = mj_version(), base = version < 1000 ? 10 : 1000;
    printf("\"version\":\"%d.%d.%d\"", version / base / base, version / base % base,
           version % base);
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: mujoco chain|fourbar N SOLVER SETTING\n");
        return 2;
    }
    char *solver = strdup(argv[3]), *setting = strdup(argv[4]);
    bench_case c = {.fourbar = strcmp(argv[1], "fourbar") == 0,
                    .n = atoi(argv[2]),
                    .integrator = "RK4",
                    .solver = "Newton",
                    .steps = 100,
                    .time_constant = 2,
                    .impedance = 0.9999,
                    .tolerance = 1e-12};
    read_solver(&c, solver);
    read_setting(&c, setting);
    if (c.n < 1 || c.steps < 1)
        fail("no links or no steps");
    const double interval = (c.fourbar ? 10. : 5.) / POINTS;
    c.step = interval / (double)c.steps;

    mjModel *model = build(&c);
    mjData *data = mj_makeData(model);
    start(&c, model, data);

    const int site = mj_name2id(model, mjOBJ_SITE, "observed");
    double cpu = 0, points[POINTS][3];
    for (int i = 0; i < POINTS; i++) {
        double before = cpu_seconds();
        for (long s = 0; s < c.steps; s++)
            mj_step(model, data);
        cpu += cpu_seconds() - before;
        mj_kinematics(model, data);
        memcpy(points[i], data->site_xpos + 3 * site, sizeof points[i]);
    }

    printf("{");
    print_version();
    printf(",\"case\":\"%s\",\"n\":%d,\"solver\":\"%s\",\"setting\":\"%s\",\"cpu_s\":%.6g,"
           "\"points\":[",
           argv[1], c.n, argv[3], argv[4], cpu);
    for (int i = 0; i < POINTS; i++)
        printf("%s[%.4g,%.15g,%.15g,%.15g]", i ? "," : "", interval * (i + 1), points[i][0],
               points[i][1], points[i][2]);
    printf("]}\n");

    mj_deleteData(data);
    mj_deleteModel(model);
    free(solver);
    free(setting);
    return 0;
}
