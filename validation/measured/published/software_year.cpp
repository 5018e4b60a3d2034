// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/published/software_year.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "validation/measured/published/row_words.h"

namespace podsim::validation::measured::published {
namespace {

struct SourceYear {
  std::string_view name;
  int year;
};

/// MLPerf versions by their round; the profile that the Paragraph simulator published is of version 0.7. Entries of
/// DAWNBench name TensorFlow 1.8 and 1.11. The others by the commit, the issue or the paper that a row names.
constexpr std::array source_years{SourceYear{"MLPERF v0.5", 2018}, SourceYear{"MLPERF v0.6", 2019},
                                  SourceYear{"MLPERF v0.7", 2020}, SourceYear{"PARA profile", 2020},
                                  SourceYear{"dawn-bench", 2018},  SourceYear{"GShard", 2020},
                                  SourceYear{"NFNet", 2021},       SourceYear{"levanter", 2023},
                                  SourceYear{"maxtext", 2023},     SourceYear{"mesh-transformer", 2021}};

}  // namespace

int software_year(std::string_view source) {
  for (const SourceYear& known : source_years) {
    if (source.find(known.name) != std::string_view::npos) return known.year;
  }
  const auto year = number_after(source, "arXiv ");  // "2104.00298" is of April 2021
  return year ? 2000 + int(*year / 100) : 0;
}

void choose_compiler(PublishedStep& step, const sw::driver::CompilerYear& compiler) {
  if (step.command.empty()) return;
  if (const auto flag = std::ranges::find(step.command, "--compiler"); flag != step.command.end()) {
    step.command.erase(flag, flag + 2);
  }
  if (compiler.is_default()) return;
  step.command.insert(step.command.end(), {"--compiler", fmt::to_string(compiler.year)});
}

}  // namespace podsim::validation::measured::published
