/* Every way in which firmware or its emulator comes to a bad end: each within its bound, with a
 * sentence that says where the firmware was, and with no process left. Bounds are of virtual time,
 * but for the emulator that stands still.
 */
#include "firmware/firmware_test.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { TICKS = 200 };

static void nap(void) {
    const struct timespec ms = {.tv_nsec = 2000000};
    nanosleep(&ms, NULL);
}

/* Whether a process runs. One that has ended and that nobody has asked for does not. */
static bool runs(int process) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    const size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    const char *state = strrchr(text, ')');
    return state && state[2] != 'Z' && state[2] != 'X';
}

/* Ticks until it fails; `ticks` tells how many went well. The message is the caller's to free. */
static char *end_of(ib_firmware *firmware, const char *id, int *ticks) {
    ib_diags *diags = ib_diags_create();
    ib_status status = IB_OK;
    for (*ticks = 0; status == IB_OK && *ticks < TICKS; *ticks += status == IB_OK)
        status = ib_firmware_tick(firmware, (*ticks + 1) * MILLISECOND, diags);
    assert_int_equal(status, IB_SIMULATION_FAILED);
    assert_int_equal(ib_diags_count(diags), 1);
    assert_string_equal(first_id(diags), id);
    char *message = strdup(first_error(diags));
    ib_diags_clear(diags);
    /* From then on at once, and in silence. */
    assert_int_equal(ib_firmware_tick(firmware, TICKS * MILLISECOND, diags), IB_SIMULATION_FAILED);
    assert_int_equal(ib_diags_count(diags), 0);
    assert_int_equal(ib_firmware_process(firmware), 0);
    ib_diags_destroy(diags);
    return message;
}

/* Runs an image to its end: the message has these parts. */
static void ends(const char *image, const ib_firmware_options *options, int tick,
                 const char *const *parts) {
    int ticks;
    ib_firmware *firmware = open_image(image, options);
    const int process = ib_firmware_process(firmware);
    assert_true(runs(process));
    char *message = end_of(firmware, "IB1303", &ticks);
    for (; *parts; parts++)
        must_contain(message, *parts);
    assert_int_equal(ticks, tick);
    ib_firmware_close(firmware);
    assert_false(runs(process));
    free(message);
}

/* SysTick counts three milliseconds from shortly after the start: the fault comes in the fourth. */
static void test_hard_fault(void **unused) {
    (void)unused;
    const ib_firmware_options options = test_options();
    ends(IMAGE("hardfault"), &options, 3,
         (const char *[]){"quad: firmware '", "hardfault.elf' has a HardFault after 0.003000 s",
                          "a data access where there is nothing, address 0xa0000000",
                          "(reach_for_nothing+0x", "called from 0x0800", "(main+0x",
                          "wrote 0x1 to 0x40020418", NULL});
}

static void test_lock_up(void **unused) {
    (void)unused;
    const ib_firmware_options options = test_options();
    /* The run has ended already when the processor enters its handler. */
    ends(IMAGE("lockup"), &options, 3,
         (const char *[]){"has a HardFault after 0.003000 s", "(reach_for_nothing+0x", NULL});
}

static void test_lock_up_at_once(void **unused) {
    (void)unused;
    const ib_firmware_options options = test_options();
    ends(IMAGE("no_handler"), &options, 3,
         (const char *[]){"locks up after 0.003000 s", "; at 0x", NULL});
}

static void test_endless_boot(void **unused) {
    (void)unused;
    const ib_firmware_options options = test_options();
    ends(IMAGE("endless_boot"), &options, 12,
         (const char *[]){"boots endlessly: the processor has been reset 4 times by 0.013000 s",
                          NULL});
}

static void test_silence(void **unused) {
    (void)unused;
    ib_firmware_options options = test_options();
    options.silence = 20 * MILLISECOND;
    ends(IMAGE("silent"), &options, 23,
         (const char *[]){"has touched no peripheral for 0.02", "(main+0x",
                          "wrote 0x1 to 0x40020418 at 0.0030", NULL});
}

/* ---- strictness ----------------------------------------------------------------------------- */

