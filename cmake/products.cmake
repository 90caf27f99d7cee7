# What a user gets: the library, and the program built on it.
set(module_objects "")
foreach(module IN LISTS IB_MODULES)
  list(APPEND module_objects $<TARGET_OBJECTS:ib_${module}>)
endforeach()

function(ib_library target kind)
  add_library(${target} ${kind} ${module_objects})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_link_libraries(${target} PRIVATE PkgConfig::YAML PkgConfig::EXPAT PkgConfig::ZIP m)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ironbird LINKER_LANGUAGE C VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
endfunction()

ib_library(libironbird STATIC)
if(IB_SHARED)
  # Only what the public headers declare is visible.
  file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/ironbird/*.h)
  set(version_script ${PROJECT_BINARY_DIR}/generated/libironbird.map)
  set(exported "")
  foreach(header IN LISTS public_headers)
    file(STRINGS ${header} lines REGEX "ib_[a-z0-9_]+\\(")
    foreach(line IN LISTS lines)
      string(REGEX MATCH "ib_[a-z0-9_]+\\(" call "${line}")
      string(REPLACE "(" ";\n        " name "${call}")
      string(APPEND exported "${name}")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${version_script} CONTENT "{\n    global:\n        @exported@\n    local: *;\n};\n" @ONLY)
  ib_library(libironbird_shared SHARED)
  target_link_options(libironbird_shared PRIVATE LINKER:--version-script=${version_script})
endif()

file(GLOB cli_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.c)
if(cli_sources AND TARGET ib_plant AND TARGET ib_results AND TARGET ib_fmi)
  add_executable(ironbird ${cli_sources})
  target_link_libraries(ironbird PRIVATE ib_world ib_network ib_fmi)
  target_compile_definitions(ironbird PRIVATE IB_VERSION="${PROJECT_VERSION}")
endif()
