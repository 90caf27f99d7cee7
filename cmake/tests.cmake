# Tests mirror src. Picked up by name:
#   test/DIR/test_SUBJECT.c    a cmocka program, linked with module DIR (or the whole library)
#   test/DIR/test_SUBJECT.py   a Python (standard library only) or shell script; finds the program in
#   test/DIR/test_SUBJECT.sh   $IRONBIRD, the source tree in $IRONBIRD_SOURCE, the build tree in
#                              $IRONBIRD_BUILD, and runs in a folder of its own
#   examples/c/NAME.c          compiled against the public headers alone, and run
#   test/examples/cases.json   one test a case, run by test/examples/run_examples.py
# A test is labelled with its folder's name; long ones carry "slow" too.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
if(NOT CMOCKA_FOUND)
  message(STATUS "cmocka not found: unit tests are left out")
endif()

set(script_environment IRONBIRD_SOURCE=${PROJECT_SOURCE_DIR} IRONBIRD_BUILD=${PROJECT_BINARY_DIR})
if(TARGET ironbird)
  list(APPEND script_environment IRONBIRD=$<TARGET_FILE:ironbird>)
endif()

# FMUs for unit tests: test/fmus/NAME.c and NAME.xml become test/fmus/NAME.fmu of the build tree.
function(ib_test_fmu name)
  set(root ${PROJECT_BINARY_DIR}/test/fmus/${name})
  set(archive ${PROJECT_BINARY_DIR}/test/fmus/${name}.fmu)
  set(platform ${CMAKE_SYSTEM_PROCESSOR}-linux)
  if(name MATCHES "2$" AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
    set(platform linux64) # the name that FMI 2 gives it
  endif()
  add_library(fmu_${name} MODULE ${PROJECT_SOURCE_DIR}/test/fmus/${name}.c)
  target_include_directories(fmu_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src/fmi/headers)
  set_target_properties(fmu_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${root}/binaries/${platform})
  add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/test/fmus/${name}.xml ${root}/modelDescription.xml
    COMMAND ${CMAKE_COMMAND} -E chdir ${root} ${CMAKE_COMMAND} -E tar cf ${archive} --format=zip
            modelDescription.xml binaries
    DEPENDS fmu_${name} ${PROJECT_SOURCE_DIR}/test/fmus/${name}.xml)
  add_custom_target(archive_${name} ALL DEPENDS ${archive})
endfunction()

ib_test_fmu(keeper2)
ib_test_fmu(keeper3)
ib_test_fmu(quad3)

function(ib_unit_test source)
  get_filename_component(subject ${source} NAME_WE)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(folder ${folder} NAME)
  string(REGEX REPLACE "^test_" "" subject ${subject})
  set(target test_${folder}_${subject})
  add_executable(${target} ${source})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/test)
  target_compile_definitions(${target} PRIVATE IB_TEST_SOURCE="${PROJECT_SOURCE_DIR}"
    IB_TEST_BUILD="${PROJECT_BINARY_DIR}"
    IB_TEST_COMPUTERS="${PROJECT_BINARY_DIR}/test/computers")
  if(folder STREQUAL world)
    add_dependencies(${target} test_computer_probe)
  endif()
  if(TARGET ib_${folder})
    target_link_libraries(${target} PRIVATE ib_${folder} PkgConfig::CMOCKA)
  else()
    target_link_libraries(${target} PRIVATE libironbird PkgConfig::CMOCKA)
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
  add_test(NAME ${folder}.${subject} COMMAND ${target}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${folder}.${subject} PROPERTIES
    LABELS ${folder} TIMEOUT 600 SKIP_RETURN_CODE 77)
  if(folder STREQUAL firmware)
    add_dependencies(${target} ironbird_qemu)
  endif()
endfunction()

