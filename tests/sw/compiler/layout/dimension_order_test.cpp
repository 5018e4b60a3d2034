// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/layout/dimension_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/renaming.h"
#include "sw/compiler/tiles/core_op.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/literals.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler::layout {
namespace {

using Layout = std::vector<int>;
using Sizes = std::vector<std::int64_t>;

const hlo::ElementType f32 = hlo::ElementType::f32, bf16 = hlo::ElementType::bf16;

/// Minor to major, also of arrays in the order of the text.
Layout layout_of(const hlo::Shape& shape) {
  Layout layout;
  for (int i = 0; i < shape.rank(); ++i) layout.push_back(shape.minor_dimension(i));
  return layout;
}

/// The layouts of a module's arrays by type and sizes, "bf16[32,512,16,64]".
std::map<std::string, Layout> layouts_of(const hlo::Module& module) {
  std::map<std::string, Layout> layouts;
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
    hlo::Shape plain = instruction.shape;
    plain.minor_to_major.clear();
    if (!plain.is_tuple()) layouts[hlo::to_string(plain)] = layout_of(instruction.shape);
  }
  return layouts;
}

/// Bits of the keys of [32,heads,512,512] in words of 32, as numbers.
hlo::InstructionId mask_of_bits(hlo::build::GraphBuilder& b, std::int64_t heads) {
  const hlo::InstructionId words = b.parameter(hlo::make_shape(hlo::ElementType::u32, {32, heads, 512, 16}), "words");
  const hlo::InstructionId wide = b.broadcast(words, {32, heads, 512, 16, 32}, {0, 1, 2, 3});
  const hlo::InstructionId place = b.iota(b.shape(wide), 4);
  const hlo::InstructionId bit =
      b.logical_and(b.binary(hlo::Opcode::shift_right_logical, wide, place), b.full_like(wide, 1));
  return b.reshape(b.convert(bit, bf16), {32, heads, 512, 512});
}

/// Self-attention of BERT-large with 32 sequences of 512 tokens, and the gradient of the weights of its queries.
hlo::Module attention(std::int64_t heads = 16, std::int64_t head_size = 64, bool masked = false) {
  hlo::build::GraphBuilder b("attention");
  const Sizes square{32, heads, 512, 512};
  const hlo::InstructionId x = b.parameter(hlo::make_shape(bf16, {32, 512, 1024}), "x");
  const auto projected = [&](const char* name) {
    const hlo::InstructionId w = b.parameter(hlo::make_shape(f32, {1024, heads, head_size}), name);
    return b.dot(x, b.convert(w, bf16), {{}, {}, {2}, {0}});
  };
  const hlo::InstructionId q = projected("w_q"), k = projected("w_k"), v = projected("w_v");
  const hlo::InstructionId scores = b.dot(q, k, {{0, 2}, {0, 2}, {3}, {3}});
  const hlo::InstructionId highest = b.broadcast(b.reduce_max(scores, {3}), square, {0, 1, 2});
  const hlo::InstructionId power = b.exponential(b.subtract(scores, highest));
  const hlo::InstructionId shares = b.divide(power, b.broadcast(b.reduce_add(power, {3}), square, {0, 1, 2}));
  const hlo::InstructionId kept = masked ? b.multiply(shares, mask_of_bits(b, heads)) : shares;
  const hlo::InstructionId context = b.dot(kept, v, {{0, 1}, {0, 2}, {3}, {1}});
  const hlo::InstructionId back = b.transpose(context, {0, 2, 1, 3});
  const hlo::InstructionId gradient = b.convert(b.dot(x, back, {{}, {}, {0, 1}, {0, 1}}), f32);
  return std::move(b).build(b.tuple({context, gradient}));
}

// The layouts of these arrays in the profile of BERT-large on TPU v3.
TEST(DimensionOrder, AttentionIsLaidOutAsOnSilicon) {
  for (const bool masked : {false, true}) {
    hlo::Module module = attention(16, 64, masked);
    assign_dimension_orders(module, sw::tpu_v3());
    const std::map<std::string, Layout> layouts = layouts_of(module);
    EXPECT_EQ(layouts.at("f32[1024,16,64]"), (Layout{0, 2, 1}));
    EXPECT_EQ(layouts.at("bf16[32,512,16,64]"), (Layout{1, 3, 2, 0}));
    EXPECT_EQ(layouts.at("bf16[32,16,512,64]"), (Layout{2, 3, 1, 0}));
    EXPECT_EQ(layouts.at("bf16[32,16,512,512]"), (Layout{2, 3, 1, 0})) << masked;
    EXPECT_EQ(layouts.at("bf16[32,512,1024]"), (Layout{2, 1, 0}));
  }
}

