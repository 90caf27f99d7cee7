// The two benchmark families simulated by Simbody, one run per call:
//
//   simbody chain|fourbar N SOLVER SETTING
//
// prints one JSON line: version, CPU seconds of the integration alone, and the observed point at
// 20 equally spaced times.
//
// SOLVER is an integrator (rkm, rk3, rkf, verlet, cpodes-bdf, cpodes-adams, euler2), with words
// appended by '+': "euler-angles" or "gimbal" for the chain (instead of quaternions); "line",
// "planes" or "ball" for the fourbar's loop closures; "interp" lets the integrator interpolate to
// the output times instead of stepping onto them.
// SETTING is a comma-separated list: acc=ACCURACY, ctol=CONSTRAINT TOLERANCE, every=1 (project
// every step), h=FIXED STEP.
//
// A chain is a tree of ball mobilizers. The fourbar is a tree of N+1 pinned cranks, the first N of
// which carry a pinned coupler, whose far end is tied to the next crank by a constraint that, for
// "line" and "planes", has just the two equations a planar loop needs.

#include <Simbody.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace SimTK;

namespace {

const int point_count = 20;

struct Options {
    std::string integrator = "rkm", chain_joint = "ball", closure = "line";
    bool euler_angles = false, interpolate = false, project_every_step = false;
    double accuracy = 1e-4, constraint_tolerance = 0, fixed_step = 0;
};

[[noreturn]] void fail(const std::string &what) {
    std::fprintf(stderr, "simbody: %s\n", what.c_str());
    std::exit(1);
}

double cpu_seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

std::vector<std::string> split(const std::string &text, char mark) {
    std::vector<std::string> words;
    std::stringstream stream(text);
    for (std::string word; std::getline(stream, word, mark);)
        words.push_back(word);
    return words;
}

Options read_options(const std::string &solver, const std::string &setting) {
    Options o;
    std::vector<std::string> words = split(solver, '+');
    o.integrator = words.at(0);
    for (size_t i = 1; i < words.size(); i++) {
        const std::string &word = words[i];
        if (word == "gimbal")
            o.chain_joint = word;
        else if (word == "euler-angles")
            o.euler_angles = true;
        else if (word == "interp")
            o.interpolate = true;
        else if (word == "line" || word == "planes" || word == "ball")
            o.closure = word;
        else
            fail("unknown solver word " + word);
    }
    for (const std::string &pair : split(setting, ',')) {
        const size_t mark = pair.find('=');
        const std::string key = pair.substr(0, mark);
        const double value = std::atof(pair.c_str() + mark + 1);
        if (key == "acc")
            o.accuracy = value;
        else if (key == "ctol")
            o.constraint_tolerance = value;
        else if (key == "every")
            o.project_every_step = value != 0;
        else if (key == "h")
            o.fixed_step = value;
        else
            fail("unknown setting " + key);
    }
    return o;
}

// The observed point: a station of one body.
struct Observed {
    MobilizedBodyIndex body;
    Vec3 station;
};

// ---- models -----------------------------------------------------------------------------------

Observed build_chain(SimbodyMatterSubsystem &matter, int n, const Options &o) {
    // Body frames have their origin at the joint and z pointing back along the link.
    const double l = 0.1, m = 0.1;
    const Vec3 centre(0, 0, -l / 2);
    const Inertia central(m * l * l / 12, m * l * l / 12, m * l * l / 24);
    const Body::Rigid link(MassProperties(m, centre, central.shiftFromMassCenter(-centre, m)));
    MobilizedBodyIndex parent = matter.Ground().getMobilizedBodyIndex();
    for (int i = 0; i < n; i++) {
        const Transform place = i == 0 ? Transform(Rotation(-Pi / 3, YAxis)) : Vec3(0, 0, -l);
        if (o.chain_joint == "gimbal")
            parent = MobilizedBody::Gimbal(matter.updMobilizedBody(parent), place, link, Vec3(0));
        else
            parent = MobilizedBody::Ball(matter.updMobilizedBody(parent), place, link, Vec3(0));
    }
    return {parent, Vec3(0, 0, -l)};
}

Observed build_fourbar(SimbodyMatterSubsystem &matter, int n, const Options &o) {
    const double along = 1e-4, across = 1. / 12;
    const Vec3 crank_centre(0, 0.5, 0), coupler_centre(0.5, 0, 0);
    const Body::Rigid crank(MassProperties(
        1, crank_centre, Inertia(across, along, across).shiftFromMassCenter(-crank_centre, 1)));
    const Body::Rigid coupler(MassProperties(
        1, coupler_centre, Inertia(along, across, across).shiftFromMassCenter(-coupler_centre, 1)));
    std::vector<MobilizedBodyIndex> cranks, couplers;
    for (int i = 0; i <= n; i++) {
        MobilizedBody::Pin body(matter.Ground(), Vec3(i, 0, 0), crank, Vec3(0));
        cranks.push_back(body);
        if (i < n)
            couplers.push_back(MobilizedBody::Pin(body, Vec3(0, 1, 0), coupler, Vec3(0)));
    }
    for (int i = 0; i < n; i++) {
        MobilizedBody &far_crank = matter.updMobilizedBody(cranks[size_t(i) + 1]);
        MobilizedBody &near_coupler = matter.updMobilizedBody(couplers[size_t(i)]);
        const Vec3 top(0, 1, 0), end(1, 0, 0);
        if (o.closure == "line") {
            Constraint::PointOnLine(far_crank, UnitVec3(ZAxis), top, near_coupler, end);
        } else if (o.closure == "planes") {
            Constraint::PointInPlane(far_crank, UnitVec3(XAxis), 0, near_coupler, end);
            Constraint::PointInPlane(far_crank, UnitVec3(YAxis), 1, near_coupler, end);
        } else {
            Constraint::Ball(far_crank, top, near_coupler, end);
        }
    }
    return {cranks[0], Vec3(0, 1, 0)};
}

void start_chain(const SimbodyMatterSubsystem &matter, State &state) {
    // the chain turns rigidly about the vertical: only the first link moves against its parent
    const MobilizedBody &first = matter.getMobilizedBody(MobilizedBodyIndex(1));
    first.setUToFitAngularVelocity(state, ~Rotation(-Pi / 3, YAxis) * Vec3(0, 0, 1));
}

void start_fourbar(const SimbodyMatterSubsystem &matter, State &state, int n) {
    for (int i = 0; i <= n; i++) {
        const int crank = 1 + 2 * i;
        matter.getMobilizedBody(MobilizedBodyIndex(crank)).setOneU(state, 0, -1);
        if (i < n)
            matter.getMobilizedBody(MobilizedBodyIndex(crank + 1)).setOneU(state, 0, 1);
    }
}

// ---- integration ------------------------------------------------------------------------------

std::unique_ptr<Integrator> make_integrator(const MultibodySystem &system, const Options &o) {
    std::unique_ptr<Integrator> integrator;
    if (o.integrator == "rkm")
        integrator.reset(new RungeKuttaMersonIntegrator(system));
    else if (o.integrator == "rk3")
        integrator.reset(new RungeKutta3Integrator(system));
    else if (o.integrator == "rkf")
        integrator.reset(new RungeKuttaFeldbergIntegrator(system));
    else if (o.integrator == "verlet")
        integrator.reset(new VerletIntegrator(system));
    else if (o.integrator == "euler2")
        integrator.reset(new SemiExplicitEuler2Integrator(system));
    else if (o.integrator == "cpodes-bdf")
        integrator.reset(new CPodesIntegrator(system, CPodes::BDF));
    else if (o.integrator == "cpodes-adams")
        integrator.reset(new CPodesIntegrator(system, CPodes::Adams));
    else
        fail("unknown integrator " + o.integrator);
    integrator->setAccuracy(o.accuracy);
    if (o.constraint_tolerance > 0)
        integrator->setConstraintTolerance(o.constraint_tolerance);
    if (o.project_every_step)
        integrator->setProjectEveryStep(true);
    if (o.fixed_step > 0)
        integrator->setFixedStepSize(o.fixed_step);
    integrator->setAllowInterpolation(o.interpolate);
    return integrator;
}

int run(int argc, char **argv) {
    if (argc != 5) {
        std::fprintf(stderr, "usage: simbody chain|fourbar N SOLVER SETTING\n");
        return 2;
    }
    const bool chain = std::string(argv[1]) == "chain";
    const int n = std::atoi(argv[2]);
    const Options o = read_options(argv[3], argv[4]);

    MultibodySystem system;
    system.setUseUniformBackground(true);
    SimbodyMatterSubsystem matter(system);
    GeneralForceSubsystem forces(system);
    Force::Gravity gravity(forces, matter, chain ? Vec3(0, 0, -9.81) : Vec3(0, -9.81, 0));
    const Observed observed = chain ? build_chain(matter, n, o) : build_fourbar(matter, n, o);
    State state = system.realizeTopology();
    if (o.euler_angles) {
        matter.setUseEulerAngles(state, true);
        system.realizeModel(state);
    }
    if (chain)
        start_chain(matter, state);
    else
        start_fourbar(matter, state, n);

    std::unique_ptr<Integrator> integrator = make_integrator(system, o);
    integrator->initialize(state);

    const double interval = (chain ? 5. : 10.) / point_count;
    double cpu = 0;
    Vec3 points[point_count];
    for (int i = 0; i < point_count; i++) {
        const double target = interval * (i + 1);
        const double before = cpu_seconds();
        while (integrator->getTime() < target)
            integrator->stepTo(target, target);
        cpu += cpu_seconds() - before;
        const State &now = integrator->getState();
        system.realize(now, Stage::Position);
        points[i] = matter.getMobilizedBody(observed.body)
                        .findStationLocationInGround(now, observed.station);
    }

    int major = 0, minor = 0, build = 0;
    SimTK_version_simbody(&major, &minor, &build);
    std::printf("{\"version\":\"%d.%d.%d\",\"case\":\"%s\",\"n\":%d,\"solver\":\"%s\","
                "\"setting\":\"%s\",\"cpu_s\":%.6g,\"steps\":%d,\"points\":[",
                major, minor, build, argv[1], n, argv[3], argv[4], cpu,
                integrator->getNumStepsTaken());
    for (int i = 0; i < point_count; i++)
        std::printf("%s[%.4g,%.15g,%.15g,%.15g]", i ? "," : "", interval * (i + 1), points[i][0],
                    points[i][1], points[i][2]);
    std::printf("]}\n");
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception &error) {
        fail(error.what());
    }
}
