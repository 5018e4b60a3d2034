// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// Published watts of TPU v3 and v2, with the steps that stand for what drew them: `podsim validate power`.
namespace podsim::validation::power {

/// What a figure is of: a chip that does nothing, of several programs the one that draws least, their mean and the one
/// that draws most, or a program at a published rate.
enum class PowerOf { nothing, least, mean, most, rate };
std::string to_string(PowerOf figure);

struct PublishedPower {
  PowerOf figure = PowerOf::nothing;
  std::string machine;     ///< "tpu-v3"
  double watts = 0;        ///< of a chip
  bool with_host = false;  ///< with its share of hosts, fans and network
  double tflops = 0;       ///< of a chip; of a rate
  std::string source;
  /// Arguments of podsim for each program; of nothing one whose step is not looked at.
  std::vector<std::vector<std::string>> commands = {};
};

std::vector<PublishedPower> published_power();

}  // namespace podsim::validation::power
