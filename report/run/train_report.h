// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/run/run_report.h"

/// What `podsim train` prints of a report with `training`.
namespace podsim::report::run {

std::string train_text(const RunReport& report);
/// One JSON object.
std::string train_json(const RunReport& report);
/// The keys of that object that a run's figures do not have.
void add_training(nlohmann::ordered_json& json, const RunReport& report);

}  // namespace podsim::report::run
