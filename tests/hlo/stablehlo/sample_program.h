// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

/// Programs of tests/hlo/stablehlo/programs, which a framework has lowered and run.
namespace podsim::hlo::stablehlo::testing {

struct SampleProgram {
  std::string name;                             ///< "layers/mlp"
  std::string text;                             ///< with the values as comments
  std::vector<std::string> arguments, results;  ///< as HLO writes literals
};

inline std::vector<std::string> lines_after(const std::string& text, std::string_view mark) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    found.push_back(text.substr(begin, text.find('\n', begin) - begin));
  }
  return found;
}

/// All programs of a folder, or of all folders, by name.
inline std::vector<SampleProgram> sample_programs(const std::string& folder = "") {
  const std::filesystem::path root = std::filesystem::path(PODSIM_SOURCE_DIR) / "tests/hlo/stablehlo/programs";
  std::vector<SampleProgram> programs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    if (entry.path().extension() != ".mlir") continue;
    std::ifstream file(entry.path());
    SampleProgram program;
    program.name = entry.path().lexically_relative(root).replace_extension().string();
    program.text = {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    program.arguments = lines_after(program.text, "\n// argument: ");
    program.results = lines_after(program.text, "\n// result: ");
    programs.push_back(std::move(program));
  }
  std::ranges::sort(programs, {}, &SampleProgram::name);
  return programs;
}

}  // namespace podsim::hlo::stablehlo::testing
