// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "noc/topology.h"
#include "sw/collectives/schedule/collective_schedule.h"
#include "sw/target_machine.h"

namespace podsim::sw::plans {

/// The time of a collective over groups of n cores, as a line: `latency_s` + bytes * `s_per_byte`.
struct CollectiveLine {
  double latency_s = 0;
  double s_per_byte = 0;
};

/// An axis of a mesh whose partition p runs on core p: `size` cores at distances of `stride`.
struct PlacedAxis {
  std::int64_t size = 1, stride = 1;
  auto operator<=>(const PlacedAxis&) const = default;
};

/// The times of collectives along axes, each collective alone, by formula (placement_search.h).
class AxisCosts {
 public:
  /// `machine` outlives this.
  AxisCosts(const TargetMachine& machine, noc::Topology slice) : machine_(machine), slice_(std::move(slice)) {}

  /// Bytes are a collective's payload (sw/compiler/collective_op.h). Kept once it is found.
  const CollectiveLine& line(collectives::CollectiveKind kind, const PlacedAxis& axis);

  std::int64_t cores() const { return slice_.nodes() * machine_.cores_per_chip; }
  const TargetMachine& machine() const { return machine_; }

 private:
  double seconds(collectives::CollectiveKind kind, const PlacedAxis& axis, std::int64_t bytes) const;

  const TargetMachine& machine_;
  noc::Topology slice_;
  std::map<std::pair<collectives::CollectiveKind, PlacedAxis>, CollectiveLine> lines_;
};

/// The axes of a mesh in every order in which they can be placed: by order, then by axis.
std::vector<std::vector<PlacedAxis>> placed_axes(const std::vector<std::int64_t>& sizes);

}  // namespace podsim::sw::plans
