/* The whole state of an instance: kept, set back, as bytes (FMI 3.0.2, section 2.2.10; FMI 2.0.5,
 * section 2.1.8).
 */
#include "fmi/instance.h"

#define CALL(name3, name2, ...)                                                                    \
    (ib_fmi_before(i, i->description->version == 3 ? "fmi3" #name3 : "fmi2" #name2),               \
     i->description->version == 3                                                                  \
         ? ib_fmi_after(i, "fmi3" #name3, (int)i->library.f3.name3(i->component, __VA_ARGS__))     \
         : ib_fmi_after(i, "fmi2" #name2, (int)i->library.f2.name2(i->component, __VA_ARGS__)))

bool ib_fmi_can_save(const ib_fmi_instance *i) {
    const ib_fmi_functions3 *f3 = &i->library.f3;
    const ib_fmi_functions2 *f2 = &i->library.f2;
    if (!i->description->interfaces[i->kind].flags[IB_FMI_FLAG_STATE])
        return false;
    return i->description->version == 3 ? f3->GetFMUState && f3->SetFMUState && f3->FreeFMUState
                                        : f2->GetFMUstate && f2->SetFMUstate && f2->FreeFMUstate;
}

bool ib_fmi_can_serialize(const ib_fmi_instance *i) {
    const ib_fmi_functions3 *f3 = &i->library.f3;
    const ib_fmi_functions2 *f2 = &i->library.f2;
    if (!ib_fmi_can_save(i) || !i->description->interfaces[i->kind].flags[IB_FMI_FLAG_SERIALIZE])
        return false;
    return i->description->version == 3
               ? f3->SerializedFMUStateSize && f3->SerializeFMUState && f3->DeserializeFMUState
               : f2->SerializedFMUstateSize && f2->SerializeFMUstate && f2->DeSerializeFMUstate;
}

ib_status ib_fmi_save(ib_fmi_instance *i, void **state) {
    return CALL(GetFMUState, GetFMUstate, state);
}

ib_status ib_fmi_restore(ib_fmi_instance *i, void *state) {
    return CALL(SetFMUState, SetFMUstate, state);
}

void ib_fmi_free_state(ib_fmi_instance *i, void **state) {
    if (*state && !i->erred && !i->dead)
        CALL(FreeFMUState, FreeFMUstate, state);
    *state = NULL;
}

ib_status ib_fmi_serialized_size(ib_fmi_instance *i, void *state, size_t *size) {
    *size = 0;
    return CALL(SerializedFMUStateSize, SerializedFMUstateSize, state, size);
}

ib_status ib_fmi_serialize(ib_fmi_instance *i, void *state, uint8_t *bytes, size_t size) {
    return i->description->version == 3
               ? ib_fmi_after(
                     i, "fmi3SerializeFMUState",
                     (int)i->library.f3.SerializeFMUState(i->component, state, bytes, size))
               : ib_fmi_after(i, "fmi2SerializeFMUstate",
                              (int)i->library.f2.SerializeFMUstate(i->component, state,
                                                                   (fmi2Byte *)bytes, size));
}

ib_status ib_fmi_deserialize(ib_fmi_instance *i, const uint8_t *bytes, size_t size, void **state) {
    return i->description->version == 3
               ? ib_fmi_after(
                     i, "fmi3DeserializeFMUState",
                     (int)i->library.f3.DeserializeFMUState(i->component, bytes, size, state))
               : ib_fmi_after(i, "fmi2DeSerializeFMUstate",
                              (int)i->library.f2.DeSerializeFMUstate(
                                  i->component, (const fmi2Byte *)bytes, size, state));
}
