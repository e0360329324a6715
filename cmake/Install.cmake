# What a program links: every module behind one name.
add_library(holdfast_holdfast INTERFACE)
add_library(holdfast::holdfast ALIAS holdfast_holdfast)
target_link_libraries(holdfast_holdfast INTERFACE holdfast::exchange)
set_target_properties(holdfast_holdfast PROPERTIES EXPORT_NAME holdfast)

if(NOT HOLDFAST_TESTING)
  include(CMakePackageConfigHelpers)
  set(HOLDFAST_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/holdfast)
  install(TARGETS holdfast_holdfast EXPORT holdfastTargets)
  install(EXPORT holdfastTargets NAMESPACE holdfast:: DESTINATION ${HOLDFAST_CMAKE_DIR})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/holdfastConfig.cmake.in
    ${PROJECT_BINARY_DIR}/holdfastConfig.cmake INSTALL_DESTINATION ${HOLDFAST_CMAKE_DIR})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/holdfastConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  # Relative to the file itself, so that `cmake --install --prefix` may choose another place.
  file(RELATIVE_PATH HOLDFAST_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/holdfast.pc.in ${PROJECT_BINARY_DIR}/holdfast.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/holdfastConfig.cmake
                ${PROJECT_BINARY_DIR}/holdfastConfigVersion.cmake
    DESTINATION ${HOLDFAST_CMAKE_DIR})
  install(FILES ${PROJECT_BINARY_DIR}/holdfast.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
