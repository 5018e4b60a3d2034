// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/serving/serving_report.h"

namespace podsim::report::serving {

/// A page of one file (report/html/html_page.h): figures, distributions of the times of requests, lanes of replicas,
/// queue and cache over time, programs of the steps. `command_line` says how to run it again.
std::string serving_page(const ServingReport& report, const std::string& command_line);

}  // namespace podsim::report::serving
