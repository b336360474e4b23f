# SPDX-License-Identifier: BSD-3-Clause
#
# What is installed around the library and the commands, which their own folders install: the
# packages of CMake and pkg-config, the manual pages of sections 3 and 5, the first sampling as a
# unit of systemd, checks of nodes for sites, and all of it as a Debian package (cpack, in the build
# folder). All of it works from whatever prefix it lies in.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/nmadtune)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nmadtune-config-version.cmake
  COMPATIBILITY SameMajorVersion)
install(EXPORT nmadtune-targets NAMESPACE nmadtune:: DESTINATION ${package_folder})
install(FILES cmake/nmadtune-config.cmake ${PROJECT_BINARY_DIR}/nmadtune-config-version.cmake
  DESTINATION ${package_folder})

file(RELATIVE_PATH up_to_prefix
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(library nmadtune nmadtune-engine)
  configure_file(cmake/${library}.pc.in ${library}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${library}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

foreach(page nmadtune.3 nmadtune_engine.3 nmadtune.5)
  configure_file(docs/man/${page}.in ${page} @ONLY)
  string(REGEX MATCH "[0-9]$" section ${page})
  install(FILES ${PROJECT_BINARY_DIR}/${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES cmake/systemd/nmadtune-first-sampling.service
  cmake/systemd/nmadtune-first-sampling.timer DESTINATION lib/systemd/system)
install(DIRECTORY examples/cluster_checks/ DESTINATION ${CMAKE_INSTALL_DATADIR}/nmadtune/cluster
  USE_SOURCE_PERMISSIONS)

# Three packages: who has no MPI needs none, and who has one not the other.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME nmadtune)
set(CPACK_DEBIAN_UNSPECIFIED_DESCRIPTION "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS libsqlite3-dev)  # to link the static library
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/cmake/debian/postinst ${PROJECT_SOURCE_DIR}/cmake/debian/prerm
  ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
foreach(mpi openmpi mpich)
  string(TOUPPER ${mpi} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME nmadtune-${mpi})
  set(CPACK_DEBIAN_${component}_DESCRIPTION "nmad-sample and collectives in jobs of ${mpi}")
  set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS "nmadtune (= ${PROJECT_VERSION})")
endforeach()
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "The nmadtune authors")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/runtime)  # the engine's
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
include(CPack)
