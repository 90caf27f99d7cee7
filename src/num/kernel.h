/* IB_KERNEL: a small loop over sizes, always inlined, so that calls with constant sizes unroll. The
 * order of its sums is that of the source, whatever the size.
 */
#ifndef IB_NUM_KERNEL_H
#define IB_NUM_KERNEL_H

#if defined(__GNUC__)
#define IB_KERNEL static inline __attribute__((always_inline))
#else
#define IB_KERNEL static inline
#endif

#endif
