# SPDX-License-Identifier: Apache-2.0

# podsim_layer(NAME [SYSTEMC] [USES layer ...] [LIBRARIES target ...])
# The static library of one folder: every .cpp below it (main.cpp apart), linked to the layers below.
function(podsim_layer NAME)
  cmake_parse_arguments(ARG "SYSTEMC" "" "USES;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${NAME}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(podsim_${NAME} STATIC ${sources})
  target_link_libraries(podsim_${NAME} PUBLIC podsim_options ${ARG_LIBRARIES})
  foreach(layer IN LISTS ARG_USES)
    target_link_libraries(podsim_${NAME} PUBLIC podsim_${layer})
  endforeach()
  if(ARG_SYSTEMC)
    target_link_libraries(podsim_${NAME} PUBLIC podsim_systemc)
    target_precompile_headers(podsim_${NAME} PRIVATE <systemc> <tlm>)
  endif()
endfunction()

# podsim_embed(LAYER FOLDER TYPE FUNCTION): the TOML files of LAYER/FOLDER become string literals of the program, found
# at run time by FUNCTION(), a list of TYPE, which LAYER/FOLDER.h declares; their names are without .toml.
function(podsim_embed LAYER FOLDER TYPE FUNCTION)
  podsim_embed_files(${LAYER} ${FOLDER} ${TYPE} ${FUNCTION} HEADER ${LAYER}/${FOLDER}.h PART NAME_WLE PATTERNS *.toml)
endfunction()

# podsim_embed_files(LAYER FOLDER TYPE FUNCTION HEADER file.h PART NAME|NAME_WLE PATTERNS pattern ...): likewise files
# that match the patterns, and a header of any name; with PART NAME their names keep the extension.
function(podsim_embed_files LAYER FOLDER TYPE FUNCTION)
  cmake_parse_arguments(ARG "" "HEADER;PART" "PATTERNS" ${ARGN})
  list(TRANSFORM ARG_PATTERNS PREPEND ${PROJECT_SOURCE_DIR}/${LAYER}/${FOLDER}/)
  file(GLOB files CONFIGURE_DEPENDS ${ARG_PATTERNS})
  string(REPLACE / _ name ${FOLDER})
  set(output ${PROJECT_BINARY_DIR}/embedded_${name}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND
      ${CMAKE_COMMAND} -DOUTPUT=${output} -DHEADER=${ARG_HEADER} -DNAMESPACE=podsim::${LAYER} -DTYPE=${TYPE}
      -DFUNCTION=${FUNCTION} -DPART=${ARG_PART} "-DFILES=${files}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  target_sources(podsim_${LAYER} PRIVATE ${output})
endfunction()
