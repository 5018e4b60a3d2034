// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "noc/router/load_run.h"
#include "report/link_report.h"

/// The output of `podsim network`: latency and accepted load by offered load.
namespace podsim::report {

struct NetworkReport {
  noc::router::LoadParameters parameters;
  int channel_cycles = 2;
  std::vector<std::string> faults;
  std::vector<noc::router::LoadPoint> points;
  bool swept = false;
  double saturation = 0;  ///< saturation load of a sweep; 0 if none was found
  double wall_s = 0;
  double cpu_s = 0;  ///< user time of this program

  std::int64_t flit_hops() const;
};

std::string network_text(const NetworkReport& report);
std::string network_json(const NetworkReport& report);
/// The figures of all links at one point.
std::vector<LinkFigures> link_figures(const NetworkReport& report, const noc::router::LoadPoint& point);

}  // namespace podsim::report
