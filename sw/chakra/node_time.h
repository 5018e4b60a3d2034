// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "sw/chakra/execution_trace.h"
#include "sw/target_machine.h"

namespace podsim::sw::chakra {

/// Longest time of a node and of a replay: 46 days, so that sums of two stay within 64 bits of picoseconds.
inline constexpr base::Time longest_time{4'000'000'000'000'000'000};

/// Whether a trace says how long a node takes. A trace of the schema cannot tell a duration of 0 us from none.
bool has_duration(const Node& node);

/// Whether a node's time follows from its work: it computes or moves data, has no duration, and has num_ops or
/// tensor_size.
bool is_timed_by_work(const Node& node);

/// How long a node runs that does not communicate: its duration or, timed by its work, the larger of num_ops at the
/// peak FLOP/s of a core and tensor_size at the rate of its HBM; at most longest_time. Without either it is zero.
base::Time time_of(const Node& node, const TargetMachine& machine);

}  // namespace podsim::sw::chakra
