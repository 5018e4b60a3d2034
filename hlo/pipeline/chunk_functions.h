// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hlo/pipeline/division.h"
#include "hlo/pipeline/network.h"

namespace podsim::hlo::pipeline {

/// What a chunk keeps from its forward computation for its backward one: the activations that gradients read, or only
/// what the chunk received, from which it computes the activations again, as GPipe does (Huang et al. 2019). That needs
/// no gradient, so that a stage can do it before the gradients from the chunk behind arrive (section 2.3 there).
enum class Kept { activations, received };

/// Instructions of a chunk's graph that are computed together: from values that exist already, or are entry parameters,
/// to those that are wanted.
struct ChunkFunction {
  std::vector<InstructionId> reads = {}, results = {};  ///< no value twice
};

/// The backward computation of a chunk, and the two parts of it. `input` also returns what `weight` reads of it.
struct BackwardFunctions {
  ChunkFunction whole = {}, input = {}, weight = {};
};

/// The computations of a chunk: those of the network and the reverse sweep through them, in one graph. All ids are of
/// that graph, in which the network's instructions have the network's ids.
///
/// Values that depend on weights alone and are no larger than the weight are computed once, by `prepare`. Those that
/// are cheap, and copies of other shapes of what is kept, such as broadcasts, are computed wherever they are read. Kept
/// of a value, and of what it follows from element by element without another array of its size, is what has the fewest
/// bytes, the first if several have; so a norm or a softmax keeps its input, and a dropout its mask.
struct Chunk {
  build::GraphBuilder graph;
  std::vector<InstructionId> weights = {};   ///< entry parameters of the network that it reads and trains
  std::vector<InstructionId> received = {};  ///< activations of chunks before, which those behind may read too
  std::vector<InstructionId> sent = {};      ///< activations for the chunks behind; of the last, the loss
  /// Entry parameters: the gradients of some of `sent`. Those of the chunk behind are its `received_gradients`.
  std::vector<InstructionId> sent_with_gradient = {}, gradients_of_sent = {};
  std::vector<InstructionId> received_with_gradient = {}, gradients_of_received = {};
  std::vector<InstructionId> gradients_of_weights = {};  ///< in the order of `weights`
  ChunkFunction prepare = {}, forward = {};
  BackwardFunctions backward = {};  ///< from what the forward computation keeps
  /// The activations that gradients read, from what the forward computation keeps, and the backward computations from
  /// these; empty if all are kept.
  ChunkFunction again = {};
  BackwardFunctions backward_behind_again = {};
};

/// The chunks of a division. Gradients are those of the loss of a micro-batch. Throws transform::NoGradient as
/// transform::gradients() does, and InputError if the network has collectives, which chunks of other cores would never
/// reach.
std::vector<Chunk> chunks_of(const Network& network, const Division& division, Kept kept);

/// Results of a function that are added to sums as soon as they are computed, so that they are not all live at once.
struct Summands {
  std::span<const InstructionId> ids = {};
  /// Appends the sum of result ids[number].
  std::function<InstructionId(std::size_t number, InstructionId value)> add = {};
};

struct AppendedFunction {
  std::vector<InstructionId> results;  ///< in the order of the function's
  std::vector<InstructionId> sums;     ///< in the order of the summands
};

/// Appends the results of a function to another graph, from the values there of what it reads.
AppendedFunction append_function(const build::GraphBuilder& from, const ChunkFunction& function,
                                 build::GraphBuilder& to, std::span<const InstructionId> read,
                                 const Summands& summands = {});

}  // namespace podsim::hlo::pipeline
