// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/vector_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler::tiles {
namespace {

hlo::Shape shape(hlo::ElementType type, std::vector<std::int64_t> sizes, std::vector<int> layout = {}) {
  hlo::Shape result = hlo::make_shape(type, std::move(sizes));
  result.minor_to_major = std::move(layout);
  return result;
}

/// Three operations for a moved row, and an eighth of the time to pack narrow elements.
sw::TargetMachine usual() {
  sw::TargetMachine machine = sw::the_tpu_v3();
  machine.compiler.moved_row_operations = 3;
  machine.compiler.packing_share = 0.125;
  return machine;
}

std::int64_t registers(const hlo::Shape& array) { return vector_registers(array, sw::the_tpu_v3().vector); }

/// Cost of the last instruction that `write` adds.
template <typename Write>
hw::VectorWork cost_of(Write write, const sw::TargetMachine& machine = usual()) {
  hlo::build::GraphBuilder b("one");
  hlo::InstructionId id = write(b);
  hlo::Module module = std::move(b).build(id);
  const hlo::Computation& entry = module.entry_computation();
  return vector_cost(entry[entry.root], entry, machine);
}

template <typename Write>
std::int64_t cross_lane_of(Write write, const sw::TargetMachine& machine = usual()) {
  hlo::build::GraphBuilder b("one");
  hlo::InstructionId id = write(b);
  hlo::Module module = std::move(b).build(id);
  const hlo::Computation& entry = module.entry_computation();
  return lane_moves_of(entry[entry.root], entry, machine);
}

hlo::InstructionId matrix(hlo::build::GraphBuilder& b, std::int64_t rows, std::int64_t columns,
                          hlo::ElementType type = hlo::ElementType::f32) {
  return b.parameter(hlo::make_shape(type, {rows, columns}), "x" + std::to_string(b.size()));
}

TEST(VectorCost, ARegisterHolds1024ElementsOfThePaddedArrayWhateverTheirWidth) {
  EXPECT_EQ(registers(shape(hlo::ElementType::f32, {64, 256})), 16);
  EXPECT_EQ(registers(shape(hlo::ElementType::bf16, {64, 256})), 16) << "arithmetic widens to 32 bits";
  EXPECT_EQ(registers(shape(hlo::ElementType::f32, {1, 100})), 1) << "padded to 8 x 128";
  EXPECT_EQ(registers(shape(hlo::ElementType::f32, {9, 129})), 4) << "two tiles each way";
}

TEST(VectorCost, RegistersFollowTheLayout) {
  EXPECT_EQ(registers(shape(hlo::ElementType::f32, {128, 2, 2, 64}, {0, 3, 2, 1})), 4 * 8);
  EXPECT_EQ(registers(shape(hlo::ElementType::f32, {128, 2, 2, 64}, {3, 0, 2, 1})), 4 * 16) << "64 padded to 128";
}

TEST(VectorCost, SumsProductsExtremaComparisonsAndSelectsAreOneOperationPerElement) {
  auto binary = [](hlo::Opcode opcode) {
    return cost_of(
        [&](hlo::build::GraphBuilder& b) { return b.binary(opcode, matrix(b, 64, 256), matrix(b, 64, 256)); });
  };
  const hw::VectorWork once{.loads = 0, .stores = 0, .alu_ops = 16, .transcendentals = 0};
  for (hlo::Opcode opcode :
       {hlo::Opcode::add, hlo::Opcode::subtract, hlo::Opcode::multiply, hlo::Opcode::maximum, hlo::Opcode::minimum}) {
    EXPECT_EQ(binary(opcode), once) << hlo::to_string(opcode);
  }
  EXPECT_EQ(cost_of([](hlo::build::GraphBuilder& b) {
              return b.compare(matrix(b, 8, 128), matrix(b, 8, 128), hlo::ComparisonDirection::gt);
            }).alu_ops,
            // pred is one byte: the result's tile is 32 x 128 elements, of which 8 x 128 are used.
            registers(hlo::make_shape(hlo::ElementType::pred, {8, 128})));
  EXPECT_EQ(cost_of([](hlo::build::GraphBuilder& b) { return b.convert(matrix(b, 64, 256), hlo::ElementType::bf16); }),
            once);
}

TEST(VectorCost, RootsDivisionsAndExponentialsGoThroughTheTranscendentalUnitOncePerRegister) {
  for (hlo::Opcode opcode :
       {hlo::Opcode::exponential, hlo::Opcode::log, hlo::Opcode::sqrt, hlo::Opcode::rsqrt, hlo::Opcode::tanh}) {
    hw::VectorWork work = cost_of([&](hlo::build::GraphBuilder& b) { return b.unary(opcode, matrix(b, 64, 256)); });
    EXPECT_EQ(work.transcendentals, 16) << hlo::to_string(opcode);
    EXPECT_GE(work.alu_ops, 16) << hlo::to_string(opcode);
  }
  hw::VectorWork division =
      cost_of([](hlo::build::GraphBuilder& b) { return b.divide(matrix(b, 64, 256), matrix(b, 64, 256)); });
  EXPECT_EQ(division.transcendentals, 16);
  EXPECT_GT(division.alu_ops, 16) << "a reciprocal, its refinement and a product";
  hw::VectorWork power =
      cost_of([](hlo::build::GraphBuilder& b) { return b.power(matrix(b, 64, 256), matrix(b, 64, 256)); });
  EXPECT_EQ(power.transcendentals, 32) << "exp(y log x)";
}

TEST(VectorCost, BroadcastsSlicesAndReshapesOfWholeRegistersAreAddressing) {
  EXPECT_EQ(cost_of([](hlo::build::GraphBuilder& b) {
              return b.broadcast(b.parameter(hlo::make_shape(hlo::ElementType::f32, {128}), "v"), {64, 128}, {1});
            }),
            hw::VectorWork{});
  EXPECT_EQ(cost_of([](hlo::build::GraphBuilder& b) { return b.reshape(matrix(b, 64, 256), {64 * 256}); }),
            hw::VectorWork{});
  EXPECT_EQ(cost_of([](hlo::build::GraphBuilder& b) {
              return b.slice(matrix(b, 64, 256), {{0, 8}, {0, 128}});
            }),
            hw::VectorWork{});
}

/// Pairs of a row piece of up to 128 lanes in arrays of rows of `a` and of `b` elements that share elements.
std::int64_t pieces_in_both(std::int64_t elements, std::int64_t a, std::int64_t b) {
  std::set<std::array<std::int64_t, 4>> pairs;
  for (std::int64_t i = 0; i < elements; ++i) pairs.insert({i / a, i % a / 128, i / b, i % b / 128});
  return std::int64_t(pairs.size());
}

TEST(VectorCost, AReshapeToRowsOfAnotherLengthRotatesEveryPieceOfARow) {
  struct Case {
    std::int64_t rows, row, in_longer;
  };
  for (auto [rows, row, in_longer] : {Case{64, 81, 4}, Case{96, 81, 6}, Case{300, 3, 300}, Case{128, 16, 128},
                                      Case{40, 324, 5}, Case{256, 48, 256}, Case{24, 200, 8}, Case{32, 1, 16}}) {
    for (bool longer_first : {false, true}) {
      auto reshape = [&](hlo::build::GraphBuilder& b) {
        std::vector<std::int64_t> from{rows, row}, to{rows / in_longer, row * in_longer};
        if (longer_first) std::swap(from, to);
        return b.reshape(b.parameter(hlo::make_shape(hlo::ElementType::f32, from), "x"), to);
      };
      const std::int64_t pieces = pieces_in_both(rows * row, row, row * in_longer);
      // A register holds one layout tile of the array with the longer rows: of 2, 4 or 8 of them.
      const std::int64_t moved = pieces * 8 / std::clamp(std::bit_ceil(std::uint64_t(rows / in_longer)), 2UL, 8UL);
      EXPECT_EQ(cost_of(reshape).stores, moved) << row << " x " << in_longer;
      EXPECT_EQ(cross_lane_of(reshape), (moved + 7) / 8);
    }
  }
}

// Four long rows are in tiles of four, which fill half of a register, and eight or more in tiles of eight. For each row
// of one element MLPerf Mask R-CNN takes 5.7 cycles in bf16[4,2000,1] to [8000,1], and SSD 2.8 in f32[16,8732] to
// [139712,1]; for rows of three Mask R-CNN takes 4.1 in f32[4,209664] to [4,208,336,3], and SSD 1.9 in a vector.
TEST(VectorCost, RowsOfHalfFilledRegistersTakeTwiceAsLong) {
  const auto operations = [](std::vector<std::int64_t> from, std::vector<std::int64_t> to) {
    const std::int64_t rows = to[0] * (to.size() > 2 ? to[1] : 1);
    const hw::VectorWork work = cost_of([&](hlo::build::GraphBuilder& b) {
      return b.reshape(b.parameter(hlo::make_shape(hlo::ElementType::f32, from), "x"), to);
    });
    return double(work.alu_ops) / double(rows);
  };
  EXPECT_NEAR(operations({4, 2048}, {8192, 1}) / operations({16, 8704}, {139264, 1}), 5.7 / 2.8, 0.1);
  EXPECT_NEAR(operations({4, 209664}, {4, 69888, 3}) / operations({4 * 209664}, {4, 69888, 3}), 4.1 / 1.9, 0.2);
}

// Weights and indices of an interpolation in MLPerf Mask R-CNN, f32[4,128,28,2], are spread over the lanes of
// [4,128,28,116]: 741 us for both. Each row is rotated, broadcast and rotated, eight cycles each: 732 us.
TEST(VectorCost, AShortRowIsSpreadOverTheLanesByItself) {
  const auto spread = [](std::vector<std::int64_t> rows, std::int64_t addends, std::int64_t lanes) {
    return cross_lane_of([&](hlo::build::GraphBuilder& b) {
      std::vector<std::int64_t> from = rows, to = rows, dimensions;
      from.push_back(addends);
      to.insert(to.end(), {addends, lanes});
      for (std::size_t i = 0; i < from.size(); ++i) dimensions.push_back(std::int64_t(i));
      return b.broadcast(b.parameter(hlo::make_shape(hlo::ElementType::f32, from), "x"), to, dimensions);
    });
  };
  EXPECT_EQ(spread({4, 128, 28}, 2, 116), 3 * 4 * 128 * 28);
  EXPECT_NEAR(2.0 * 8 * double(spread({4, 128, 28}, 2, 116)) / 940, 741, 0.15 * 741);
  // Measured rows of the same kind: four addends, and half as many rows.
  EXPECT_NEAR(2.0 * 8 * double(spread({4, 512, 7}, 4, 208)) / 940, 648, 0.15 * 648);
  EXPECT_NEAR(2.0 * 8 * double(spread({4, 128, 14}, 4, 208)) / 940, 350, 0.15 * 350);
  EXPECT_EQ(spread({512}, 16, 116), 512 * 16 / 8) << "long rows move by eight elements";
}

TEST(VectorCost, RowsThatKeepTheirLanesMoveByDma) {
  auto reshape = [](hlo::build::GraphBuilder& b) { return b.reshape(matrix(b, 1664, 128), {128, 13, 128}); };
  EXPECT_EQ(cost_of(reshape), hw::VectorWork{});
  EXPECT_EQ(cross_lane_of(reshape), 0);
  auto permuted = [](hlo::ElementType type) {
    return cost_of([type](hlo::build::GraphBuilder& b) {
      return b.transpose(b.parameter(hlo::make_shape(type, {16, 40, 81}), "x"), {1, 0, 2});
    });
  };
  EXPECT_EQ(permuted(hlo::ElementType::f32).stores, 0);
  EXPECT_EQ(permuted(hlo::ElementType::bf16).stores, 16 * 40) << "two rows of bf16 share words";
  EXPECT_EQ(permuted(hlo::ElementType::bf16).loads, 16 * 40) << "both rows of a word are at hand";
}

// 16 channels and 38 columns exchange lanes, in 16 x 38 blocks of which only a part is filled.
TEST(VectorCost, AnUnfilledBlockIsTransposedLikeAFullOne) {
  auto transposed = [](hlo::ElementType type) {
    return cross_lane_of([type](hlo::build::GraphBuilder& b) {
      return b.transpose(b.parameter(hlo::make_shape(type, {38, 38, 16, 16}), "x"), {0, 3, 2, 1});
    });
  };
  EXPECT_EQ(transposed(hlo::ElementType::f32), 16 * 16 * 38);
  EXPECT_EQ(transposed(hlo::ElementType::bf16), 9 * 16 * 38)
      << "two elements share a word, and are unpacked and packed";
}

// A copy that exchanges two major dimensions of bf16[16,40,81] moves 16 x 40 rows of one piece each.
TEST(VectorCost, EveryMovedRowTakesTheOperationsOfTheMachine) {
  const auto permuted = [](hlo::build::GraphBuilder& b) {
    return b.transpose(b.parameter(hlo::make_shape(hlo::ElementType::bf16, {16, 40, 81}), "x"), {1, 0, 2});
  };
  const auto reshaped = [](hlo::build::GraphBuilder& b) { return b.reshape(matrix(b, 1024, 16), {8, 128 * 16}); };
  for (const std::int64_t operations : {1, 3, 7}) {
    sw::TargetMachine machine = usual();
    machine.compiler.moved_row_operations = operations;
    EXPECT_EQ(cost_of(permuted, machine).alu_ops, operations * 16 * 40);
    EXPECT_EQ(cost_of(reshaped, machine).alu_ops, operations * 1024) << "eight rows of 16 fill a register's 128 lanes";
  }
}

// Pairs of bf16 halve the 16 x 16 x 38 operations of the words; the share comes on top, rounded up.
TEST(VectorCost, PackingAddsItsShareToTranspositionsOfNarrowElements) {
  const auto transposed = [](hlo::ElementType type, double share) {
    sw::TargetMachine machine = usual();
    machine.compiler.packing_share = share;
    return cross_lane_of(
        [type](hlo::build::GraphBuilder& b) {
          return b.transpose(b.parameter(hlo::make_shape(type, {38, 38, 16, 16}), "x"), {0, 3, 2, 1});
        },
        machine);
  };
  EXPECT_EQ(transposed(hlo::ElementType::bf16, 0), 8 * 16 * 38);
  EXPECT_EQ(transposed(hlo::ElementType::bf16, 0.5), 12 * 16 * 38);
  EXPECT_EQ(transposed(hlo::ElementType::bf16, 0.0001), 8 * 16 * 38 + 1);
  EXPECT_EQ(transposed(hlo::ElementType::f32, 0.5), 16 * 16 * 38) << "words need no packing";
}

TEST(VectorCost, AReductionAddsEveryRegisterOfItsInput) {
  EXPECT_EQ(cost_of([](hlo::build::GraphBuilder& b) { return b.reduce_add(matrix(b, 512, 256), {0}); }).alu_ops, 128);
  EXPECT_EQ(cost_of([](hlo::build::GraphBuilder& b) { return b.reduce_add(matrix(b, 512, 256), {1}); }).alu_ops, 128);
}

TEST(VectorCost, OnlyReductionsOverTheLanesFoldLanesOneOperationForEightResults) {
  EXPECT_EQ(cross_lane_of([](hlo::build::GraphBuilder& b) { return b.reduce_add(matrix(b, 512, 256), {0}); }), 0);
  EXPECT_EQ(cross_lane_of([](hlo::build::GraphBuilder& b) { return b.reduce_add(matrix(b, 512, 256), {1}); }), 64);
  EXPECT_EQ(cross_lane_of([](hlo::build::GraphBuilder& b) { return b.reduce_add(matrix(b, 512, 256), {0, 1}); }), 1);
}

// A reduction folds the registers of eight rows of the array that remains after the sums over all other dimensions.
TEST(VectorCost, ALaneReductionFoldsEveryRegisterHoweverFewRowsItHas) {
  const auto folded = [](std::vector<std::int64_t> sizes, std::vector<std::int64_t> over) {
    return cross_lane_of([&](hlo::build::GraphBuilder& b) {
      return b.reduce_add(b.parameter(hlo::make_shape(hlo::ElementType::f32, sizes), "x"), over);
    });
  };
  for (const std::int64_t rows : {1, 3, 8, 9}) {
    EXPECT_EQ(folded({64, rows, 100}, {2}), 64 * ((rows + 7) / 8));
    EXPECT_EQ(folded({64, rows, 100}, {1, 2}), 64) << "one register is left of each";
    EXPECT_EQ(folded({64, rows, 100}, {0, 2}), (rows + 7) / 8);
  }
}

TEST(VectorCost, OnlySlicesThatBeginWithinARegisterOfLanesPassTheCrossLaneUnit) {
  const auto moved = [](std::int64_t start, std::int64_t limit) {
    return cross_lane_of([&](hlo::build::GraphBuilder& b) {
      hlo::Instruction slice;
      slice.opcode = hlo::Opcode::slice;
      slice.operands = {matrix(b, 512, 512)};
      slice.slice = {{3, 512, 1}, {start, limit, 1}};
      slice.shape.element_type = hlo::ElementType::f32;
      return b.add(slice);
    });
  };
  const std::int64_t column = (512 - 3 + 7) / 8;
  EXPECT_EQ(moved(0, 200), 0);
  EXPECT_EQ(moved(128, 200), 0);
  EXPECT_EQ(moved(64, 164), column);
  EXPECT_EQ(moved(64, 320), 2 * column);
  EXPECT_EQ(moved(77, 78), 3 * column);
  EXPECT_EQ(moved(256, 257), 0) << "a lane that is the first";
}

TEST(VectorCost, ATransposeMovesEveryRegisterThroughTheCrossLaneUnit) {
  EXPECT_EQ(cross_lane_of([](hlo::build::GraphBuilder& b) { return b.transpose(matrix(b, 512, 256), {1, 0}); }), 128);
}

TEST(VectorCost, PoolingReadsAndComparesEveryTapOfEveryWindow) {
  hlo::WindowDimension three{.size = 3, .stride = 2, .padding_low = 0, .padding_high = 1};
  auto pool = [&](hlo::build::GraphBuilder& b) {
    hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {8, 16, 16, 128}), "x");
    return b.reduce_window_max(x, {{}, three, three, {}});
  };
  // 8 x 8 x 8 x 128 results, of which 8 x 128 make a register: 64 registers, nine taps.
  hw::VectorWork work = cost_of(pool);
  EXPECT_EQ(work.alu_ops, 9 * 64);
  EXPECT_EQ(work.loads, 9 * 64);
}

