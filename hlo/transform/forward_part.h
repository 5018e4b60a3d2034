// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hlo/graph.h"

namespace podsim::hlo::transform {

/// What a step has an entry parameter for.
enum class ArgumentKind {
  parameter,  ///< of the network: the forward part reads it
  slot,       ///< of the optimiser: replaced in every step, and the forward part does not read it
  cache,      ///< what a step of a decoder replaces
  input,      ///< the batch, scalars such as the learning rate, and what nothing tells from them
};

/// The outputs of a step that replace no parameter, such as the loss; none if every output replaces one, or none does,
/// so that nothing tells the loss from the weights.
std::vector<InstructionId> forward_results(const Module& step, std::span<const Donation> donations);

/// By entry parameter, its kind. `results` are those of the forward part; `frozen` has the numbers of the network's
/// parameters that no output replaces.
std::vector<ArgumentKind> argument_kinds(const Module& step, std::span<const Donation> donations,
                                         std::span<const InstructionId> results, std::span<const std::int64_t> frozen);

/// Drops the entry parameters that neither the root nor an instruction with effects needs; instructions that read them
/// for nothing have to be gone (loop_state.h), or go next. Parameters with numbers in `kept` stay. Returns the numbers
/// of those that are left.
std::vector<std::int64_t> drop_unread_parameters(Computation& entry, std::span<const std::int64_t> kept = {});

/// A part of a step.
struct ForwardPart {
  Module module;                         ///< its results are those that were asked for
  std::vector<std::int64_t> parameters;  ///< of each entry parameter, its number in the step
};

/// The part of a step that computes some values of its entry. What they do not need is gone: gradients, updates and
/// their collectives, entry parameters that are not read, and what loops keep for their gradients. Instructions with
/// effects, such as infeeds, stay.
ForwardPart forward_part(Module step, std::span<const InstructionId> results);

}  // namespace podsim::hlo::transform
