// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "sw/collectives/custom_algorithm.h"
#include "sw/collectives/patterns/exchange.h"

/// The patterns that an algorithm uses for the phases of a group. Only this class decides between podsim's
/// patterns; a new one has its line here. A registered algorithm decides for itself where it wants another one.
namespace podsim::sw::collectives::patterns {

class PatternFactory {
 public:
  /// `stripes_per_link`: stripes that use the same links in the same direction at the same time. Two segments of a link
  /// at a time keep it busy while one of them is seen and summed; several stripes bring one each.
  PatternFactory(Algorithm algorithm, const SegmentLengths& lengths, int stripes_per_link)
      : algorithm_(algorithm), custom_(custom(algorithm)), lengths_(lengths), stripes_per_link_(stripes_per_link) {}

  /// Chunks of `chunk` elements, one for each position. SimulationError if the pattern of a registered algorithm sends
  /// to others than neighbours.
  std::shared_ptr<const Pattern> reduce_scatter(const LogicalDimension& along, std::int64_t chunk) const;
  std::shared_ptr<const Pattern> all_gather(const LogicalDimension& along, std::int64_t chunk) const;
  std::shared_ptr<const Exchange> exchange(const LogicalDimension& along, std::int64_t chunk, std::int32_t parts) const;
  std::shared_ptr<const Pattern> broadcast(const LogicalDimension& along, std::int64_t payload) const;
  /// For these two the algorithm and the number of stripes make no difference.
  std::shared_ptr<const Pattern> direct(const std::vector<LogicalDimension>& dimensions, int cores,
                                        std::int64_t block) const;
  std::shared_ptr<const Pattern> permute(std::int64_t elements) const;

 private:
  /// Rings where a dimension is closed and for groups that are not a box of chips, lines where it is open, unless the
  /// algorithm says otherwise.
  bool on_line(const LogicalDimension& along) const;
  int directions() const { return algorithm_ == Algorithm::one_way_ring ? 1 : 2; }
  template <class OnRing, class OnLine>
  std::shared_ptr<const Pattern> scattered(const LogicalDimension& along, std::int64_t chunk) const;

  Algorithm algorithm_;
  std::shared_ptr<const CustomAlgorithm> custom_;  ///< nullptr for an algorithm of podsim
  SegmentLengths lengths_;
  int stripes_per_link_;
};

}  // namespace podsim::sw::collectives::patterns
