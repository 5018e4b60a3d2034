// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/transform/gradient/given_gradient.h"

namespace podsim::hlo::transform::gradient {

/// What a sweep takes as given.
struct SweepOptions {
  std::span<const InstructionId> held = {};   ///< values that count as constants
  std::span<const GivenGradient> given = {};  ///< rules that replace those of the operations
  bool stops_at_sources = false;              ///< does not go on to what the sources are made from
};

/// The reverse sweep over the instructions of a builder up to `last`, from gradients that are seeded to those of the
/// sources. The gradient of a value has one part for each of its leaves (Backward).
class ReverseSweep {
 public:
  ReverseSweep(build::GraphBuilder& builder, std::span<const InstructionId> sources, InstructionId last,
               const SweepOptions& options = {});

  /// Sets the gradient of a leaf before the sweep.
  void seed(InstructionId id, std::size_t leaf, InstructionId gradient);
  void run();
  /// -1 if no seed depends on it.
  InstructionId gradient(InstructionId id, std::size_t leaf = 0) const;

  bool wants(InstructionId id) const { return id <= last_ && wanted_[std::size_t(id)]; }
  void contribute(InstructionId to, std::size_t leaf, InstructionId gradient);

 private:
  void visit(InstructionId id);
  void apply_rule(InstructionId id);
  bool is_smooth_distance(InstructionId id);

  build::GraphBuilder& builder_;
  InstructionId last_;
  std::vector<std::vector<InstructionId>> gradients_;  ///< [id][leaf]; no leaves if there is none yet
  std::vector<bool> wanted_, stops_;
  std::map<InstructionId, const GivenGradient*> given_;
  /// Ascending (log_add_exp.h). They are searched for once the sweep meets an absolute value.
  std::optional<std::vector<InstructionId>> smooth_distances_;
};

}  // namespace podsim::hlo::transform::gradient
