# What `cmake --install` puts where: headers, both libraries with their CMake package and pkg-config file, the program
# with its shell completions, licence and README.

include(CMakePackageConfigHelpers)

set(parapet_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/parapet)
install(TARGETS parapet_static parapet_shared EXPORT parapet)
set(parapet_headers_left_out)
if(NOT PARAPET_ENGINE)
  set(parapet_headers_left_out PATTERN "pool*.h" EXCLUDE)
endif()
install(DIRECTORY include/parapet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${parapet_headers_left_out})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT parapet NAMESPACE parapet:: FILE parapetTargets.cmake DESTINATION ${parapet_package_dir})
configure_package_config_file(cmake/parapetConfig.cmake.in parapetConfig.cmake INSTALL_DESTINATION ${parapet_package_dir})
write_basic_package_version_file(parapetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/parapetConfig.cmake ${PROJECT_BINARY_DIR}/parapetConfigVersion.cmake
  DESTINATION ${parapet_package_dir})

# The pkg-config file finds its prefix from where it lies, so that `cmake --install --prefix` may choose another one.
file(RELATIVE_PATH parapet_prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(parapet_private_libs)
if(PARAPET_ENGINE)
  set(parapet_private_libs "-luring ")
endif()
configure_file(cmake/parapet.pc.in parapet.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/parapet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# parapet_completion(SHELL FILE FOLDER): the program writes its own completion script for SHELL.
function(parapet_completion shell file folder)
  set(output ${PROJECT_BINARY_DIR}/completion/${shell}/${file})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/completion/${shell}
    COMMAND parapet completion ${shell} > ${output}
    DEPENDS parapet VERBATIM)
  add_custom_target(parapet_completion_${shell} ALL DEPENDS ${output})
  install(FILES ${output} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endfunction()

if(PARAPET_PROGRAM)
  install(TARGETS parapet)
  if(NOT CMAKE_CROSSCOMPILING)
    parapet_completion(bash parapet bash-completion/completions)
    parapet_completion(zsh _parapet zsh/site-functions)
    parapet_completion(fish parapet.fish fish/vendor_completions.d)
  endif()
endif()