/* Without its timer the board has nothing where `counter` writes: told once, or an error. */
static void test_strict(void **unused) {
    (void)unused;
    static const char bare[] = "part rcc stm32_rcc 0x40023800\nrest\n";
    ib_board board = test_board();
    ib_diags *diags = ib_diags_create();
    ib_firmware_options options = test_options();
    ib_firmware *firmware = NULL;
    const ib_frame_note *notes;
    board.text = bare;
    assert_int_equal(ib_firmware_open(&board, IMAGE("counter"), &options, diags, &firmware), IB_OK);
    assert_int_equal(ib_firmware_tick(firmware, MILLISECOND, diags), IB_OK);
    assert_int_equal(ib_firmware_notes(firmware, &notes), 1);
    assert_int_equal(notes[0].kind, IB_FRAME_UNMODELLED);
    must_contain(notes[0].text, "the board has nothing at 0x40000828, which the firmware writes");
    ib_firmware_close(firmware);
    options.strict = true;
    assert_int_equal(ib_firmware_open(&board, IMAGE("counter"), &options, diags, &firmware), IB_OK);
    int ticks;
    char *message = end_of(firmware, "IB1306", &ticks);
    must_contain(message, "what is not modelled: board: the board has nothing at 0x40000828");
    assert_int_equal(ticks, 0);
    free(message);
    ib_firmware_close(firmware);
    ib_diags_destroy(diags);
}

/* ---- what does not even start --------------------------------------------------------------- */

static void refused(const ib_board *board, const char *image, const ib_firmware_options *options,
                    const char *id, const char *part) {
    ib_diags *diags = ib_diags_create();
    ib_firmware *firmware = NULL;
    assert_int_equal(ib_firmware_open(board, image, options, diags, &firmware), IB_BAD_INPUT);
    assert_null(firmware);
    assert_int_equal(ib_diags_errors(diags), 1);
    if (id)
        assert_string_equal(first_id(diags), id);
    must_contain(first_error(diags), part);
    ib_diags_destroy(diags);
}

static void test_images(void **unused) {
    (void)unused;
    const ib_board board = test_board();
    const ib_firmware_options options = test_options();
    refused(&board, IMAGE("nowhere"), &options, NULL, "nowhere.elf");
    refused(&board, __FILE__, &options, "IB1301", "is no ELF file");
    refused(&board, "/proc/self/exe", &options, "IB1301", "is not for a 32-bit ARM processor");
    refused(&board, IMAGE("other_core"), &options, "IB1301",
            "is built for ARMv8-M Mainline, not for the board's Cortex-M4");
    ib_board small = board;
    small.machine = ib_machine_named("microbit");
    refused(&small, IMAGE("counter"), &options, "IB1301",
            "is built for ARMv7E-M, not for the board's Cortex-M0");
}

static void test_emulators(void **unused) {
    (void)unused;
    const ib_board board = test_board();
    ib_firmware_options options = test_options();
    options.emulator = "/nowhere/qemu-system-arm";
    refused(&board, IMAGE("counter"), &options, "IB1302", "/nowhere/qemu-system-arm");
    options.emulator = "/bin/false";
    refused(&board, IMAGE("counter"), &options, "IB1302", "it ended without a word");
    options.emulator = IB_TEST_BUILD "/test/firmware/without_symbols";
    refused(&board, IMAGE("counter"), &options, "IB1302",
            "QEMU of unknown version does not export what firmware needs of it: "
            "qemu_add_machine_init_done_notifier, get_system_memory, ");
    options.emulator = NULL;
    options.plugin = "/nowhere/ironbird-qemu.so";
    refused(&board, IMAGE("counter"), &options, "IB1302", "ironbird-qemu.so");
    options.plugin = IMAGE("counter");
    refused(&board, IMAGE("counter"), &options, "IB1302", "does not start: ");
}

static void test_boards(void **unused) {
    (void)unused;
    ib_board board = test_board();
    const ib_firmware_options options = test_options();
    board.text = "part gpioa stm32_gpio 0x40020000\npart x stm32_toaster 0x40020400\n";
    refused(&board, IMAGE("counter"), &options, "IB1302",
            "the board cannot be made: 'part x stm32_toaster 0x40020400'");
    board.text = "tick 96\n"; /* the F405 of QEMU has 96 lines, 0 to 95 */
    refused(&board, IMAGE("counter"), &options, "IB1302", "the board cannot be made: 'tick 96'");
}