// Silicon takes 6.7 to 12.7 cycles per tap and register for the gradient of max pooling.
TEST(VectorCost, TheGradientOfPoolingTakesAboutTenCyclesPerTapAndRegister) {
  hlo::WindowDimension half{.size = 2, .stride = 2};
  hw::VectorWork work = cost_of([&](hlo::build::GraphBuilder& b) {
    hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {8, 4, 4, 128}), "x");
    hlo::InstructionId g = b.parameter(hlo::make_shape(hlo::ElementType::f32, {8, 2, 2, 128}), "g");
    return b.select_and_scatter(x, g, b.constant(hlo::ElementType::f32, 0), {{}, half, half, {}},
                                b.comparator(hlo::ComparisonDirection::ge, hlo::ElementType::f32),
                                b.combiner(hlo::Opcode::add, hlo::ElementType::f32));
  });
  double taps = 4 * double(registers(hlo::make_shape(hlo::ElementType::f32, {8, 2, 2, 128})));
  double cycles = std::max({double(work.loads), double(work.stores), double(work.alu_ops) / 2});
  EXPECT_GE(cycles / taps, 4);
  EXPECT_LE(cycles / taps, 12.7);
}

// bf16[128,16,112,96] with the batch in the lanes and 96 channels in the sublanes, to columns in the lanes and rows in
// the sublanes: 16 x 112 x 96 rows of a batch change sublanes before the transposition, and 128 x 96 x 16 rows of
// columns after it.
TEST(VectorCost, SublanesThatChangeOnBothSidesOfATranspositionMoveTheirRowsTwice) {
  const auto moved = [](std::vector<std::int64_t> order) {
    return cost_of([&](hlo::build::GraphBuilder& b) {
      hlo::Shape image = shape(hlo::ElementType::bf16, {128, 16, 112, 96}, {0, 3, 2, 1});
      return b.transpose(b.parameter(image, "x"), order);
    });
  };
  const std::int64_t rows = 16 * 112 * 96 + 128 * 96 * 16;
  EXPECT_EQ(moved({0, 3, 1, 2}).stores, rows);
  EXPECT_EQ(moved({0, 3, 1, 2}).loads, 2 * rows) << "the other row of a word is loaded and kept";
  EXPECT_EQ(moved({1, 2, 0, 3}).stores, 0) << "lanes and sublanes exchange places";
  EXPECT_EQ(moved({1, 3, 2, 0}).stores, 16 * 112 * 96) << "the lanes stay";
}