function(ib_script_test source)
  get_filename_component(subject ${source} NAME_WE)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(folder ${folder} NAME)
  get_filename_component(extension ${source} EXT)
  string(REGEX REPLACE "^test_" "" subject ${subject})
  set(interpreter ${Python3_EXECUTABLE})
  if(extension STREQUAL .sh)
    set(interpreter bash)
  endif()
  set(work ${PROJECT_BINARY_DIR}/test/scratch/${folder}.${subject})
  file(MAKE_DIRECTORY ${work})
  add_test(NAME ${folder}.${subject} COMMAND ${interpreter} ${source} WORKING_DIRECTORY ${work})
  set_tests_properties(${folder}.${subject} PROPERTIES
    LABELS ${folder} TIMEOUT 900 SKIP_RETURN_CODE 77 ENVIRONMENT "${script_environment}")
endfunction()

# Flight computers that the tests of the world fly.
file(GLOB test_computers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/world/computers/*.c)
foreach(source IN LISTS test_computers)
  get_filename_component(name ${source} NAME_WE)
  add_library(test_computer_${name} MODULE ${source})
  target_include_directories(test_computer_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  set_target_properties(test_computer_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX ".so"
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/computers)
endforeach()

file(GLOB unit_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/*/test_*.c)
file(GLOB script_tests CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/test/*/test_*.py ${PROJECT_SOURCE_DIR}/test/*/test_*.sh)
if(CMOCKA_FOUND)
  foreach(source IN LISTS unit_tests)
    ib_unit_test(${source})
  endforeach()
endif()
foreach(source IN LISTS script_tests)
  if(TARGET ironbird OR source MATCHES "/test/tools/")
    ib_script_test(${source})
  endif()
endforeach()

# Flight computers, good and bad, that tests load: test/fcc/libraries/NAME.c becomes test/fcc/NAME.so in
# the build tree. Their crashes are caught by the program's own guard.
file(GLOB flight_computers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/fcc/libraries/*.c)
foreach(source IN LISTS flight_computers)
  get_filename_component(name ${source} NAME_WE)
  add_library(fcc_${name} MODULE ${source})
  target_include_directories(fcc_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  set_target_properties(fcc_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/fcc)
endforeach()
foreach(target test_fcc_native test_fcc_channel test_fcc_mischief)
  if(TARGET ${target})
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cli/guard.c)
  endif()
endforeach()

# Emulators that are none, for the tests of firmware.
file(GLOB test_emulators CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/firmware/emulators/*.c)
foreach(source IN LISTS test_emulators)
  get_filename_component(name ${source} NAME_WE)
  add_executable(emulator_${name} ${source})
  target_link_libraries(emulator_${name} PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(emulator_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/firmware)
  if(TARGET test_firmware_ends)
    add_dependencies(test_firmware_ends emulator_${name})
  endif()
endforeach()

# The C programs of the documentation see what a user sees: the public headers and the library.
file(GLOB c_examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/c/*.c)
foreach(source IN LISTS c_examples)
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE libironbird)
  set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
  add_test(NAME examples.c_${name} COMMAND example_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(examples.c_${name} PROPERTIES LABELS examples TIMEOUT 300)
endforeach()

# Every example against its reference.
set(cases ${PROJECT_SOURCE_DIR}/test/examples/cases.json)
if(TARGET ironbird AND EXISTS ${cases})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cases})
  file(READ ${cases} cases_text)
  string(JSON n_cases LENGTH "${cases_text}" cases)
  math(EXPR last "${n_cases} - 1")
  foreach(i RANGE ${last})
    string(JSON name GET "${cases_text}" cases ${i} name)
    string(JSON slow ERROR_VARIABLE no_slow GET "${cases_text}" cases ${i} slow)
    add_test(NAME examples.${name}
      COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/test/examples/run_examples.py --case ${name})
    set(labels examples)
    if(slow)
      list(APPEND labels slow)
    endif()
    set_tests_properties(examples.${name} PROPERTIES
      LABELS "${labels}" TIMEOUT 900 ENVIRONMENT "${script_environment}")
  endforeach()
endif()

# Ten million arguments a function against MPFR: built and run by `make check-more`.
pkg_check_modules(MPFR IMPORTED_TARGET mpfr)
if(MPFR_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/test/accuracy/fmath_accuracy.c)
  add_executable(fmath_accuracy EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/test/accuracy/fmath_accuracy.c)
  target_link_libraries(fmath_accuracy PRIVATE ib_base PkgConfig::MPFR)
  set_target_properties(fmath_accuracy PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
endif()
