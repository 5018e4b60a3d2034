// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sw/compiler/costs/custom_price.h"

namespace podsim::sw::compiler::costs {

/// What a file for --costs says: prices of custom calls, in order. The first that is for a call, and whose arrays
/// match, is its price.
class PriceList {
 public:
  PriceList() = default;
  /// Reads a TOML text. Throws InputError with every mistake and its location.
  PriceList(const std::string& file, const std::string& text);

  struct Match {
    const CustomPrice* price;
    Sizes sizes;
  };
  std::optional<Match> find(const hlo::Computation& computation, const hlo::Instruction& call) const;
  /// True if a price is for calls of this target and op_name, whatever their arrays.
  bool knows(const hlo::Instruction& call) const;
  /// One warning for each price that is for no call of the module.
  std::vector<std::string> unused(const hlo::Module& module) const;

 private:
  std::vector<CustomPrice> prices_;
};

}  // namespace podsim::sw::compiler::costs
