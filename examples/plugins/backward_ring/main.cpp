// SPDX-License-Identifier: Apache-2.0
// The program podsim with one more algorithm of collectives: rings of one direction, against the numbering of the
// chips.
#include <algorithm>
#include <memory>

#include "app/program.h"
#include "sw/collectives/custom_algorithm.h"
#include "sw/collectives/patterns/pattern.h"

namespace {

namespace collectives = podsim::sw::collectives;
using collectives::ElementRange;
using collectives::Segment;
using collectives::patterns::LinkCosts;

/// Whole chunks, one message a step, in negative direction: n - 1 steps around n positions.
class BackwardRing : public collectives::patterns::Pattern {
 public:
  BackwardRing(const Traits& traits, const collectives::LogicalDimension& along, std::int64_t chunk)
      : Pattern(traits, along, chunk) {
    cuts_[1] = {chunk, 1};
  }
  std::int32_t origins(std::int32_t) const override { return 1; }
  /// Every link of the ring has a chunk of each stripe in every step, and a step begins when the last one has arrived.
  podsim::base::Duration modelled_time(const LinkCosts& costs, int stripes) const override {
    const double wire = costs.bytes(chunk()) * stripes * std::max(1, along().stride) / costs.rate.si();
    return podsim::base::Duration((positions() - 1) * (wire + latency(costs, costs.bytes(chunk()))));
  }

 protected:
  ElementRange chunk_of(std::int32_t owner) const { return {around(owner) * chunk(), chunk()}; }
};

/// A chunk starts behind its owner and visits all positions, which add to it; `distance` is the steps that are left.
class BackwardReduceScatter final : public BackwardRing {
 public:
  BackwardReduceScatter(const collectives::LogicalDimension& along, std::int64_t chunk)
      : BackwardRing({.name = "reduce-scatter", .shape = "backward ring", .reduces = true, .uniform = true}, along,
                     chunk) {}
  Segment origin(std::int32_t, std::int32_t) const override { return {.direction = -1, .distance = positions() - 2}; }
  std::optional<Segment> onward(const Segment& segment, std::int32_t) const override {
    Segment next = segment;
    return next.distance-- == 0 ? std::nullopt : std::optional(next);
  }
  bool ends_here(const Segment& segment, std::int32_t) const override { return segment.distance == 0; }
  std::int64_t completions(std::int32_t) const override { return 1; }
  ElementRange range(const Segment& segment, std::int32_t position) const override {
    return chunk_of(position - segment.distance);
  }
};

/// A chunk starts at its owner, and all other positions keep a copy; `distance` is the steps from the owner.
class BackwardAllGather final : public BackwardRing {
 public:
  BackwardAllGather(const collectives::LogicalDimension& along, std::int64_t chunk)
      : BackwardRing({.name = "all-gather", .shape = "backward ring", .uniform = true}, along, chunk) {}
  Segment origin(std::int32_t, std::int32_t) const override { return {.direction = -1, .distance = 1}; }
  std::optional<Segment> onward(const Segment& segment, std::int32_t) const override {
    Segment next = segment;
    return ++next.distance == positions() ? std::nullopt : std::optional(next);
  }
  std::int64_t completions(std::int32_t) const override { return positions() - 1; }
  ElementRange range(const Segment& segment, std::int32_t position) const override {
    return chunk_of(position + segment.distance);
  }
};

class BackwardRings final : public collectives::CustomAlgorithm {
 public:
  std::string_view name() const override { return "backward-ring"; }
  bool does(collectives::CollectiveKind kind) const override {
    return kind == collectives::CollectiveKind::all_reduce || kind == collectives::CollectiveKind::reduce_scatter ||
           kind == collectives::CollectiveKind::all_gather;
  }
  bool uses_all_cores() const override { return false; }
  std::shared_ptr<const collectives::patterns::Pattern> reduce_scatter(
      const collectives::LogicalDimension& along, std::int64_t chunk,
      const collectives::SegmentLengths&) const override {
    return std::make_shared<BackwardReduceScatter>(along, chunk);
  }
  std::shared_ptr<const collectives::patterns::Pattern> all_gather(const collectives::LogicalDimension& along,
                                                                   std::int64_t chunk,
                                                                   const collectives::SegmentLengths&) const override {
    return std::make_shared<BackwardAllGather>(along, chunk);
  }
};

}  // namespace

int main(int argc, char** argv) {
  collectives::register_algorithm(std::make_shared<BackwardRings>());
  return podsim::app::run_program(argc, argv);
}
