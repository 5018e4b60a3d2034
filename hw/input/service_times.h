// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

#include "base/units.h"
#include "hw/input/stage.h"

namespace podsim::hw::input {

/// The times that a stage needs for one batch after another:
///
///   mean * (1 - spread + spread * E),   E exponential with mean 1
///
/// so that a spread of 0 gives constant times and a spread of 1 exponential ones; the coefficient of variation is the
/// spread. The numbers depend on the seed, the host and the position of the stage alone, and are the same with every
/// standard library.
class ServiceTimes {
 public:
  ServiceTimes(const Stage& stage, std::uint64_t seed, std::int64_t host, std::size_t position);
  base::Time next();

 private:
  base::Duration mean_;
  double spread_;
  std::mt19937_64 engine_;
};

}  // namespace podsim::hw::input
