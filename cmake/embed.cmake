# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=file.cpp -DHEADER=workloads/machines.h -DTYPE=EmbeddedMachine -DFUNCTION=embedded_machines
#       -DFILES=a.toml;b.toml -P embed.cmake
# Writes the files as raw string literals: `const std::vector<TYPE>& FUNCTION()` of namespace podsim::workloads, a TYPE
# being a name and a text.
set(text "// Generated from files of text.\n#include \"${HEADER}\"\n\nnamespace podsim::workloads {\n\n")
string(APPEND text "const std::vector<${TYPE}>& ${FUNCTION}() {\n  static const std::vector<${TYPE}> files = {\n")
foreach(file IN LISTS FILES)
  file(READ ${file} content)
  get_filename_component(name ${file} NAME_WLE)
  string(APPEND text "      {\"${name}\", R\"embedded(${content})embedded\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n}  // namespace podsim::workloads\n")
file(WRITE ${OUTPUT} "${text}")
