// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace podsim::report::run {

/// The operations of a program on devices of their own (sw/operators/operator_search.h).
struct OperatorReport {
  /// A way to share them out, or what it is compared with.
  struct Way {
    std::string name = {};                        ///< "METIS alone"
    std::optional<base::Duration> estimate = {};  ///< of the step, by a list schedule; std::nullopt for another program
    std::optional<base::Time> step = {};          ///< simulated; std::nullopt if it was not
    std::string why_not = {};                     ///< why a comparison has no step
  };
  std::int64_t devices = 0, replicas = 0;
  std::int64_t samples = 0;  ///< in a step of all replicas; 0 if the workload does not say
  std::int64_t operations = 0, clusters = 0, estimates = 0, simulations = 0;
  base::Duration work;               ///< of all operations of a replica, one after another
  std::vector<base::Duration> busy;  ///< by device: its operations
  std::int64_t transfers = 0;
  base::Bytes transferred;
  std::vector<Way> tried;
  std::size_t chosen = 0;  ///< into `tried`
  Way data_parallel;       ///< the same batch divided among all cores
};

/// The section of a summary.
std::string operators_text(const OperatorReport& report);
/// The object of --json.
nlohmann::ordered_json operators_json(const OperatorReport& report);

}  // namespace podsim::report::run
