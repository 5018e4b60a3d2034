// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/serving/serving_report.h"

/// The charts of a server's page, as HTML.
namespace podsim::report::serving {

/// A line of a chart over time or of a distribution.
struct ServingCurve {
  std::string name;
  std::vector<double> values;
};

/// The share of requests whose time is at most so long, over the logarithm of the time; one curve for each kind.
/// `values` are seconds in any order. The guides are limits of the level, in seconds.
std::string distribution_chart(const std::vector<ServingCurve>& curves, const std::vector<double>& guides);

/// Numbers over time, `width` seconds for each value.
std::string series_chart(const std::vector<ServingCurve>& curves, double width, const std::string& unit);

/// A lane for each replica: the colour says how full its batch is, and it is empty while the replica is away.
std::string lanes_chart(const ServingReport& report);

}  // namespace podsim::report::serving
