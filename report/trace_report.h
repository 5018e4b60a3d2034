// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "sw/chakra/execution_trace.h"
#include "sw/chakra/trace_check.h"
#include "sw/chakra/trace_replay.h"

namespace podsim::report {

/// Execution traces that were read, checked and, if they are sound, replayed: `podsim trace check`.
struct TraceReport {
  const sw::chakra::ExecutionTrace* trace = nullptr;
  std::string folder, slice, machine;
  std::vector<sw::chakra::Finding> findings;
  std::optional<sw::chakra::Replay> replay;
  std::vector<std::string> faults;    ///< of the slice, as flags say them
  std::optional<base::Time> healthy;  ///< duration of the replay without them
  std::vector<std::string> warnings;
  double wall_s = 0;

  /// The step time that the run recorded in the trace; std::nullopt if there is none.
  std::optional<base::Time> recorded() const;
  std::int64_t nodes() const;
  std::int64_t nodes(sw::chakra::NodeType type) const;
};

std::string trace_text(const TraceReport& report);
std::string trace_json(const TraceReport& report);

}  // namespace podsim::report
