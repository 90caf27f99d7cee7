/* Models: a YAML description, read and checked. An ib_model is immutable and may be shared. */
#ifndef IRONBIRD_MODEL_H
#define IRONBIRD_MODEL_H

#include "ironbird/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ib_model ib_model;

/* A parameter given a value from outside, as `--set NAME=VALUE` does. The value is a constant
 * expression of the model's parameters, or a number with a unit. */
typedef struct ib_override {
    const char *name;
    const char *value;
} ib_override;

/* Reads and checks a model. All errors of the file are reported in one go; *model is NULL unless
 * IB_OK is returned. Destroy with ib_model_destroy. */
ib_status ib_model_load(const char *path, const ib_override *overrides, size_t n_overrides,
                        ib_diags *diags, ib_model **model);
/* The same from memory; `name` stands for the file in messages, and relative files of the model are
 * looked for beside it. */
ib_status ib_model_load_text(const char *name, const char *text, size_t length,
                             const ib_override *overrides, size_t n_overrides, ib_diags *diags,
                             ib_model **model);
void ib_model_destroy(ib_model *model);

/* Strings belong to the model. An index that there is not has the name NULL and the value 0. */
const char *ib_model_name(const ib_model *model);
size_t ib_model_body_count(const ib_model *model);
const char *ib_model_body_name(const ib_model *model, size_t index);
size_t ib_model_joint_count(const ib_model *model);
size_t ib_model_force_count(const ib_model *model);
size_t ib_model_input_count(const ib_model *model);
const char *ib_model_input_name(const ib_model *model, size_t index);
size_t ib_model_parameter_count(const ib_model *model);
const char *ib_model_parameter_name(const ib_model *model, size_t index);
double ib_model_parameter_value(const ib_model *model, size_t index);
/* Element constants: the numbers of bodies, joints, forces, measures, drivers and sensors that
 * depend on parameters, as "wheel.mass" or "hinge.axis1.x". */
size_t ib_model_constant_count(const ib_model *model);
const char *ib_model_constant_name(const ib_model *model, size_t index);
double ib_model_constant_value(const ib_model *model, size_t index);
/* Its exact derivatives by every parameter (gradient has room for that many), as another value of
 * that parameter would change it: parameters that are defined by it follow. IB_BAD_INPUT when there
 * is no such constant. */
ib_status ib_model_constant_gradient(const ib_model *model, size_t index, double *gradient);
/* What simulation: asks for. */
ib_time ib_model_end(const ib_model *model);
ib_time ib_model_output_step(const ib_model *model);

#ifdef __cplusplus
}
#endif

#endif
