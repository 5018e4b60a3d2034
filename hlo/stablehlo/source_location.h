// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "hlo/stablehlo/operation.h"

namespace podsim::hlo::stablehlo {

/// The locations in a user's program that a text names, as metadata of HLO.
class SourceLocations {
 public:
  explicit SourceLocations(const Attributes& aliases);

  /// `metadata={op_name="jit(f)/dot_general" source_file="model.py" source_line=3}` of a location "(#loc3)" or
  /// "("jit(f)/add"("model.py":3:4))", preceded by ", "; empty if nothing is known.
  const std::string& metadata(std::string_view location);

 private:
  struct Place {
    std::string_view name, file, line;
  };
  Place resolve(std::string_view text, int depth);

  std::unordered_map<std::string_view, std::string_view> aliases_;
  std::unordered_map<std::string_view, std::string> made_;
};

}  // namespace podsim::hlo::stablehlo
