/* A native flight computer that keeps its own time, at its end of a channel: mail fills its input
 * frame, and it ticks when its clock says so. Its clock is the host's in lockstep, else its own.
 */
#include "fcc/internal.h"

#include <string.h>

void ib_target_begin(ib_target *target, const ib_fcc_attach *attach, ib_computer *computer) {
    ib_fcc_wiring wiring = {.n_user_in = attach->n_user};
    memcpy(wiring.n, attach->n, sizeof wiring.n);
    *target = (ib_target){.computer = computer, .period = attach->period};
    ib_frame_reset(&wiring, &target->in);
}

/* The commands of its last tick. */
static void write_mail(const ib_fcc_out *out, ib_fcc_mail *mail) {
    for (uint32_t i = 0; i < out->n_engine; i++)
        memcpy(ib_mail_add(mail, IB_FCC_KIND_ENGINE, i)->body, &out->engine[i],
               sizeof out->engine[i]);
    for (uint32_t i = 0; i < out->n_servo; i++)
        memcpy(ib_mail_add(mail, IB_FCC_KIND_SERVO, i)->body, &out->servo[i], sizeof out->servo[i]);
    for (uint32_t i = 0; i < out->n_fin; i++)
        memcpy(ib_mail_add(mail, IB_FCC_KIND_FIN, i)->body, &out->fin[i], sizeof out->fin[i]);
    for (uint32_t i = 0; i < out->n_interlock; i++)
        memcpy(ib_mail_add(mail, IB_FCC_KIND_INTERLOCK, i)->body, &out->interlock[i],
               sizeof out->interlock[i]);
    mail->n_user = out->n_user;
    mail->n_pwm = out->n_pwm;
    memcpy(mail->user, out->user, sizeof mail->user);
    memcpy(mail->pwm, out->pwm, sizeof mail->pwm);
    memcpy(mail->log_text, out->log_text, sizeof mail->log_text);
}

ib_status ib_target_run(ib_target *target, int64_t now, ib_fcc_mail *mail, ib_diags *diags) {
    ib_mail_begin(mail, now);
    if (now >= target->next) {
        ib_frame_begin(&target->in, now, target->period);
        const ib_status status =
            ib_computer_tick(target->computer, &target->in, &target->out, diags);
        if (status != IB_OK)
            return status;
        ib_frame_end(&target->in);
        while (target->next <= now)
            target->next += target->period;
        write_mail(&target->out, mail);
    }
    mail->ticks = target->in.tick;
    return IB_OK;
}
