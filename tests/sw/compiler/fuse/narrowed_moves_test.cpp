// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/narrowed_moves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::sw::compiler::fuse {
namespace {

using hlo::ElementType;
using hlo::InstructionId;

/// Bytes of the results of all reshapes, transposes and slices after the pass, which must not change a bit.
std::int64_t moved_bytes(const hlo::Module& module) {
  hlo::Module after = module;
  narrow_before_moves(after.computations[std::size_t(after.entry)]);
  hlo::build::verify(after);
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = module.entry_computation();
  for (const InstructionId parameter : entry.parameters) {
    arguments.push_back(hlo::testing::random_literal(entry[parameter].shape, unsigned(arguments.size()) + 1));
  }
  EXPECT_TRUE(hlo::same_values(hlo::eval::evaluate(module, arguments), hlo::eval::evaluate(after, arguments)));
  std::int64_t bytes = 0;
  for (const hlo::Instruction& i : after.entry_computation().instructions) {
    const bool moves =
        i.opcode == hlo::Opcode::reshape || i.opcode == hlo::Opcode::transpose || i.opcode == hlo::Opcode::slice;
    if (moves) bytes += hlo::logical_bytes(i.shape).value();
  }
  return bytes;
}

InstructionId array(hlo::build::GraphBuilder& b) {
  return b.tanh(b.parameter(hlo::make_shape(ElementType::f32, {6, 4}), "x"));
}

TEST(NarrowedMoves, AConversionPassesAChainOfMoves) {
  hlo::build::GraphBuilder b("chain");
  const InstructionId moved = b.transpose(b.reshape(array(b), {2, 3, 4}), {2, 0, 1});
  EXPECT_EQ(moved_bytes(std::move(b).build(b.convert(moved, ElementType::bf16))), 2 * 24 * 2);
}

TEST(NarrowedMoves, WhatOthersReadWideIsMovedWide) {
  hlo::build::GraphBuilder b("wide");
  const InstructionId moved = b.reshape(array(b), {24});
  EXPECT_EQ(moved_bytes(std::move(b).build(b.tuple({moved, b.convert(moved, ElementType::bf16)}))), 24 * 4);
}

TEST(NarrowedMoves, AConversionThatWidensStaysBehindTheMove) {
  hlo::build::GraphBuilder b("widening");
  const InstructionId narrow = b.convert(array(b), ElementType::bf16);
  EXPECT_EQ(moved_bytes(std::move(b).build(b.convert(b.reshape(narrow, {24}), ElementType::f32))), 24 * 2);
}

/// Two slices of an array, of which the second is narrowed behind a reshape or not at all.
hlo::Module slices(bool all) {
  hlo::build::GraphBuilder b("slices");
  const InstructionId x = array(b);
  const InstructionId first = b.convert(b.slice(x, {{0, 2}, {0, 4}}), ElementType::bf16);
  const InstructionId second = b.reshape(b.slice(x, {{2, 6}, {0, 4}}), {16});
  return std::move(b).build(b.tuple({first, all ? b.convert(second, ElementType::bf16) : second}));
}

TEST(NarrowedMoves, SlicesAreOfTheNarrowArrayIfAllAreNarrowed) {
  EXPECT_EQ(moved_bytes(slices(true)), (8 + 16 + 16) * 2);
  EXPECT_EQ(moved_bytes(slices(false)), (8 + 16 + 16) * 4);
}

TEST(NarrowedMoves, FewRowsOfAnArrayAreReadWide) {
  hlo::build::GraphBuilder b("rows");
  const InstructionId rows = b.slice(array(b), {{0, 2}, {0, 4}});
  EXPECT_EQ(moved_bytes(std::move(b).build(b.convert(rows, ElementType::bf16))), 8 * 4);
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
