# SPDX-License-Identifier: Apache-2.0

# What `cmake --install` and the Debian package put where. Installing builds nothing but what is installed:
#   cmake --build build/release --target podsim installed_files && cmake --install build/release --prefix /usr/local
#   cmake --workflow --preset package           build/release/podsim{,-dev}_VERSION_ARCHITECTURE.deb
# What a program that adds to podsim is built from is the component dev, a package of its own; all else is podsim.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME podsim)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE)
set(PODSIM_PYTHON_DIR "lib/python3/dist-packages" CACHE STRING "Where the Python module goes, below the prefix")

# The manual and the completions are printed by the program itself.
set(generated ${PROJECT_BINARY_DIR}/installed)
add_custom_command(
  OUTPUT ${generated}/podsim.1.gz ${generated}/changelog.gz ${generated}/podsim.bash ${generated}/_podsim
         ${generated}/podsim.fish
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:podsim> -DCHANGELOG=${PROJECT_SOURCE_DIR}/packaging/changelog
          -DOUTPUT=${generated} -P ${PROJECT_SOURCE_DIR}/cmake/installed_files.cmake
  DEPENDS podsim ${PROJECT_SOURCE_DIR}/packaging/changelog ${PROJECT_SOURCE_DIR}/cmake/installed_files.cmake
  VERBATIM)
add_custom_target(installed_files ALL DEPENDS ${generated}/podsim.1.gz)

install(TARGETS podsim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET podsim-mpi)
  add_dependencies(installed_files podsim-mpi)
  install(TARGETS podsim-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${generated}/podsim.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${generated}/podsim.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME podsim)
install(FILES ${generated}/_podsim DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${generated}/podsim.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# What the program carries, to read and to begin from.
foreach(folder machines shardings)
  install(DIRECTORY workloads/${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/podsim FILES_MATCHING PATTERN "*.toml")
endforeach()
install(DIRECTORY studies/shipped/ DESTINATION ${CMAKE_INSTALL_DATADIR}/podsim/studies FILES_MATCHING PATTERN "*.toml")

# find_package(podsim) gives podsim::net, a header, for a network of one's own as a shared library;
# find_package(podsim COMPONENTS simulator) also the libraries, for a program that adds to podsim (docs/extending.md).
include(CMakePackageConfigHelpers)
set(config ${CMAKE_INSTALL_DATADIR}/cmake/podsim)
set(libraries ${CMAKE_INSTALL_LIBDIR}/podsim)
add_library(podsim_net INTERFACE)
target_compile_features(podsim_net INTERFACE cxx_std_20)
target_include_directories(podsim_net INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(podsim_net PROPERTIES EXPORT_NAME net)
install(TARGETS podsim_net EXPORT podsim_net)
install(EXPORT podsim_net NAMESPACE podsim:: FILE podsim-net.cmake DESTINATION ${config})
configure_package_config_file(cmake/podsim-config.cmake.in ${generated}/podsim-config.cmake
                              INSTALL_DESTINATION ${config} PATH_VARS libraries NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${generated}/podsim-config-version.cmake COMPATIBILITY SameMajorVersion
                                 ARCH_INDEPENDENT)
install(FILES ${generated}/podsim-config.cmake ${generated}/podsim-config-version.cmake DESTINATION ${config})
install(DIRECTORY include/podsim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples PATTERN "build" EXCLUDE)

# The libraries, and the headers that these interfaces include, no others. What a target is compiled with here is no
# business of its users, but for the rounding of products and sums.
set(interfaces app/program.h hlo/api/hlo.h sw/collectives/custom_algorithm.h sw/collectives/patterns/pattern.h
               hw/parts/hbm/custom_address_map.h hw/parts/hbm/custom_scheduler.h hw/parts/custom/custom_unit.h)
get_property(targets GLOBAL PROPERTY PODSIM_LIBRARIES)
foreach(target IN LISTS targets)
  target_compile_features(${target} INTERFACE $<INSTALL_INTERFACE:cxx_std_20>)
  target_compile_options(${target} INTERFACE $<INSTALL_INTERFACE:-ffp-contract=off>)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/podsim/simulator>)
  target_link_libraries(${target} INTERFACE $<INSTALL_INTERFACE:fmt::fmt> $<INSTALL_INTERFACE:Boost::headers>)
endforeach()
set_target_properties(podsim_app PROPERTIES EXPORT_NAME simulator)
set_target_properties(podsim_systemc PROPERTIES EXPORT_NAME systemc)
install(TARGETS ${targets} podsim_systemc EXPORT podsim_libraries ARCHIVE DESTINATION ${libraries} COMPONENT dev)
install(EXPORT podsim_libraries NAMESPACE podsim:: FILE podsim-libraries.cmake DESTINATION ${libraries} COMPONENT dev)
install(FILES cmake/libraries.cmake DESTINATION ${libraries} COMPONENT dev)
podsim_included(headers ${interfaces})
foreach(header IN LISTS headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/podsim/simulator/${folder} COMPONENT dev)
endforeach()
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/podsim-dev COMPONENT dev)

# The documents stand to each other as they do in the repository, so that their links hold.
install(FILES README.md packaging/copyright ${generated}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY waveforms DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN regenerate EXCLUDE)

install(DIRECTORY python/podsim DESTINATION ${PODSIM_PYTHON_DIR} FILES_MATCHING PATTERN "*.py" PATTERN "py.typed"
        PATTERN "__pycache__" EXCLUDE)
install(FILES python/example_study.py python/plots.py DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(DIRECTORY python/examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples FILES_MATCHING PATTERN "*.py"
        PATTERN "__pycache__" EXCLUDE)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME podsim)
set(CPACK_COMPONENTS_ALL podsim dev)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_CONTACT "podsim developers <podsim@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "cycle-approximate model of the TPU v3, from one core to 4096 chips")
set(CPACK_PACKAGE_DESCRIPTION
    "podsim is a SystemC/TLM-2.0 model of Google's TPU v3: the core with its matrix,
vector and cross-lane units, the chip, the torus of up to 4096 chips, and the
software that maps a training step onto it. It runs real training graphs,
computes and times them, and says where the time goes.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PODSIM_PACKAGE_NAME podsim)
set(CPACK_DEBIAN_PODSIM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PODSIM_PACKAGE_RECOMMENDS python3)
set(CPACK_DEBIAN_PODSIM_PACKAGE_SUGGESTS "podsim-dev, cmake, g++, gtkwave, python3-matplotlib")
# A program that adds to podsim is built from what podsim is built from, by CMake with its default generator.
file(STRINGS packages.txt built_from REGEX "^[a-z]")
list(JOIN built_from ", " built_from)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME podsim-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "podsim (= ${PROJECT_VERSION}), make, ${built_from}")
set(CPACK_COMPONENT_DEV_DESCRIPTION "libraries of podsim, for programs that add to it
A program of one's own registers a collective algorithm, a map of DRAM
addresses or a unit of the core, and runs as podsim does, with all of its
commands.")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
