# What a program links: every module behind one name.
add_library(holdfast_holdfast INTERFACE)
add_library(holdfast::holdfast ALIAS holdfast_holdfast)
target_link_libraries(holdfast_holdfast INTERFACE
  holdfast::exchange holdfast::scheduler holdfast::vectors)
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

  # Made by the program itself, from the commands that it has.
  set(HOLDFAST_SHELL_DIR ${PROJECT_BINARY_DIR}/shell)
  file(MAKE_DIRECTORY ${HOLDFAST_SHELL_DIR})
  add_custom_command(
    OUTPUT ${HOLDFAST_SHELL_DIR}/holdfast ${HOLDFAST_SHELL_DIR}/_holdfast
           ${HOLDFAST_SHELL_DIR}/holdfast.1
    COMMAND holdfast_cli completion bash > ${HOLDFAST_SHELL_DIR}/holdfast
    COMMAND holdfast_cli completion zsh > ${HOLDFAST_SHELL_DIR}/_holdfast
    COMMAND holdfast_cli manual > ${HOLDFAST_SHELL_DIR}/holdfast.1
    DEPENDS holdfast_cli
    COMMENT "Writing shell completions and the manual page")
  add_custom_target(holdfast_shell ALL DEPENDS ${HOLDFAST_SHELL_DIR}/holdfast
    ${HOLDFAST_SHELL_DIR}/_holdfast ${HOLDFAST_SHELL_DIR}/holdfast.1)
  install(FILES ${HOLDFAST_SHELL_DIR}/holdfast
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${HOLDFAST_SHELL_DIR}/_holdfast
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${HOLDFAST_SHELL_DIR}/holdfast.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
