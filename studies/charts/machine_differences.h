// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/config.h"
#include "studies/store/study_results.h"

namespace podsim::studies::charts {

/// A machine key with a value other than the reference machine's.
struct MachineDifference {
  std::string key, value, evidence;
  std::string reference;  ///< the reference machine's value; empty where it lacks the key
};

/// For each key of StudyResults::machines, the differences of that machine from the machine `reference`, in the order
/// of the machine's keys. The list of `reference` itself is empty.
std::map<std::string, std::vector<MachineDifference>> machine_differences(const store::StudyResults& results,
                                                                          const std::string& reference);

/// The machine's entries; empty for a machine that the results do not have, such as that of a point that failed early.
std::vector<base::ConfigEntry> machine_entries(const store::StudyResults& results, const std::string& machine);

}  // namespace podsim::studies::charts
