/* Prints one hash per elementary function over a large fixed set of arguments, see
 * fmath_arguments.h. test/bits/run_bits.sh compares the output of builds with different compilers,
 * optimisation levels and processor features.
 */
#include "fmath_arguments.h"

#include <inttypes.h>
#include <stdio.h>

#define N_ARGUMENTS 120000

int main(void) {
    for (size_t i = 0; i < N_FUNCTIONS; i++)
        printf("%-6s %016" PRIx64 "\n", functions[i].name, hash_of(&functions[i], N_ARGUMENTS));
    return 0;
}
