// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace podsim::workloads::serving {

/// To which experts tokens go: each to two different ones, as in GShard, the second drawn from those that are left. The
/// expert of rank r is drawn with a probability in proportion to r^-skew (Zipf's law); 0: all alike.
struct ExpertLaw {
  std::int64_t experts = 0;
  double skew = 0;
  std::uint64_t seed = 1;
};

/// The tokens of the expert that gets most of so many, at least 1: the mean over 64 draws, rounded up.
std::int64_t tokens_of_busiest(const ExpertLaw& law, std::int64_t tokens);

}  // namespace podsim::workloads::serving
