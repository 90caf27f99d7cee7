/* A flight computer that crashes while it is loaded. */
#include <ironbird/fcc.h>

#include <signal.h>

__attribute__((constructor)) static void crash(void) { raise(SIGSEGV); }

uint32_t ib_fcc_abi(void) { return IB_FCC_ABI; }
