// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/trace/timeline.h"
#include "report/run/run_report.h"

/// Joules and watts of a step, and mm2 of the chip that takes it (hw/energy).
namespace podsim::report::run {

/// "211.4 W a chip, peak 239.8 W; 403 J a step, 19.7 mJ a sample"; empty for a part of a step.
std::string energy_line(const RunReport& report);

/// "56.1 % drawn always, mxu 21.0 %, hbm 9.3 %": what is drawn whatever the chip does, and events by part.
std::string joules_line(const RunReport& report);

nlohmann::ordered_json energy_json(const RunReport& report);

/// Power of a chip over the last step, and of its parts: the mean watts of each of equal parts of the step, which
/// begin at begin_us. Empty below the header for a part of a step.
std::string power_csv(const RunReport& report);

/// The same as it changes, as counters of a track: of the chip, and of each part that takes a hundredth or more.
void add_power(const RunReport& report, base::trace::Timeline& timeline);

}  // namespace podsim::report::run
