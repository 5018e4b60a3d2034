// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/compiler_year.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/diagnostic.h"

namespace podsim::sw::driver {
namespace {

constexpr std::array years_of_compilers{CompilerYear{.year = 2018,
                                                     .loop_outputs = compiler::fuse::LoopOutputs::one_elementwise,
                                                     .combine_all_reduce = base::Bytes(0)},
                                        CompilerYear{}};

}  // namespace

std::span<const CompilerYear> compiler_years() { return years_of_compilers; }

std::vector<std::string> compiler_names() {
  std::vector<std::string> names;
  for (const CompilerYear& compiler : years_of_compilers) names.push_back(fmt::to_string(compiler.year));
  return names;
}

const CompilerYear& compiler_of(std::string_view name) {
  const std::vector<std::string> names = compiler_names();
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return years_of_compilers[std::size_t(found - names.begin())];
  throw base::InputError(fmt::format("no compiler of '{}' is known", name),
                         fmt::format("one of: {}", fmt::join(names, ", ")));
}

const CompilerYear& compiler_in(int year) {
  const auto found =
      std::ranges::find_if(years_of_compilers, [&](const CompilerYear& compiler) { return compiler.year >= year; });
  return found == years_of_compilers.end() ? years_of_compilers.back() : *found;
}

std::string to_string(const CompilerYear& compiler) {
  std::string text = fmt::to_string(compiler.year);
  if (compiler.loop_outputs == compiler::fuse::LoopOutputs::one_elementwise) {
    text += ", one elementwise result in a fusion";
  }
  if (compiler.combine_all_reduce == base::Bytes(0)) text += ", no combined collectives";
  return text;
}

}  // namespace podsim::sw::driver
