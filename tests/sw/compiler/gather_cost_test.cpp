// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hw/timing/tile_pipeline.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/compiler/tiles/tile_maker.h"
#include "sw/compiler/tiles/tile_search.h"
#include "tests/sw/target_machines.h"

// Lookups in tables and their gradients against times on silicon (MLPerf v0.7 profiles of DLRM and BERT).
namespace podsim::sw::compiler {
namespace {

hlo::InstructionId add(hlo::Computation& computation, hlo::Instruction instruction) {
  instruction.name = "i" + std::to_string(computation.instructions.size());
  const hlo::InstructionId id = hlo::InstructionId(computation.instructions.size());
  if (instruction.opcode == hlo::Opcode::parameter) {
    instruction.index = std::int64_t(computation.parameters.size());
    computation.parameters.push_back(id);
  }
  computation.instructions.push_back(std::move(instruction));
  return id;
}

hlo::InstructionId add(hlo::Computation& computation, hlo::Opcode opcode, hlo::Shape shape,
                       std::vector<hlo::InstructionId> operands = {}) {
  hlo::Instruction instruction;
  instruction.opcode = opcode;
  instruction.shape = std::move(shape);
  instruction.operands = std::move(operands);
  return add(computation, std::move(instruction));
}

/// A fusion of `body` over its parameters.
hlo::Module fusion_of(hlo::Computation body) {
  hlo::Module module;
  body.root = hlo::InstructionId(body.instructions.size()) - 1;
  hlo::Computation entry;
  std::vector<hlo::InstructionId> operands;
  for (hlo::InstructionId id : body.parameters) operands.push_back(add(entry, hlo::Opcode::parameter, body[id].shape));
  hlo::Instruction fusion;
  fusion.opcode = hlo::Opcode::fusion;
  fusion.shape = body[body.root].shape;
  fusion.operands = operands;
  fusion.called = {0};
  entry.root = add(entry, std::move(fusion));
  module.computations = {std::move(body), std::move(entry)};
  module.entry = 1;
  return module;
}

/// result[i, :] = table[indices[i], :], in the result's type.
hlo::Module lookup(hlo::Shape table, std::int64_t count, hlo::ElementType result) {
  hlo::Computation body;
  const std::int64_t columns = table.dimensions[1];
  const hlo::ElementType type = table.element_type;
  hlo::InstructionId rows = add(body, hlo::Opcode::parameter, std::move(table));
  hlo::InstructionId indices = add(body, hlo::Opcode::parameter, hlo::make_shape(hlo::ElementType::s32, {count}));
  hlo::Instruction gather;
  gather.opcode = hlo::Opcode::gather;
  gather.shape = hlo::make_shape(type, {count, columns});
  gather.operands = {rows, indices};
  gather.gather = hlo::GatherDimensions{.offset = {1},
                                        .collapsed = {0},
                                        .index_map = {0},
                                        .operand_batching = {},
                                        .indices_batching = {},
                                        .index_vector = 1};
  gather.slice_sizes = {1, columns};
  hlo::InstructionId found = add(body, std::move(gather));
  if (result != type) add(body, hlo::Opcode::convert, hlo::make_shape(result, {count, columns}), {found});
  return fusion_of(std::move(body));
}

enum class Table { zeros, in_place };

/// table[indices[i], :] += updates[i, :].
hlo::Module sum_by_index(hlo::Shape table, std::int64_t count, Table begins) {
  hlo::Computation body;
  const hlo::ElementType type = table.element_type;
  hlo::InstructionId indices = add(body, hlo::Opcode::parameter, hlo::make_shape(hlo::ElementType::s32, {count}));
  hlo::InstructionId updates = add(body, hlo::Opcode::parameter, hlo::make_shape(type, {count, table.dimensions[1]}));
  hlo::InstructionId before;
  if (begins == Table::in_place) {
    before = add(body, hlo::Opcode::parameter, table);
  } else {
    before = add(body, hlo::Opcode::broadcast, table, {add(body, hlo::Opcode::constant, hlo::make_shape(type, {}))});
  }
  hlo::Instruction scatter;
  scatter.opcode = hlo::Opcode::scatter;
  scatter.shape = std::move(table);
  scatter.operands = {before, indices, updates};
  scatter.gather = hlo::GatherDimensions{.offset = {1},
                                         .collapsed = {0},
                                         .index_map = {0},
                                         .operand_batching = {},
                                         .indices_batching = {},
                                         .index_vector = 1};
  add(body, std::move(scatter));
  return fusion_of(std::move(body));
}

double microseconds(const hlo::Module& module) {
  const sw::TargetMachine machine = sw::tpu_v3();
  const hlo::Computation& entry = module.entry_computation();
  const tiles::OpWork work = tiles::op_work(module, entry, entry.root, machine);
  const hw::TileOp op = tiles::make_tiles(work, tiles::choose_tiling(work, machine, "op"), machine, "op");
  return double(hw::timing::simulate_op(machine, op).cycles.value()) / machine.clock.si() * 1e6;
}

TEST(GatherCost, LookupsTakeWhatSiliconTakes) {
  const hlo::Shape dlrm = hlo::make_shape(hlo::ElementType::f32, {19656, 128});
  EXPECT_NEAR(microseconds(lookup(dlrm, 1664, hlo::ElementType::bf16)), 25.36, 0.1 * 25.36);
  const hlo::Shape bert = hlo::make_shape(hlo::ElementType::bf16, {30522, 1024});
  EXPECT_NEAR(microseconds(lookup(bert, 16384, hlo::ElementType::bf16)), 887.8, 0.1 * 887.8);
  const hlo::Shape positions = hlo::make_shape(hlo::ElementType::bf16, {16384, 1024});
  EXPECT_NEAR(microseconds(lookup(positions, 2432, hlo::ElementType::bf16)), 135.5, 0.1 * 135.5);
}

TEST(GatherCost, GradientsOfLookupsTakeWhatSiliconTakes) {
  const auto time = [](hlo::ElementType type, std::int64_t rows, std::int64_t columns, std::int64_t count,
                       Table begins) {
    return microseconds(sum_by_index(hlo::make_shape(type, {rows, columns}), count, begins));
  };
  EXPECT_NEAR(time(hlo::ElementType::f32, 19656, 128, 1664, Table::zeros), 75.0, 0.1 * 75.0);
  EXPECT_NEAR(time(hlo::ElementType::bf16, 30522, 1024, 16384, Table::in_place), 2804, 0.1 * 2804);
  EXPECT_NEAR(time(hlo::ElementType::f32, 16384, 1024, 2432, Table::zeros), 643.5, 0.1 * 643.5);
  EXPECT_NEAR(time(hlo::ElementType::f32, 32316, 1024, 12288, Table::zeros), 2050, 0.05 * 2050);
  EXPECT_NEAR(time(hlo::ElementType::f32, 32316, 1024, 24576, Table::zeros), 3334, 0.05 * 3334);
}

// Tables of 0.6 and 2.1 MB; the rows of larger ones take 40 us and more one by one.
TEST(GatherCost, ASmallTableIsLookedUpInVmem) {
  EXPECT_NEAR(microseconds(lookup(hlo::make_shape(hlo::ElementType::f32, {4096, 4}), 3200, hlo::ElementType::f32)),
              13.4, 0.3 * 13.4);
  EXPECT_NEAR(microseconds(lookup(hlo::make_shape(hlo::ElementType::bf16, {320, 1024}), 320, hlo::ElementType::bf16)),
              9.8, 0.3 * 9.8);
  const sw::TargetMachine machine = sw::tpu_v3();
  const hlo::Module module = lookup(hlo::make_shape(hlo::ElementType::f32, {4096, 4}), 3200, hlo::ElementType::f32);
  const tiles::OpWork work =
      tiles::op_work(module, module.entry_computation(), module.entry_computation().root, machine);
  EXPECT_EQ(work.gathered.pieces, 0);
  EXPECT_GE(work.read_bytes(), base::Bytes(4096 * 512)) << "the whole table";
}

// Many more rows than fit VMEM, in a table that does not.
TEST(GatherCost, MovesTheRowsAndNotTheTable) {
  const sw::TargetMachine machine = sw::tpu_v3();
  const hlo::Module module =
      lookup(hlo::make_shape(hlo::ElementType::f32, {4'000'000, 128}), 100'000, hlo::ElementType::f32);
  const tiles::OpWork work =
      tiles::op_work(module, module.entry_computation(), module.entry_computation().root, machine);
  EXPECT_EQ(work.gathered.bytes(), base::Bytes(100'000 * 512));
  hw::OpResult result = hw::timing::simulate_op(
      machine, tiles::make_tiles(work, tiles::choose_tiling(work, machine, "op"), machine, "op"));
  EXPECT_GE(result.read_bytes, base::Bytes(100'000 * 512 + 100'000 * 4));
  EXPECT_LT(result.read_bytes, base::Bytes(100'000 * 520));
  EXPECT_GE(result.written_bytes, base::Bytes(100'000 * 512));
}

}  // namespace
}  // namespace podsim::sw::compiler
