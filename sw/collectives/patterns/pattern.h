// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"
#include "sw/collectives/group_layout.h"
#include "sw/collectives/segment.h"

/// Patterns of communication among the members of a group during one phase, one class each, without data and without
/// simulated time. The factory (pattern_factory.h) makes the pattern that an algorithm uses; no other code depends on
/// which pattern that is.
namespace podsim::sw::collectives::patterns {

/// Rates and latencies that messages of a group see on an idle slice.
struct LinkCosts {
  base::Bandwidth rate;        ///< payload rate of a link; an equal part of it where several groups share the link
  base::Duration hop_latency;  ///< of one link and the router after it
  base::Duration dma_latency;  ///< remote DMA: from its last byte to the next message that depends on it
  base::Bandwidth hbm_rate;    ///< at which a core reads what it adds
  std::int64_t element_bytes = 1;
  int cores = 1;  ///< of each chip in the group

  double bytes(std::int64_t elements) const { return double(elements * element_bytes); }
};

/// The pattern of one stripe's phase over n positions, which are numbered 0 to n - 1 along a dimension of the group's
/// grid. A phase works on payload() elements, of which a chunk belongs to each position. Every member runs the same
/// pattern and differs by its position only.
///
/// Members without `position` hold for all positions. A segment passed to a function is as it arrives at `position`;
/// its stripe and phase are kept as they are.
class Pattern {
 public:
  struct Traits {
    std::string_view name;      ///< of the phase: "reduce-scatter"
    std::string_view shape;     ///< for reports: "ring"
    bool reduces = false;       ///< segments are partial sums; forwarded when the receiver has added its contribution
    bool passes_first = false;  ///< a position sends segments that pass it before those that start there
    bool to_neighbours = true;  ///< messages go to the next position only; otherwise to any member
    bool uniform = false;       ///< every position does the same, so that positions may be folded
  };

  Pattern(const Traits& traits, const LogicalDimension& along, std::int64_t chunk)
      : traits_(traits), along_(along), chunk_(chunk) {}
  virtual ~Pattern() = default;

  std::string_view name() const { return traits_.name; }
  std::string_view shape() const { return traits_.shape; }
  bool reduces() const { return traits_.reduces; }
  bool passes_first() const { return traits_.passes_first; }
  bool to_neighbours() const { return traits_.to_neighbours; }
  bool uniform() const { return traits_.uniform; }

  std::int32_t positions() const { return along_.size; }
  /// Elements of one position's chunk.
  std::int64_t chunk() const { return chunk_; }
  /// Elements of a stripe that the phase works on.
  virtual std::int64_t payload() const { return chunk_ * along_.size; }
  /// Segments of each flow in a direction; 0 where nothing flows.
  std::int32_t segments(int direction) const { return cut(direction).segments; }

  /// The number of flows that start at a position.
  virtual std::int32_t origins(std::int32_t position) const = 0;
  /// Segment 0 of the i-th of them, in the order of sending, as the next position receives it.
  virtual Segment origin(std::int32_t position, std::int32_t i) const = 0;
  /// The segment as the next position receives it; nothing where the flow ends.
  virtual std::optional<Segment> onward(const Segment& segment, std::int32_t position) const = 0;
  /// The position that receives a segment sent from `position`.
  std::int32_t next(const Segment& segment, std::int32_t position) const {
    return around(position + segment.direction);
  }
  /// Whether the segment, or a chunk of it, is finished at this position: a partial sum at the owner of its chunk, all
  /// other data everywhere.
  virtual bool ends_here(const Segment&, std::int32_t) const { return true; }
  /// Segments that end at a position in the whole phase.
  virtual std::int64_t completions(std::int32_t position) const = 0;

  /// The elements of the payload that a segment brings to a position. Where blocks change position, these are the
  /// elements at the receiver (see exchange.h, direct.h); otherwise sender and receiver have them at the same position.
  virtual ElementRange range(const Segment& segment, std::int32_t position) const = 0;
  /// The length of the message, in elements.
  virtual std::int64_t elements(const Segment& segment, std::int32_t position) const {
    return range(segment, position).count;
  }
  /// Elements that the receiving core writes to its HBM where the segment ends.
  virtual std::int64_t kept(const Segment& segment, std::int32_t position) const { return elements(segment, position); }
  /// Elements that every other core of the chip receives in addition.
  virtual std::int64_t handed_over(const Segment&) const { return 0; }
  /// Elements of a partial sum to which the receiver adds its own contribution.
  virtual std::int64_t contributed(const Segment& segment, std::int32_t position) const {
    return elements(segment, position);
  }

  /// The ring step that the segment is in, from 1; nothing where flows of several steps travel at once.
  virtual std::optional<std::int32_t> step(const Segment&) const { return std::nullopt; }
  /// Time of the phase on an idle slice, with `stripes` stripes on the same links.
  virtual base::Duration modelled_time(const LinkCosts& costs, int stripes) const = 0;

 protected:
  const LogicalDimension& along() const { return along_; }
  /// A position counted around the dimension.
  std::int32_t around(std::int32_t position) const { return (position % along_.size + along_.size) % along_.size; }
  /// From the last byte of a message to the next one that depends on it: the remote DMA and, for partial sums, the time
  /// to read the receiver's contribution from HBM.
  double latency(const LinkCosts& costs, double message_bytes) const;

  const Cut& cut(int direction) const { return cuts_[direction < 0]; }

  std::array<Cut, 2> cuts_{};  ///< of a flow in positive and in negative direction

 private:
  Traits traits_;
  LogicalDimension along_;
  std::int64_t chunk_;
};

}  // namespace podsim::sw::collectives::patterns
