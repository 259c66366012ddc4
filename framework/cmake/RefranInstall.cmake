# What `cmake --install` puts where, and the package that find_package(refran) finds.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/refran)
set(plugin_dir ${CMAKE_INSTALL_LIBDIR}/refran/plugins)

install(TARGETS refran refran_sdk EXPORT refran)
install(DIRECTORY framework/sdk/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT refran NAMESPACE refran:: FILE refran-targets.cmake DESTINATION ${package_dir})

# The component `marian`: the library of Marian models, for plugins outside this tree.
install(TARGETS refran_marian EXPORT refran-marian)
install(EXPORT refran-marian NAMESPACE refran:: FILE refran-marian-targets.cmake DESTINATION ${package_dir})
get_property(marian_headers GLOBAL PROPERTY REFRAN_MARIAN_HEADERS)
install(FILES ${marian_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/marian)

get_property(plugins GLOBAL PROPERTY REFRAN_PLUGINS)
get_property(sidecars GLOBAL PROPERTY REFRAN_SIDECARS)
install(TARGETS ${plugins} LIBRARY DESTINATION ${plugin_dir})
install(FILES ${sidecars} DESTINATION ${plugin_dir})

install(DIRECTORY framework/cli/template DESTINATION ${CMAKE_INSTALL_DATADIR}/refran)
install(
  FILES framework/cli/completion.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME refran)

configure_package_config_file(
  framework/cmake/refran-config.cmake.in ${PROJECT_BINARY_DIR}/refran-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/refran-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/refran-config.cmake ${PROJECT_BINARY_DIR}/refran-config-version.cmake
              framework/cmake/RefranPlugin.cmake DESTINATION ${package_dir})
