# SPDX-License-Identifier: Apache-2.0
# -O3 gains nothing measurable here and compiles longer.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
if(PODSIM_SANITIZE OR PODSIM_FUZZ)
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
endif()
add_library(podsim_options INTERFACE)
if(PODSIM_WARNINGS)
  target_compile_options(podsim_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                                  -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
  # GCC 12 sees overlapping and overlong copies and reads in string concatenation where there are none (GCC bugs 105651,
  # 105329), and memory that is given back beyond its beginning; which of them depends on what else is inlined.
  target_compile_options(podsim_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-array-bounds
                                                                        -Wno-stringop-overflow -Wno-stringop-overread
                                                                        -Wno-free-nonheap-object>)
else()
  target_compile_options(podsim_options INTERFACE -w)
endif()
if(CMAKE_UNITY_BUILD)
  # GCC collects its garbage when it has more than this many kB, not from the first MB on.
  target_compile_options(podsim_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>)
  if(PODSIM_WARNINGS)
    # Of these warnings, which depend on inlining too, a unity build may see more than the sources have one by one. And a
    # local name that another source's global has is no shadow in its own source.
    target_compile_options(podsim_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-error=maybe-uninitialized
                                                    -Wno-error=dangling-pointer -Wno-error=use-after-free
                                                    -Wno-error=shadow>)
  endif()
endif()
# A product and a sum are rounded one after the other unless the source says otherwise: the same bits on every host.
target_compile_options(podsim_options INTERFACE -ffp-contract=off)
target_include_directories(podsim_options INTERFACE ${PROJECT_SOURCE_DIR})
target_link_libraries(podsim_options INTERFACE fmt::fmt Boost::headers)
if(PODSIM_SANITIZE)
  # The instrumentation hides initialisations from GCC's -Wmaybe-uninitialized.
  # Left out: checks that the address sanitizer makes too (null, object-size), which cost a fifth of the compile time;
  # alignment; vptr, whose look at an object needs a free file descriptor; and the use of stack memory after its scope
  # has ended, which cost two fifths of the compile time.
  target_compile_options(podsim_options INTERFACE -fsanitize=address,undefined,float-cast-overflow
                                                  -fno-sanitize=null,object-size,alignment,vptr
                                                  -fno-sanitize-recover=all -fno-omit-frame-pointer
                                                  -fno-sanitize-address-use-after-scope
                                                  -Wno-maybe-uninitialized)
  # Assertions stay in, whatever the build type says, and the standard library's come to them.
  target_compile_options(podsim_options INTERFACE -UNDEBUG)
  target_compile_definitions(podsim_options INTERFACE _GLIBCXX_ASSERTIONS)
  # At fixed addresses, since a test is a process and relocation is half of a sanitized program's start.
  target_compile_options(podsim_options INTERFACE -fno-pie)
  target_link_options(podsim_options INTERFACE -fsanitize=address,undefined -no-pie)
endif()
if(PODSIM_FUZZ)
  target_compile_options(podsim_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=vptr
                                                  -fno-sanitize-recover=all)
  target_compile_definitions(podsim_options INTERFACE _GLIBCXX_ASSERTIONS)
  # At fixed addresses, since a test is a process and relocation is half of a sanitized program's start.
  target_compile_options(podsim_options INTERFACE -fno-pie)
  target_link_options(podsim_options INTERFACE -fsanitize=address,undefined -no-pie)
endif()
if(PODSIM_COVERAGE)
  target_compile_options(podsim_options INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(podsim_options INTERFACE --coverage)
endif()

# A precompiled header of the standard library for each level of optimisation. GCC takes that of another level too, but
# compiles what it defines at the level it was made with, which takes a quarter of the time more in LIGHT code.
if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  foreach(name IN ITEMS podsim_standard_library podsim_standard_library_light)
    add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/standard_library.cpp)
    target_link_libraries(${name} PRIVATE podsim_options)
    target_precompile_headers(${name} PRIVATE <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <set>
                              <span> <string> <string_view> <unordered_map> <utility> <vector>)
  endforeach()
  target_compile_options(podsim_standard_library_light PRIVATE $<$<CONFIG:Release>:-O1>)
endif()

# SystemC from Debian is built as C++17 and checks that at link time; SC_CPLUSPLUS names the version it was built with.
add_library(podsim_systemc INTERFACE)
target_compile_definitions(podsim_systemc INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
target_link_libraries(podsim_systemc INTERFACE PkgConfig::SYSTEMC PkgConfig::TLM)
