// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "noc/router/load_run.h"
#include "sw/report/link_report.h"

/// What `podsim network` prints: latency and accepted load by offered load.
namespace podsim::sw {

struct NetworkReport {
  noc::LoadParameters parameters;
  int channel_cycles = 2;
  std::vector<std::string> faults;
  std::vector<noc::LoadPoint> points;
  bool swept = false;
  double saturation = 0;  ///< of a sweep; 0: none found
  double wall_s = 0;
  double cpu_s = 0;  ///< of this program, user time

  std::int64_t flit_hops() const;
};

std::string network_text(const NetworkReport& report);
std::string network_json(const NetworkReport& report);
/// Of one point.
std::vector<LinkFigures> link_figures(const NetworkReport& report, const noc::LoadPoint& point);

}  // namespace podsim::sw
