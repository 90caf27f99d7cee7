/* Names of this machine in archives (FMI 3.0.2, section 2.5.1.4; FMI 2.0.5, section 2.3). Private
 * to the module. */
#ifndef IB_FMI_PLATFORM_H
#define IB_FMI_PLATFORM_H

#if defined(__x86_64__)
#define IB_FMI_PLATFORM3 "x86_64-linux"
#define IB_FMI_PLATFORM2 "linux64"
#elif defined(__aarch64__)
#define IB_FMI_PLATFORM3 "aarch64-linux"
#define IB_FMI_PLATFORM2 "aarch64-linux"
#else
#define IB_FMI_PLATFORM3 "unknown-linux"
#define IB_FMI_PLATFORM2 "unknown-linux"
#endif

#endif
