# SPDX-License-Identifier: Apache-2.0
# What the libraries are built from and linked to, in the tree and by those who link the installed ones. Every library
# comes from the distribution; nothing is fetched at configure time.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc>=2.3.4)
pkg_check_modules(TLM REQUIRED IMPORTED_TARGET tlm)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus>=3.3)
add_library(tomlplusplus::tomlplusplus ALIAS PkgConfig::TOMLPLUSPLUS)
pkg_check_modules(MUPARSER REQUIRED IMPORTED_TARGET muparser>=2.3)
add_library(muparser::muparser ALIAS PkgConfig::MUPARSER)
find_package(SQLite3 3.40 REQUIRED)
find_package(ZLIB 1.2 REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(Eigen3 3.4 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(Eigen3 3.4 REQUIRED)
# The library of METIS 5 has neither a configuration nor a pkg-config file.
find_path(METIS_HEADERS metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)
add_library(metis::metis UNKNOWN IMPORTED)
set_target_properties(metis::metis PROPERTIES IMPORTED_LOCATION ${METIS_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${METIS_HEADERS})

# The programs allocate by tcmalloc: compilation of a large step takes a quarter to a third less time than by glibc.
# Sanitizers have an allocator of their own.
if(NOT PODSIM_SANITIZE AND NOT PODSIM_FUZZ)
  find_library(TCMALLOC_LIBRARY tcmalloc_minimal REQUIRED)
  set(PODSIM_ALLOCATOR -Wl,--no-as-needed ${TCMALLOC_LIBRARY} -Wl,--as-needed)
endif()
