// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hw/tile_pipeline.h"
#include "sw/compiler/op_work.h"
#include "sw/compiler/tile_maker.h"
#include "sw/compiler/tile_search.h"
#include "tests/hw/test_machine.h"

// Lookups in tables and their gradients against what silicon takes (MLPerf v0.7 profiles of DLRM and BERT).
namespace podsim::sw {
namespace {

InstructionId add(Computation& computation, Instruction instruction) {
  instruction.name = "i" + std::to_string(computation.instructions.size());
  const InstructionId id = InstructionId(computation.instructions.size());
  if (instruction.opcode == Opcode::parameter) {
    instruction.index = std::int64_t(computation.parameters.size());
    computation.parameters.push_back(id);
  }
  computation.instructions.push_back(std::move(instruction));
  return id;
}

InstructionId add(Computation& computation, Opcode opcode, Shape shape, std::vector<InstructionId> operands = {}) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.shape = std::move(shape);
  instruction.operands = std::move(operands);
  return add(computation, std::move(instruction));
}

/// A fusion of `body` over its parameters.
Module fusion_of(Computation body) {
  Module module;
  body.root = InstructionId(body.instructions.size()) - 1;
  Computation entry;
  std::vector<InstructionId> operands;
  for (InstructionId id : body.parameters) operands.push_back(add(entry, Opcode::parameter, body[id].shape));
  Instruction fusion;
  fusion.opcode = Opcode::fusion;
  fusion.shape = body[body.root].shape;
  fusion.operands = operands;
  fusion.called = {0};
  entry.root = add(entry, std::move(fusion));
  module.computations = {std::move(body), std::move(entry)};
  module.entry = 1;
  return module;
}

/// result[i, :] = table[indices[i], :], in the result's type.
Module lookup(Shape table, std::int64_t count, ElementType result) {
  Computation body;
  const std::int64_t columns = table.dimensions[1];
  const ElementType type = table.element_type;
  InstructionId rows = add(body, Opcode::parameter, std::move(table));
  InstructionId indices = add(body, Opcode::parameter, make_shape(ElementType::s32, {count}));
  Instruction gather;
  gather.opcode = Opcode::gather;
  gather.shape = make_shape(type, {count, columns});
  gather.operands = {rows, indices};
  gather.gather = {.offset = {1},
                   .collapsed = {0},
                   .index_map = {0},
                   .operand_batching = {},
                   .indices_batching = {},
                   .index_vector = 1};
  gather.slice_sizes = {1, columns};
  InstructionId found = add(body, std::move(gather));
  if (result != type) add(body, Opcode::convert, make_shape(result, {count, columns}), {found});
  return fusion_of(std::move(body));
}

enum class Table { zeros, in_place };

/// table[indices[i], :] += updates[i, :].
Module sum_by_index(Shape table, std::int64_t count, Table begins) {
  Computation body;
  const ElementType type = table.element_type;
  InstructionId indices = add(body, Opcode::parameter, make_shape(ElementType::s32, {count}));
  InstructionId updates = add(body, Opcode::parameter, make_shape(type, {count, table.dimensions[1]}));
  InstructionId before;
  if (begins == Table::in_place) {
    before = add(body, Opcode::parameter, table);
  } else {
    before = add(body, Opcode::broadcast, table, {add(body, Opcode::constant, make_shape(type, {}))});
  }
  Instruction scatter;
  scatter.opcode = Opcode::scatter;
  scatter.shape = std::move(table);
  scatter.operands = {before, indices, updates};
  scatter.gather = {.offset = {1},
                    .collapsed = {0},
                    .index_map = {0},
                    .operand_batching = {},
                    .indices_batching = {},
                    .index_vector = 1};
  add(body, std::move(scatter));
  return fusion_of(std::move(body));
}

double microseconds(const Module& module) {
  const hw::Machine machine = hw::tpu_v3();
  const Computation& entry = module.entry_computation();
  const OpWork work = op_work(module, entry, entry.root, machine);
  const hw::TileOp op = make_tiles(work, choose_cuts(work, machine, "op"), machine, "op");
  return double(hw::simulate_op(machine, op).cycles.value()) / machine.clock.si() * 1e6;
}

TEST(GatherCost, LookupsTakeWhatSiliconTakes) {
  const Shape dlrm = make_shape(ElementType::f32, {19656, 128});
  EXPECT_NEAR(microseconds(lookup(dlrm, 1664, ElementType::bf16)), 25.36, 0.1 * 25.36);
  const Shape bert = make_shape(ElementType::bf16, {30522, 1024});
  EXPECT_NEAR(microseconds(lookup(bert, 16384, ElementType::bf16)), 887.8, 0.1 * 887.8);
  const Shape positions = make_shape(ElementType::bf16, {16384, 1024});
  EXPECT_NEAR(microseconds(lookup(positions, 2432, ElementType::bf16)), 135.5, 0.1 * 135.5);
}

TEST(GatherCost, GradientsOfLookupsTakeWhatSiliconTakes) {
  const auto time = [](ElementType type, std::int64_t rows, std::int64_t columns, std::int64_t count, Table begins) {
    return microseconds(sum_by_index(make_shape(type, {rows, columns}), count, begins));
  };
  EXPECT_NEAR(time(ElementType::f32, 19656, 128, 1664, Table::zeros), 75.0, 0.1 * 75.0);
  EXPECT_NEAR(time(ElementType::bf16, 30522, 1024, 16384, Table::in_place), 2804, 0.1 * 2804);
  EXPECT_NEAR(time(ElementType::f32, 16384, 1024, 2432, Table::zeros), 643.5, 0.1 * 643.5);
}

// Many more rows than fit VMEM, in a table that does not.
TEST(GatherCost, MovesTheRowsAndNotTheTable) {
  const hw::Machine machine = hw::tpu_v3();
  const Module module = lookup(make_shape(ElementType::f32, {4'000'000, 128}), 100'000, ElementType::f32);
  const OpWork work = op_work(module, module.entry_computation(), module.entry_computation().root, machine);
  EXPECT_EQ(work.gathered.bytes(), base::Bytes(100'000 * 512));
  hw::OpResult result = hw::simulate_op(machine, make_tiles(work, choose_cuts(work, machine, "op"), machine, "op"));
  EXPECT_GE(result.read_bytes, base::Bytes(100'000 * 512 + 100'000 * 4));
  EXPECT_LT(result.read_bytes, base::Bytes(100'000 * 520));
  EXPECT_GE(result.written_bytes, base::Bytes(100'000 * 512));
}

}  // namespace
}  // namespace podsim::sw
