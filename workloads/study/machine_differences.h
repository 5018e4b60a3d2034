// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/config.h"
#include "workloads/study/study_results.h"

namespace podsim::workloads {

/// A value in which a machine differs from another.
struct MachineDifference {
  std::string key, value, evidence;
  std::string reference;  ///< the other machine's value; empty where it has none
};

/// How every machine of the results differs from `reference` (a key of StudyResults::machines), by its key; keys in the
/// order of the machine. Empty for the reference itself.
std::map<std::string, std::vector<MachineDifference>> machine_differences(const StudyResults& results,
                                                                          const std::string& reference);

/// The machine's entries; none for a machine that the results do not have, as a point that failed early.
std::vector<base::ConfigEntry> machine_entries(const StudyResults& results, const std::string& machine);

}  // namespace podsim::workloads
