// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "sw/collectives/algorithm.h"
#include "sw/collectives/patterns/exchange.h"

/// The patterns that an algorithm uses for the phases of a group. This is the only place that decides between patterns;
/// a new one has its line here.
namespace podsim::sw::collectives::patterns {

class PatternFactory {
 public:
  /// `stripes_per_link`: stripes that use the same links in the same direction at the same time. Two segments of a link
  /// at a time keep it busy while one of them is seen and summed; several stripes bring one each.
  PatternFactory(Algorithm algorithm, const SegmentLengths& lengths, int stripes_per_link)
      : algorithm_(algorithm), lengths_(lengths), stripes_per_link_(stripes_per_link) {}

  /// Chunks of `chunk` elements, one for each position.
  std::unique_ptr<const Pattern> reduce_scatter(const LogicalDimension& along, std::int64_t chunk) const;
  std::unique_ptr<const Pattern> all_gather(const LogicalDimension& along, std::int64_t chunk) const;
  std::unique_ptr<const Exchange> exchange(const LogicalDimension& along, std::int64_t chunk, std::int32_t parts) const;
  std::unique_ptr<const Pattern> broadcast(const LogicalDimension& along, std::int64_t payload) const;
  /// For these two the algorithm and the number of stripes make no difference.
  std::unique_ptr<const Pattern> direct(const std::vector<LogicalDimension>& dimensions, int cores,
                                        std::int64_t block) const;
  std::unique_ptr<const Pattern> permute(std::int64_t elements) const;

 private:
  /// Rings where a dimension is closed and for groups that are not a box of chips, lines where it is open, unless the
  /// algorithm says otherwise.
  bool on_line(const LogicalDimension& along) const;
  int directions() const { return algorithm_ == Algorithm::one_way_ring ? 1 : 2; }
  template <class OnRing, class OnLine>
  std::unique_ptr<const Pattern> scattered(const LogicalDimension& along, std::int64_t chunk) const;

  Algorithm algorithm_;
  SegmentLengths lengths_;
  int stripes_per_link_;
};

}  // namespace podsim::sw::collectives::patterns
