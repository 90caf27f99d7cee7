# The parts of emulated boards: peripherals and chips, GPL-2.0-or-later. They see neither QEMU nor the
# library; the plugin is linked from them.
file(GLOB part_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/qemu/parts/*.c)
add_library(ib_qemu STATIC ${part_sources})
target_include_directories(ib_qemu PUBLIC ${PROJECT_SOURCE_DIR})
set_target_properties(ib_qemu PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(ib_qemu PUBLIC m)

# The plugin itself. It calls QEMU by names that it looks up, so that it builds without QEMU.
file(GLOB plugin_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/qemu/plugin/*.c)
find_package(Threads REQUIRED)
add_library(ironbird_qemu MODULE ${plugin_sources} ${part_sources})
target_include_directories(ironbird_qemu PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(ironbird_qemu PRIVATE m Threads::Threads ${CMAKE_DL_LIBS})
if(IB_SANITIZE) # QEMU is not compiled with sanitizers, and cannot load what is
  target_compile_options(ironbird_qemu PRIVATE -fno-sanitize=all)
  target_link_options(ironbird_qemu PRIVATE -fno-sanitize=all)
endif()
if(IB_FUZZ)
  target_compile_options(ironbird_qemu PRIVATE -fno-sanitize=fuzzer-no-link)
endif()
set_target_properties(ironbird_qemu PROPERTIES PREFIX "" OUTPUT_NAME ironbird-qemu
  C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
