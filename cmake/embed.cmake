# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=file.cpp -DFILES=a.toml;b.toml -P embed.cmake
# Writes the files as raw string literals, found at run time by workloads::embedded_machines().
set(text "// Generated from the machine files.\n#include \"workloads/machines.h\"\n\nnamespace podsim::workloads {\n\n")
string(APPEND text "const std::vector<EmbeddedMachine>& embedded_machines() {\n  static const std::vector<EmbeddedMachine> machines = {\n")
foreach(file IN LISTS FILES)
  file(READ ${file} content)
  get_filename_component(name ${file} NAME_WLE)
  string(APPEND text "      {\"${name}\", R\"embedded(${content})embedded\"},\n")
endforeach()
string(APPEND text "  };\n  return machines;\n}\n\n}  // namespace podsim::workloads\n")
file(WRITE ${OUTPUT} "${text}")
