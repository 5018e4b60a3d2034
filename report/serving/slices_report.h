// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/serving/serving_report.h"

namespace podsim::report::serving {

/// The same requests on several slices, to find the smallest that meets a service level.
struct SlicesReport {
  struct Slice {
    std::string name;
    std::int64_t chips = 0;                    ///< of all replicas; 0: not known, the slice is refused
    std::optional<ServingReport> served = {};  ///< std::nullopt: it is refused
    std::string refusal = {};                  ///< why
  };

  bool walked = false;  ///< the slices are all those of the machine with no more chips than the smallest that meets it
  double share = 0.99;  ///< of the requests that have to meet the level
  std::vector<Slice> slices;
  double wall_s = 0;

  bool meets(const Slice& slice) const { return slice.served && slice.served->summary.level_share >= share; }
  /// Index of the slice with the fewest chips that meets it, the first of several; -1: none does.
  std::int64_t smallest() const;
};

std::string slices_text(const SlicesReport& report);
std::string slices_json(const SlicesReport& report);

}  // namespace podsim::report::serving
