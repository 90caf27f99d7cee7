# Compiler settings shared by everything that is built here.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Asserts stay in release builds: they guard against our own mistakes only.
set(IB_OPTIMIZE "-O2 -g" CACHE STRING "Optimisation of release builds")
set(CMAKE_C_FLAGS_RELEASE "${IB_OPTIMIZE}")

# The same bits everywhere: no contraction, no errno from sqrt (style.md, rule 9).
add_compile_options(-ffp-contract=off -fno-math-errno)
# GCC before 12.3 fuses alternating sums of products into fmaddsub even so (GCC bug 107647), with the
# instructions of AVX-512 where the processor has those.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
  add_compile_options(-mno-fma -mno-fma4 -mno-avx512f)
endif()
add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
                    -Wdouble-promotion)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  # clang takes NAN for a float, and objects to trailing members left to be zero in tables of elements
  # that name their index; gcc finds the real cases of both.
  add_compile_options(-Wno-double-promotion -Wno-missing-field-initializers)
endif()
add_compile_definitions(_POSIX_C_SOURCE=200809L)
if(IB_WERROR)
  add_compile_options(-Werror)
endif()
if(IB_HOSTILE)
  add_compile_definitions(IB_HOSTILE)
  add_compile_options(-Wno-type-limits) # a limit of zero makes comparisons constant
endif()
if(IB_SANITIZE)
  add_compile_options(-fsanitize=${IB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${IB_SANITIZE})
endif()
if(IB_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "IB_FUZZ needs clang: configure with -DCMAKE_C_COMPILER=clang")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# The loops over small blocks gain a quarter from unrolling and two-wide arithmetic; the order of sums
# stays that of the source, so the bits do not change.
set(IB_HOT_SOURCES num/block_factor.c mechanics/schur.c mechanics/constraint.c mechanics/solve.c
                   mechanics/explicit.c mechanics/kinematics.c)
list(TRANSFORM IB_HOT_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/)
set_source_files_properties(${IB_HOT_SOURCES} PROPERTIES COMPILE_OPTIONS
                            "$<$<STREQUAL:${IB_OPTIMIZE},-O2 -g>:-O3>")