// The reshape that joins the bits' dimensions would move every element if scores alone had queries in the lanes.
TEST(DimensionOrder, ArraysThatAReshapeConnectsAreReorderedTogether) {
  hlo::Module module = attention(16, 64, true);
  assign_dimension_orders(module, sw::tpu_v3());
  int reshapes = 0;
  for (const hlo::Instruction& op : module.entry_computation().instructions) {
    if (op.opcode != hlo::Opcode::reshape) continue;
    ++reshapes;
    EXPECT_TRUE(hlo::is_renaming(module.entry_computation()[op.operands[0]].shape, op.shape));
  }
  EXPECT_EQ(reshapes, 1);
}

/// Predictions of SSD's first layer, whose rows in memory are those of the text, as arrays of anchors that are changed
/// and summed for every image.
hlo::Module predictions(std::int64_t of_an_anchor) {
  hlo::build::GraphBuilder b("predictions");
  hlo::Shape given = hlo::make_shape(f32, {16, 38, 38, 4 * of_an_anchor});
  given.minor_to_major = {3, 2, 1, 0};
  const hlo::InstructionId anchors = b.reshape(b.parameter(given, "x"), {16, 5776, of_an_anchor});
  return std::move(b).build(b.reduce_add(b.exponential(anchors), {1, 2}));
}

// The layouts of these arrays in the profile of SSD on TPU v3.
TEST(DimensionOrder, AReshapeMovesElementsBetweenLanesWhereThatSavesMuchPaddingOnly) {
  for (const auto& [of_an_anchor, layout] : {std::pair{81, Layout{2, 1, 0}}, std::pair{4, Layout{1, 2, 0}}}) {
    hlo::Module module = predictions(of_an_anchor);
    assign_dimension_orders(module, sw::tpu_v3());
    EXPECT_EQ(layouts_of(module).at("f32[16,5776," + std::to_string(of_an_anchor) + "]"), layout);
  }
}

TEST(DimensionOrder, TranspositionsMoveNothingWhereOrdersAreFree) {
  for (const auto& [heads, size] : {std::pair{16, 64}, {8, 128}, {4, 256}}) {
    hlo::Module module = attention(heads, size);
    assign_dimension_orders(module, sw::tpu_v3());
    const hlo::Computation& entry = module.entry_computation();
    int transpositions = 0;
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry.instructions.size()); ++id) {
      if (entry[id].opcode != hlo::Opcode::transpose) continue;
      ++transpositions;
      EXPECT_TRUE(tiles::keeps_places(entry, id)) << heads;
    }
    EXPECT_EQ(transpositions, 1);
  }
}

// f32[2048,1000]{0,1} in the profile of ResNet-50: 2048 lanes need no padding, 1000 would be 1024.
TEST(DimensionOrder, AWeightHasInTheLanesTheDimensionThatPadsLess) {
  hlo::build::GraphBuilder b("dense");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(bf16, {128, 2048}), "x");
  const hlo::InstructionId w = b.parameter(hlo::make_shape(f32, {2048, 1000}), "w");
  hlo::Module module = std::move(b).build(b.dot(x, b.convert(w, bf16), {{}, {}, {1}, {0}}));
  assign_dimension_orders(module, sw::tpu_v3());
  EXPECT_EQ(layouts_of(module).at("f32[2048,1000]"), (Layout{0, 1}));
}

TEST(DimensionOrder, AGivenLayoutStaysAndHoldsForWhatIsComputedFromItElementByElement) {
  hlo::build::GraphBuilder b("given");
  hlo::Shape given = hlo::make_shape(f32, {1024, 16, 64});
  given.minor_to_major = {2, 0, 1};
  const hlo::InstructionId w = b.parameter(given, "w");
  const hlo::InstructionId moved = b.subtract(w, b.multiply(w, b.full_like(w, 0.5)));
  hlo::Module module = std::move(b).build(moved);
  assign_dimension_orders(module, sw::tpu_v3());
  const hlo::Computation& entry = module.entry_computation();
  EXPECT_EQ(entry[entry.parameters[0]].shape.minor_to_major, given.minor_to_major);
  EXPECT_EQ(entry[entry.root].shape.minor_to_major, given.minor_to_major);
}

