# SPDX-License-Identifier: Apache-2.0
# Tools that make builds faster where they are installed; nothing needs them. A build folder keeps what it was first
# configured with, since another compiler launcher would compile everything anew.

# The GNU linker takes seconds for a program with debug information, these take a moment.
if(NOT DEFINED PODSIM_LINKER)
  find_program(PODSIM_LINKER NAMES mold ld.lld DOC "A fast linker, or empty for the compiler's own")
endif()
if(PODSIM_LINKER MATCHES "mold$")
  add_link_options(-fuse-ld=mold)
elseif(PODSIM_LINKER MATCHES "lld$")
  add_link_options(-fuse-ld=lld)
endif()

# ccache takes precompiled headers if it may ignore the times of files and macros defined in them.
if(NOT DEFINED PODSIM_CCACHE)
  find_program(PODSIM_CCACHE NAMES ccache DOC "ccache, or empty")
endif()
if(PODSIM_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
                                  CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
                                  ${PODSIM_CCACHE})
  add_compile_options(-fpch-preprocess)
endif()
