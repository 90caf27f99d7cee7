# `cmake --install` (and `make install PREFIX=...`): program, library, headers, pkg-config file, CMake
# package, man pages, shell completions, schema.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Ironbird)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ironbird DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS libironbird EXPORT IronbirdTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
set_target_properties(libironbird PROPERTIES EXPORT_NAME ironbird)
if(IB_SHARED)
  install(TARGETS libironbird_shared EXPORT IronbirdTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_target_properties(libironbird_shared PROPERTIES EXPORT_NAME ironbird_shared)
endif()
install(EXPORT IronbirdTargets NAMESPACE Ironbird:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/IronbirdConfig.cmake.in
  ${PROJECT_BINARY_DIR}/IronbirdConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/IronbirdConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/IronbirdConfig.cmake ${PROJECT_BINARY_DIR}/IronbirdConfigVersion.cmake
  DESTINATION ${package_dir})
# Relative to the file itself, so that the tree may be moved, or installed with another prefix.
file(RELATIVE_PATH prefix_from_pc /usr/${CMAKE_INSTALL_LIBDIR}/pkgconfig /usr)
configure_file(${PROJECT_SOURCE_DIR}/cmake/ironbird.pc.in ${PROJECT_BINARY_DIR}/ironbird.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ironbird.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ironbird)

# Where the program looks for it: ../lib/ironbird from its own folder.
install(TARGETS ironbird_qemu LIBRARY DESTINATION lib/ironbird)
install(FILES ${PROJECT_SOURCE_DIR}/qemu/COPYING DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ironbird/qemu)

if(TARGET ironbird)
  install(TARGETS ironbird RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
