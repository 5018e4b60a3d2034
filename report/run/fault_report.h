// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "sw/runtime/run_result.h"

/// What faults of a slice cost a step.
namespace podsim::report::run {

struct RunReport;

/// What the law of extremes says of a fault that is drawn for chips or hosts.
struct ExpectedLargest {
  std::string fault;
  std::int64_t draws = 0;  ///< chips or hosts of the slice
  bool of_hosts = false;
  std::optional<double> delay_s = {};  ///< mean of the largest delay
  std::optional<double> longer = {};   ///< mean of the largest part by which a chip takes longer
};

struct FaultReport {
  std::vector<std::string> faults = {};  ///< as flags say them
  std::string chip = {};                 ///< the reported core's, "(2,2)"
  std::vector<ExpectedLargest> expected = {};
  /// The same step on a slice without faults; std::nullopt: it was interrupted.
  std::optional<sw::runtime::RunResult> healthy = {};
};

/// A part of the step, or all of it, with the faults and without them.
struct FaultCost {
  std::string name;
  base::Time faulty, healthy;
  base::Time lost() const { return faulty - healthy; }
};

/// The parts of the step, as they add up to it.
std::vector<FaultCost> fault_costs(const sw::runtime::RunResult& faulty, const sw::runtime::RunResult& healthy);

/// "dead-link:(0,0)x+: step 12.3 ms, healthy 11.9 ms (+3.4 %)"; empty without faults.
std::string faults_line(const RunReport& report);
/// The parts of the step and the collectives that lost most, as a table; empty without faults.
std::string faults_text(const RunReport& report);
void add_faults(nlohmann::ordered_json& json, const RunReport& report);

}  // namespace podsim::report::run
