# SPDX-License-Identifier: Apache-2.0

# podsim_library(NAME FOLDER folder [LIGHT] [USES library ...] [LIBRARIES target ...])
# The static library podsim_NAME, installed as podsim::NAME: every .cpp below FOLDER (main.cpp apart), linked to the
# libraries below it. LIGHT is for code that prints, parses options and reads files: it runs once, so it is compiled with
# little optimisation, which takes less time.
function(podsim_library NAME)
  cmake_parse_arguments(ARG "LIGHT" "FOLDER" "USES;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(podsim_${NAME} STATIC ${sources})
  set_target_properties(podsim_${NAME} PROPERTIES EXPORT_NAME ${NAME})
  set_property(GLOBAL APPEND PROPERTY PODSIM_LIBRARIES podsim_${NAME})
  target_link_libraries(podsim_${NAME} PUBLIC $<BUILD_INTERFACE:podsim_options> ${ARG_LIBRARIES})
  list(TRANSFORM ARG_USES PREPEND podsim_)
  target_link_libraries(podsim_${NAME} PUBLIC ${ARG_USES})
  if(ARG_LIGHT)
    podsim_light(podsim_${NAME})
  else()
    podsim_precompiled(podsim_${NAME} podsim_standard_library)
  endif()
endfunction()

# Compiles a target with little optimisation.
function(podsim_light TARGET)
  target_compile_options(${TARGET} PRIVATE $<$<CONFIG:Release>:-O1>)
  podsim_precompiled(${TARGET} podsim_standard_library_light)
endfunction()

# Gives a target a precompiled header of the standard library, if there is one.
function(podsim_precompiled TARGET HEADER)
  if(TARGET ${HEADER})
    target_precompile_headers(${TARGET} REUSE_FROM ${HEADER})
  endif()
endfunction()

# podsim_embed(LIBRARY FOLDER TYPE FUNCTION HEADER file.h PART NAME|NAME_WLE PATTERNS pattern ...)
# The files of FOLDER that match the patterns become string literals of the program, found at run time by FUNCTION(), a
# list of TYPE, which HEADER declares in the namespace of FOLDER. PART says which part of a file's path is its name:
# NAME_WLE without, NAME with its extension.
function(podsim_embed LIBRARY FOLDER TYPE FUNCTION)
  cmake_parse_arguments(ARG "" "HEADER;PART" "PATTERNS" ${ARGN})
  list(TRANSFORM ARG_PATTERNS PREPEND ${PROJECT_SOURCE_DIR}/${FOLDER}/)
  file(GLOB files CONFIGURE_DEPENDS ${ARG_PATTERNS})
  string(REPLACE / _ name ${FOLDER})
  string(REPLACE / :: namespace ${FOLDER})
  set(output ${PROJECT_BINARY_DIR}/embedded_${name}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND
      ${CMAKE_COMMAND} -DOUTPUT=${output} -DHEADER=${FOLDER}/${ARG_HEADER} -DNAMESPACE=podsim::${namespace}
      -DTYPE=${TYPE} -DFUNCTION=${FUNCTION} -DPART=${ARG_PART} "-DFILES=${files}" -P
      ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  target_sources(podsim_${LIBRARY} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# podsim_included(RESULT header.h ...)
# The headers, and all headers of the project that they include, written from the root.
function(podsim_included RESULT)
  set(found)
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest header)
    if(header IN_LIST found)
      continue()
    endif()
    list(APPEND found ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" included "${line}")
      list(APPEND rest ${included})
    endforeach()
  endwhile()
  set(${RESULT} ${found} PARENT_SCOPE)
endfunction()
