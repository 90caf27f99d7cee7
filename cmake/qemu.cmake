# The parts of emulated boards: peripherals and chips, GPL-2.0-or-later. They see neither QEMU nor the
# library; the plugin is linked from them.
file(GLOB part_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/qemu/parts/*.c)
add_library(ib_qemu STATIC ${part_sources})
target_include_directories(ib_qemu PUBLIC ${PROJECT_SOURCE_DIR})
set_target_properties(ib_qemu PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(ib_qemu PUBLIC m)
