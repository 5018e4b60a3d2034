// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "workloads/goodput/nanoseconds.h"

namespace podsim::workloads::goodput {

enum class Cause { chip, hbm, hbm_worn, host, software, maintenance, cable, optics, silent };

inline constexpr std::array all_causes{Cause::chip,        Cause::hbm,   Cause::hbm_worn, Cause::host,  Cause::software,
                                       Cause::maintenance, Cause::cable, Cause::optics,   Cause::silent};

/// "chip", "HBM, uncorrected", ...
std::string_view to_string(Cause cause);

/// Parts of one kind, which fail independently of each other.
struct FaultSource {
  Cause cause = Cause::chip;
  std::int64_t units = 0;
  double per_day = 0;  ///< failures of a unit
  double shape = 1;    ///< of Weibull's law
};

/// A part fails.
struct FaultEvent {
  Nanoseconds time;
  Cause cause = Cause::chip;
  std::int64_t unit = 0;
  double draw = 0;  ///< between 0 and 1, for what else is random of it: its repair, or the check that finds it
};

/// All failures before `horizon`, in the order of time, then of the sources. Every source has random numbers of its
/// own, so that a change of one leaves the failures of the others. A part is as good as new behind a failure. Parts
/// fail whether or not a job runs on them.
std::vector<FaultEvent> fault_events(std::span<const FaultSource> sources, Nanoseconds horizon, std::uint64_t seed);

}  // namespace podsim::workloads::goodput
