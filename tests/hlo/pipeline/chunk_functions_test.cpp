// SPDX-License-Identifier: Apache-2.0
#include "hlo/pipeline/chunk_functions.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace podsim::hlo::pipeline {
namespace {

/// softmax(x w) v with the sum of its squares as loss, whose gradients read the softmax and the product behind it.
struct Softmax {
  Softmax() {
    const InstructionId w = b.parameter(make_shape(ElementType::f32, {3, 4}), "w");
    const InstructionId v = b.parameter(make_shape(ElementType::f32, {4, 2}), "v");
    const InstructionId x = b.parameter(make_shape(ElementType::f32, {8, 3}), "x");
    scores = b.dot(x, w, {{}, {}, {1}, {0}});
    const InstructionId shifted = b.subtract(scores, b.broadcast(b.reduce_max(scores, {1}), {8, 4}, {0}));
    const InstructionId powers = b.exponential(shifted);
    const InstructionId shares = b.divide(powers, b.broadcast(b.reduce_add(powers, {1}), {8, 4}, {0}));
    result = b.dot(shares, v, {{}, {}, {1}, {0}});
    loss = b.reduce_add(b.multiply(result, result), {0, 1});
    weights = {w, v};
  }
  Chunk chunk(Kept kept) const { return chunks_of({b, loss, weights, {}, {}}, {{scores}}, kept).front(); }

  build::GraphBuilder b{"softmax"};
  InstructionId scores = -1, result = -1, loss = -1;
  std::vector<InstructionId> weights;
};

/// The values of the size of a batch of `columns` that a function returns.
std::vector<InstructionId> arrays_of(const Chunk& chunk, const ChunkFunction& function, std::int64_t columns) {
  std::vector<InstructionId> arrays;
  std::ranges::copy_if(function.results, std::back_inserter(arrays), [&](InstructionId id) {
    return chunk.graph.shape(id).dimensions == std::vector<std::int64_t>{8, columns};
  });
  return arrays;
}

// Differences, powers and shares follow from the scores, the maxima and the sums.
TEST(ChunkFunctions, ASoftmaxKeepsItsScores) {
  const Softmax softmax;
  const Chunk chunk = softmax.chunk(Kept::activations);
  EXPECT_EQ(arrays_of(chunk, chunk.forward, 4), std::vector{softmax.scores});
  EXPECT_EQ(arrays_of(chunk, chunk.forward, 2), std::vector{softmax.result});
  EXPECT_TRUE(chunk.again.results.empty());
}

TEST(ChunkFunctions, WhatIsComputedAgainNeedsNoGradient) {
  const Softmax softmax;
  const Chunk chunk = softmax.chunk(Kept::received);
  EXPECT_EQ(chunk.forward.results, std::vector{softmax.loss});
  EXPECT_EQ(arrays_of(chunk, chunk.again, 4), std::vector{softmax.scores});
  for (const InstructionId id : chunk.again.reads) EXPECT_EQ(chunk.graph[id].opcode, Opcode::parameter);
  for (const InstructionId id : chunk.again.results) {
    const std::vector<InstructionId>& reads = chunk.backward_behind_again.whole.reads;
    EXPECT_NE(std::ranges::find(reads, id), reads.end());
  }
}

}  // namespace
}  // namespace podsim::hlo::pipeline
