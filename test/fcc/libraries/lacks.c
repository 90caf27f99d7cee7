/* A library that has only one of the three functions. */
#include <ironbird/fcc.h>

uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }
