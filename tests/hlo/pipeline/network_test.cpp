// SPDX-License-Identifier: Apache-2.0
#include "hlo/pipeline/network.h"

#include <gtest/gtest.h>

namespace podsim::hlo::pipeline {
namespace {

// A mask of the inputs is computed wherever it is read, a product of inputs only once; a narrow weight where it is
// read.
TEST(Network, ValuesAreComputedByWhatTheyDependOn) {
  build::GraphBuilder b("network");
  const Shape square = make_shape(ElementType::f32, {4, 4});
  const InstructionId weight = b.parameter(square, "weight"), input = b.parameter(square, "input");
  const InstructionId narrow = b.convert(weight, ElementType::bf16);
  const InstructionId mask = b.compare(input, b.full_like(input, 0), ComparisonDirection::gt);
  const InstructionId product = b.dot(input, input, {{}, {}, {1}, {0}});
  const InstructionId masked = b.select(mask, b.convert(narrow, ElementType::f32), product);
  const InstructionId unused = b.negate(masked);
  const InstructionId loss = b.reduce_add(masked, {0, 1});
  const Origins origins = find_origins({b, loss, {weight}, {}, {}});
  const auto of = [&](InstructionId id) { return origins.of[std::size_t(id)]; };
  EXPECT_EQ(of(narrow), Origin::weights);
  EXPECT_EQ(of(mask), Origin::microbatch);
  EXPECT_EQ(of(product), Origin::activation);
  EXPECT_EQ(of(masked), Origin::activation);
  EXPECT_EQ(of(unused), Origin::unused);
  EXPECT_EQ(origins.activations, (std::vector<InstructionId>{product, masked, loss}));
  EXPECT_FALSE(origins.trained[std::size_t(product)]);
}

TEST(Network, WhatAHostFeedsIsOneChunksAlone) {
  build::GraphBuilder b("network");
  const Shape square = make_shape(ElementType::f32, {4, 4});
  const InstructionId weight = b.parameter(square, "weight"), fed = b.infeed(square);
  const InstructionId product = b.dot(fed, weight, {{}, {}, {1}, {0}});
  const InstructionId loss = b.reduce_add(product, {0, 1});
  const Origins origins = find_origins({b, loss, {weight}, {}, {}});
  EXPECT_EQ(origins.of[std::size_t(fed)], Origin::activation);
  EXPECT_EQ(origins.of[std::size_t(product)], Origin::activation);
}

}  // namespace
}  // namespace podsim::hlo::pipeline