// The second operand of the product comes with its update.
/// Rows of f32[sizes] along dimension 1 at six positions that a parameter gives, negated; and added to zeros of those
/// sizes at the same positions.
hlo::Module moved_rows(const Sizes& sizes) {
  const std::string array = hlo::to_string(hlo::make_shape(f32, sizes));
  Sizes taken = sizes;
  taken[1] = 6;
  const std::string rows = hlo::to_string(hlo::make_shape(f32, taken));
  const std::string slice = std::to_string(sizes[0]) + ",1," + std::to_string(sizes[2]);
  return hlo::testing::graph_of_entry(
      "x = " + array + " parameter(0)\n i = s32[6] parameter(1)\n y = " + array + " negate(x)\n g = " + rows +
          " gather(y, i), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, "
          "slice_sizes={" +
          slice + "}\n n = " + rows + " negate(g)\n z = f32[] constant(0)\n b = " + array +
          " broadcast(z), dimensions={}\n ROOT s = " + array +
          " scatter(b, i, n), update_window_dims={0,2}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
          "index_vector_dim=1, to_apply=add",
      "add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }\n");
}

// [2048,9,3] would be padded 75 times in the order of the text: 16 x 128 words for 9 x 3.
TEST(DimensionOrder, RowsThatAreIndexedAlongOneDimensionHaveTheOthersInAnyOrder) {
  hlo::Module module = moved_rows({2048, 9, 3});
  assign_dimension_orders(module, sw::tpu_v3());
  const auto layouts = layouts_of(module);
  EXPECT_EQ(layouts.at("f32[2048,9,3]")[0], 0);
  EXPECT_EQ(layouts.at("f32[2048,6,3]"), layouts.at("f32[2048,9,3]")) << "rows are moved as they are";
}

TEST(DimensionOrder, TheDimensionOfRowsIsNotInTheLanes) {
  hlo::Module module = moved_rows({3, 4096, 5});
  assign_dimension_orders(module, sw::tpu_v3());
  EXPECT_NE(layouts_of(module).at("f32[3,4096,5]")[0], 1);
}

// As above: an index of the whole last dimension says nothing of the order.
TEST(DimensionOrder, RowsMayHaveIndicesOfWholeDimensionsToo) {
  hlo::Module module = hlo::testing::graph_of_entry(
      "x = f32[2048,9,3] parameter(0)\n i = s32[4,2] parameter(1)\n u = f32[2048,4,3] parameter(2)\n"
      " y = f32[2048,9,3] negate(x)\n"
      " ROOT s = f32[2048,9,3] scatter(y, i, u), update_window_dims={0,2}, inserted_window_dims={1}, "
      "scatter_dims_to_operand_dims={1,2}, index_vector_dim=1, to_apply=add",
      "add { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT r = f32[] add(p, q) }\n");
  assign_dimension_orders(module, sw::tpu_v3());
  EXPECT_EQ(layouts_of(module).at("f32[2048,9,3]")[0], 0);
}

// The text has 14 of 128 lanes; rows of [4096,14] along its first dimension need it, those along its second do not.
TEST(DimensionOrder, ATableThatIsIndexedAlongItsLanesIsTheOtherWayAround) {
  const auto table = [](const std::string& result, const std::string& roles) {
    hlo::Module module = hlo::testing::graph_of_entry(
        "x = f32[4096,14] parameter(0)\n i = s32[8] parameter(1)\n"
        " y = f32[4096,14] negate(x)\n g = f32[" +
        result + "] gather(y, i), " + roles + ", index_vector_dim=1\n ROOT n = f32[" + result + "] negate(g)");
    assign_dimension_orders(module, sw::tpu_v3());
    return layouts_of(module).at("f32[4096,14]");
  };
  EXPECT_EQ(table("4096,8", "offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, slice_sizes={4096,1}"),
            (Layout{0, 1}));
  EXPECT_EQ(table("8,14", "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, slice_sizes={1,14}"),
            (Layout{1, 0}));
}

// The array that the reshape makes is only read within a fusion: it has no traffic of its own to save.
TEST(DimensionOrder, AnArrayThatIsNotStoredFollowsTheOneThatItIsAReshapeOf) {
  hlo::Module module = hlo::testing::graph_of_entry(
      "x = f32[2048,9,3] parameter(0)\n y = f32[2048,9,3] negate(x)\n"
      " s = f32[2048,9,1] slice(y), slice={[0:2048],[0:9],[1:2]}\n r = f32[2048,9] reshape(s)\n"
      " b = f32[2048,9,3] broadcast(r), dimensions={0,1}\n ROOT m = f32[2048,9,3] multiply(y, b)");
  assign_dimension_orders(module, sw::tpu_v3());
  const hlo::Computation& entry = module.entry_computation();
  const auto reshape = std::ranges::find(entry.instructions, hlo::Opcode::reshape, &hlo::Instruction::opcode);
  EXPECT_TRUE(hlo::keeps_order(entry[reshape->operands[0]].shape, reshape->shape));
}