/* ---- violence ------------------------------------------------------------------------------- */

static void test_emulator_killed(void **unused) {
    (void)unused;
    const ib_firmware_options options = test_options();
    int ticks;
    ib_diags *diags = ib_diags_create();
    ib_firmware *firmware = open_image(IMAGE("counter"), &options);
    for (int tick = 0; tick < 5; tick++)
        assert_int_equal(ib_firmware_tick(firmware, (tick + 1) * MILLISECOND, diags), IB_OK);
    kill(ib_firmware_process(firmware), SIGKILL);
    char *message = end_of(firmware, "IB1304", &ticks);
    must_contain(message, "has lost its emulator after 0.005000 s: it was ended by signal 9");
    must_contain(message, "its last access: wrote 0x3ec to 0x40000834 at 0.00400");
    /* What it gave before is still there. */
    assert_true(ib_firmware_pulse(firmware, 0)->width == 1004);
    free(message);
    ib_firmware_close(firmware);
    ib_diags_destroy(diags);
}

/* The one bound of wall time: an emulator that stands still. */
static void test_emulator_stopped(void **unused) {
    (void)unused;
    ib_firmware_options options = test_options();
    int ticks;
    ib_firmware *firmware = open_image(IMAGE("counter"), &options);
    const int process = ib_firmware_process(firmware);
    ib_firmware_set_patience(firmware, 0.2);
    kill(process, SIGSTOP);
    char *message = end_of(firmware, "IB1305", &ticks);
    assert_int_equal(ticks, 0);
    must_contain(message, "has given no answer for 0.2 s of wall time");
    free(message);
    ib_firmware_close(firmware);
    assert_false(runs(process));
}

static bool always(void *context) {
    (void)context;
    return true;
}

/* Ctrl-C: a wait that is to end does, and the emulator with it. */
static void test_interrupted(void **unused) {
    (void)unused;
    ib_firmware_options options = test_options();
    ib_diags *diags = ib_diags_create();
    ib_firmware *firmware = open_image(IMAGE("counter"), &options);
    const int process = ib_firmware_process(firmware);
    ib_firmware_set_stopped(firmware, always, NULL);
    kill(process, SIGSTOP);
    assert_int_equal(ib_firmware_tick(firmware, MILLISECOND, diags), IB_INTERRUPTED);
    assert_int_equal(ib_diags_count(diags), 0);
    ib_firmware_close(firmware);
    assert_false(runs(process));
    ib_diags_destroy(diags);
}

/* A host that is killed in the middle of a run takes its emulator along, ticking or not. */
static void test_host_killed(void **unused) {
    (void)unused;
    int to_us[2], process = 0;
    assert_int_equal(pipe(to_us), 0);
    const pid_t host = fork();
    if (host == 0) {
        const ib_firmware_options options = test_options();
        ib_firmware *firmware = open_image(IMAGE("counter"), &options);
        process = ib_firmware_process(firmware);
        ib_firmware_tick(firmware, MILLISECOND, NULL);
        if (write(to_us[1], &process, sizeof process) == sizeof process)
            pause();
        _exit(1);
    }
    close(to_us[1]);
    assert_int_equal(read(to_us[0], &process, sizeof process), sizeof process);
    close(to_us[0]);
    assert_true(runs(process));
    kill(host, SIGKILL);
    waitpid(host, NULL, 0);
    for (int i = 0; i < 10000 && runs(process); i++)
        nap();
    assert_false(runs(process));
}

int main(void) {
    if (!ib_program_found("qemu-system-arm"))
        return SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hard_fault),       cmocka_unit_test(test_lock_up),
        cmocka_unit_test(test_lock_up_at_once),  cmocka_unit_test(test_endless_boot),
        cmocka_unit_test(test_silence),          cmocka_unit_test(test_strict),
        cmocka_unit_test(test_images),           cmocka_unit_test(test_emulators),
        cmocka_unit_test(test_boards),           cmocka_unit_test(test_emulator_killed),
        cmocka_unit_test(test_emulator_stopped), cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_host_killed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
