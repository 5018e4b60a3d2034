# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=file.cpp -DHEADER=workloads/machines/machines.h -DNAMESPACE=podsim::workloads -DTYPE=EmbeddedMachine
#       -DFUNCTION=embedded_machines -DPART=NAME_WLE -DFILES=a.toml;b.toml -P embed.cmake
# Writes the files as raw string literals: `const std::vector<TYPE>& FUNCTION()` of NAMESPACE, a TYPE being a name and a
# text. PART says which part of a file's path is its name: NAME_WLE without, NAME with its last extension.
set(text "// Generated from files of text.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
string(APPEND text "const std::vector<${TYPE}>& ${FUNCTION}() {\n  static const std::vector<${TYPE}> files = {\n")
foreach(file IN LISTS FILES)
  file(READ ${file} content)
  get_filename_component(name ${file} ${PART})
  string(APPEND text "      {\"${name}\", R\"embedded(${content})embedded\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${text}")