TEST(DimensionOrder, AsynchronousOpsKeepTheOrderOfTheText) {
  hlo::Module module = hlo::testing::graph_of(R"(HloModule m
ENTRY main {
  a = f32[1000,16] parameter(0)
  b = f32[16,8] parameter(1)
  s = ((f32[1000,16]), (), u32[]) dot-start(a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  u = ((f32[1000,16], f32[16,8]), (), u32[]) dot-update(s, b)
  ROOT d = f32[1000,8] dot-done(u)
}
)");
  assign_dimension_orders(module, sw::tpu_v3());
  EXPECT_EQ(layouts_of(module).at("f32[1000,16]"), (Layout{1, 0}));
}

/// Random graphs of arrays of three dimensions that are transposed, reduced, broadcast, multiplied and reshaped.
class RandomArrays {
 public:
  static hlo::Module make() { return RandomArrays().run(); }

 private:
  hlo::Module run() {
    for (const Sizes& sizes : {Sizes{2, 3, 4}, Sizes{3, 4, 2}, Sizes{4, 4, 4}}) {
      arrays_.push_back(b_.parameter(hlo::make_shape(f32, sizes), "p" + std::to_string(arrays_.size())));
    }
    const int steps = *rc::gen::inRange(1, 25);
    for (int i = 0; i < steps; ++i) arrays_.push_back(step(any()));
    std::vector<hlo::InstructionId> results{arrays_.back()};
    for (const hlo::InstructionId id : arrays_) {
      if (below(4) == 0) results.push_back(id);
    }
    return std::move(b_).build(b_.tuple(results));
  }

  hlo::InstructionId step(hlo::InstructionId x) {
    const Sizes sizes = b_.shape(x).dimensions;
    switch (below(7)) {
      case 0: {
        Sizes permutation{0, 1, 2};
        std::swap(permutation[0], permutation[std::size_t(below(3))]);
        std::swap(permutation[1], permutation[std::size_t(1 + below(2))]);
        return b_.transpose(x, permutation);
      }
      case 1:
        return b_.tanh(x);
      case 2:
        return b_.add(x, like(x));
      case 3: {
        const int dimension = below(3);
        Sizes kept{0, 1, 2};
        kept.erase(kept.begin() + dimension);
        return b_.subtract(x, b_.broadcast(b_.reduce_max(x, {dimension}), sizes, kept));
      }
      case 4:  // x times itself over the last dimension, for each of the first
        return sizes[1] == sizes[2] ? b_.dot(x, x, {{0}, {0}, {2}, {2}}) : b_.negate(x);
      case 5: {
        const hlo::InstructionId rows = b_.reshape(x, {sizes[0] * sizes[1], sizes[2]});
        return b_.reshape(b_.negate(rows), sizes);
      }
      default:
        return b_.reverse(x, {below(3)});
    }
  }

  hlo::InstructionId any() {
    const auto count = int(arrays_.size());
    return arrays_[std::size_t(std::max(below(count), below(count)))];
  }
  hlo::InstructionId like(hlo::InstructionId x) {
    std::vector<hlo::InstructionId> fitting;
    for (const hlo::InstructionId y : arrays_) {
      if (b_.shape(y).compatible(b_.shape(x))) fitting.push_back(y);
    }
    return fitting[std::size_t(below(int(fitting.size())))];
  }
  static int below(int limit) { return *rc::gen::resize(100, rc::gen::inRange(0, limit)); }

  hlo::build::GraphBuilder b_{"random"};
  std::vector<hlo::InstructionId> arrays_;
};

RC_GTEST_PROP(DimensionOrder, OrdersChangeNoBitAndElementwiseOpsShareThem, ()) {
  const hlo::Module module = RandomArrays::make();
  hlo::Module laid_out = module;
  assign_dimension_orders(laid_out, sw::tpu_v3());
  hlo::build::verify(laid_out);
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = laid_out.entry_computation();
  for (const hlo::InstructionId id : entry.parameters) {
    arguments.push_back(hlo::testing::random_literal(module.entry_computation()[id].shape, unsigned(id)));
  }
  RC_ASSERT(hlo::same_values(hlo::eval::evaluate(laid_out, arguments), hlo::eval::evaluate(module, arguments)));
  for (const hlo::Instruction& instruction : entry.instructions) {
    if (!hlo::is_elementwise(instruction.opcode)) continue;
    for (const hlo::InstructionId operand : instruction.operands) {
      if (entry[operand].shape.dimensions != instruction.shape.dimensions) continue;
      RC_ASSERT(layout_of(entry[operand].shape) == layout_of(instruction.shape));
    }
  }
}

}  // namespace
}  // namespace podsim::sw::compiler::layout
