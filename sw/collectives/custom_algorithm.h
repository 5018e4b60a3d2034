// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sw/collectives/algorithm.h"
#include "sw/collectives/group_layout.h"
#include "sw/collectives/segment.h"

namespace podsim::sw::collectives::patterns {
class Pattern;
}

namespace podsim::sw::collectives {

/// An algorithm that a program adds. Like those of podsim it goes dimension by dimension (schedule/group_schedule.h):
/// it decides in which order, and which pattern carries out a phase. Its functions depend on their arguments alone; a
/// schedule calls them once for each shape of a group.
class CustomAlgorithm {
 public:
  virtual ~CustomAlgorithm();

  /// The value of --algorithm.
  virtual std::string_view name() const = 0;
  /// Whether it can do a kind of collective; not asked for pairwise ones (collective-permute).
  virtual bool does(CollectiveKind kind) const = 0;
  /// Whether every core of a chip has stripes of its own; if not, one core works for its chip in an all-reduce.
  virtual bool uses_all_cores() const { return true; }
  /// Orders of the dimensions that stripes follow at the same time, 1 or more.
  virtual int orders(int dimensions) const;
  /// The dimensions in the order in which stripes of one order visit them, each of 0 to dimensions - 1 once: the last
  /// first, unless overridden.
  virtual std::vector<int> dimension_order(int order, int dimensions) const;

  /// The pattern of a phase along a dimension of two positions or more. `chunk` is in elements of one position,
  /// `payload` in those that all end with. nullptr, unless overridden: rings where the dimension is closed, lines where
  /// it is open. Messages go to the next position (Pattern::to_neighbours). The exchanges of an all-to-all are
  /// podsim's.
  virtual std::shared_ptr<const patterns::Pattern> reduce_scatter(const LogicalDimension& along, std::int64_t chunk,
                                                                  const SegmentLengths& lengths) const;
  virtual std::shared_ptr<const patterns::Pattern> all_gather(const LogicalDimension& along, std::int64_t chunk,
                                                              const SegmentLengths& lengths) const;
  virtual std::shared_ptr<const patterns::Pattern> broadcast(const LogicalDimension& along, std::int64_t payload,
                                                             const SegmentLengths& lengths) const;
};

/// Makes an algorithm known to --algorithm of all commands, to studies and to the choice of the fastest one. To be
/// called before the program runs. Throws std::invalid_argument for a name that is taken or is not a word
/// (base/registry.h).
void register_algorithm(std::shared_ptr<const CustomAlgorithm> algorithm);

/// The object of a registered algorithm; nullptr for those of podsim.
std::shared_ptr<const CustomAlgorithm> custom(Algorithm algorithm);

}  // namespace podsim::sw::collectives
