// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hw/machine.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "sw/collectives/schedule/collective_estimate.h"

/// The output of `podsim collective`: the simulated time and its parts, and the times by formula for comparison.
namespace podsim::report {

struct CollectiveReport {
  std::string machine;
  std::string slice;  ///< "8x4"
  std::string groups;
  sw::collectives::engine::NetworkLevel network = sw::collectives::engine::NetworkLevel::message;
  std::shared_ptr<const sw::collectives::schedule::CollectiveSchedule> schedule;
  std::string reason;  ///< why this algorithm was chosen; empty if the user requested it
  sw::collectives::engine::CollectiveOutcome outcome;
  std::vector<std::string> faults;
  std::optional<base::Time> healthy;  ///< duration without the faults
  bool verified = false;              ///< data moved with the messages, and every rank ended with the correct result
  double largest_error = 0;           ///< relative, of a verified reduction
  base::Duration modelled, closed_form, lower_bound;
  std::vector<std::string> warnings;
  double wall_s = 0;  ///< host time

  double time_s() const { return base::to_duration(outcome.duration).si(); }
  double bandwidth() const;  ///< payload over time, bytes per second
};

std::string collective_text(const CollectiveReport& report);
std::string collective_json(const CollectiveReport& report);

}  // namespace podsim::report