/// A machine with other registers.
sw::TargetMachine with_registers(std::int64_t lanes, std::int64_t sublanes) {
  sw::TargetMachine machine = usual();
  machine.vector.lanes = lanes;
  machine.vector.sublanes = sublanes;
  return machine;
}

// Arrays of whole registers of every size: the operations are inverse to the lanes and to the sublanes.
TEST(VectorCost, HalfTheLanesOrSublanesTakeTwiceTheOperations) {
  using Write = std::function<hlo::InstructionId(hlo::build::GraphBuilder&)>;
  const Write sum = [](hlo::build::GraphBuilder& b) {
    return b.binary(hlo::Opcode::add, matrix(b, 512, 1024), matrix(b, 512, 1024));
  };
  const Write root = [](hlo::build::GraphBuilder& b) { return b.unary(hlo::Opcode::rsqrt, matrix(b, 512, 1024)); };
  for (const Write& write : {sum, root}) {
    const hw::VectorWork whole = cost_of(write);
    for (const std::int64_t lanes : {16, 64, 128, 256, 512}) {
      for (const std::int64_t sublanes : {1, 4, 8, 32}) {
        const hw::VectorWork work = cost_of(write, with_registers(lanes, sublanes));
        EXPECT_EQ(work.alu_ops * lanes * sublanes, whole.alu_ops * 128 * 8) << lanes << " x " << sublanes;
        EXPECT_EQ(work.transcendentals * lanes * sublanes, whole.transcendentals * 128 * 8);
      }
    }
  }
}

