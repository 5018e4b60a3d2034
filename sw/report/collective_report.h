// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hw/machine.h"
#include "sw/collectives/collective_estimate.h"
#include "sw/collectives/collective_simulation.h"

/// What `podsim collective` prints: the time and where it went, beside what formulas say.
namespace podsim::sw {

struct CollectiveReport {
  std::string machine;
  std::string slice;  ///< "8x4"
  std::string groups;
  NetworkLevel network = NetworkLevel::message;
  std::shared_ptr<const CollectiveSchedule> schedule;
  std::string reason;  ///< why this algorithm; empty when it was asked for
  CollectiveOutcome outcome;
  std::vector<std::string> faults;
  std::optional<base::Time> healthy;  ///< the same without the faults
  bool verified = false;     ///< real numbers moved with the messages, and every rank ended with the right ones
  double largest_error = 0;  ///< of a verified reduction, relative
  base::Duration modelled, closed_form, lower_bound;
  std::vector<std::string> warnings;
  double wall_s = 0;  ///< host time

  double time_s() const { return to_duration(outcome.duration).si(); }
  double bandwidth() const;  ///< payload over time, bytes per second
};

std::string collective_text(const CollectiveReport& report);
std::string collective_json(const CollectiveReport& report);

}  // namespace podsim::sw
