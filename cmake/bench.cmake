# Our side of the benchmarks: the programs that bench/bench.py and bench/models.py run.
if(IB_BENCH AND TARGET ib_plant AND EXISTS ${PROJECT_SOURCE_DIR}/bench/ironbird_bench.c)
  foreach(program ironbird_bench model_bench)
    add_executable(${program} ${PROJECT_SOURCE_DIR}/bench/${program}.c)
    target_link_libraries(${program} PRIVATE ib_plant)
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  endforeach()
endif()