// A transposition moves each of 512 x 1024 words once, in registers of whichever size: blocks of lanes x lanes fill
// them.
TEST(VectorCost, TranspositionsFollowTheRegisters) {
  const auto turned = [](hlo::build::GraphBuilder& b) { return b.transpose(matrix(b, 512, 1024), {1, 0}); };
  for (const std::int64_t lanes : {64, 128, 256}) {
    EXPECT_EQ(cross_lane_of(turned, with_registers(lanes, 8)), 512 * 1024 / (8 * lanes)) << lanes;
  }
}

// Two bf16 share a lane of 32 bits where the lanes compute in bf16; other types have a lane each.
TEST(VectorCost, LanesThatComputeInBf16HoldTwo) {
  sw::TargetMachine machine = usual();
  const auto sum_of = [](hlo::ElementType type) {
    return [type](hlo::build::GraphBuilder& b) {
      return b.binary(hlo::Opcode::add, matrix(b, 512, 1024, type), matrix(b, 512, 1024, type));
    };
  };
  const auto widened = [](hlo::build::GraphBuilder& b) {
    return b.convert(matrix(b, 512, 1024, hlo::ElementType::bf16), hlo::ElementType::f32);
  };
  EXPECT_EQ(cost_of(sum_of(hlo::ElementType::bf16), machine).alu_ops, 512) << "as f32";
  machine.vector.types = hw::parts::vector::LaneTypes::words_and_bf16;
  EXPECT_EQ(cost_of(sum_of(hlo::ElementType::bf16), machine).alu_ops, 256);
  EXPECT_EQ(cost_of(sum_of(hlo::ElementType::f32), machine).alu_ops, 512);
  EXPECT_EQ(cost_of(sum_of(hlo::ElementType::f16), machine).alu_ops, 512);
  EXPECT_EQ(cost_of(widened, machine).alu_ops, 512) << "its result has a lane for each";
}

}  // namespace
}  // namespace podsim::sw::compiler::tiles
