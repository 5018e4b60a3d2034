// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sw/report/run/run_report.h"

/// What `podsim train` prints of a report with `training`.
namespace podsim::sw::report::run {

std::string train_text(const RunReport& report);
/// One JSON object.
std::string train_json(const RunReport& report);

}  // namespace podsim::sw::report::run
