# SPDX-License-Identifier: Apache-2.0
include(cmake/libraries.cmake)
# Headers alone, which only sources include.
find_path(PROTOZERO_HEADERS protozero/pbf_reader.hpp REQUIRED)

# Tests and benchmarks are left out where one of these is missing.
find_package(GTest)
find_package(rapidcheck)
find_package(benchmark)

# Optional.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI 3 COMPONENTS CXX)
if(MPI_CXX_FOUND)
  set(PODSIM_MPI ON)
else()
  set(PODSIM_MPI OFF)
  message(STATUS "podsim-mpi is left out: no MPI was found (libopenmpi-dev)")
endif()
