// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/typed_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/weights/dequantised.h"

/// A program with typed weights computes what the program computes on the same numbers.
namespace podsim::hlo::weights {
namespace {

using build::GraphBuilder;

constexpr ElementType wide = ElementType::f32, narrow = ElementType::bf16;

struct Network {
  Module module;
  std::vector<std::int64_t> weights;
};

InstructionId array(GraphBuilder& b, std::vector<std::int64_t> sizes, const char* name, ElementType type = wide) {
  return b.parameter(make_shape(type, std::move(sizes)), name);
}

/// y = x w + bias, of products in a type.
Network dense(ElementType type) {
  GraphBuilder b("dense");
  const InstructionId x = array(b, {3, 8}, "x"), w = array(b, {8, 5}, "w"), bias = array(b, {5}, "bias");
  const InstructionId y = b.convert(b.dot(b.convert(x, type), b.convert(w, type), {{}, {}, {1}, {0}}), wide);
  return {std::move(b).build(b.add(y, b.broadcast(bias, {3, 5}, {1}))), {1, 2}};
}

/// Heads that are split from and joined into one dimension, a transposed weight, and one that is sliced out of another.
Network heads() {
  GraphBuilder b("heads");
  const InstructionId x = array(b, {4, 8}, "x"), in = array(b, {8, 12}, "in"), out = array(b, {2, 3, 8}, "out");
  const InstructionId split = b.reshape(b.convert(in, narrow), {8, 2, 6});
  const InstructionId first = b.slice(split, {{0, 8, 1}, {0, 2, 1}, {1, 4, 1}});
  const InstructionId h = b.dot(b.convert(x, narrow), first, {{}, {}, {1}, {0}});  // 4 2 3
  const InstructionId back = b.transpose(b.reshape(b.convert(out, narrow), {6, 8}), {1, 0});
  const InstructionId y = b.dot(b.reshape(h, {4, 6}), back, {{}, {}, {1}, {1}});
  return {std::move(b).build(y), {1, 2}};
}

/// A product for every index of a batch, whose operand on the left is the weight.
Network experts() {
  GraphBuilder b("experts");
  const InstructionId x = array(b, {2, 4, 8}, "x"), w = array(b, {2, 8, 6}, "w");
  return {std::move(b).build(b.dot(w, x, {{0}, {0}, {1}, {2}})), {1}};
}

Network kernel() {
  GraphBuilder b("kernel");
  const InstructionId x = array(b, {2, 5, 5, 4}, "x"), w = array(b, {3, 3, 4, 6}, "w"), norm = array(b, {6}, "norm");
  const InstructionId y = b.convolution(x, w, {testing::window(3, 1, 1, 1), testing::window(3, 1, 1, 1)},
                                        build::convolution_dimensions("b01f_01io->b01f"));
  return {std::move(b).build(b.multiply(y, b.broadcast(norm, {2, 5, 5, 6}, {3}))), {1, 2}};
}

/// A table whose rows are looked up, and which is multiplied too if `tied`.
Network table(bool tied) {
  GraphBuilder b("table");
  const InstructionId ids = array(b, {3, 1}, "ids", ElementType::s32), w = array(b, {7, 4}, "w");
  const InstructionId bf16 = b.convert(w, narrow);
  GatherDimensions rows;
  rows.offset = {1};
  rows.collapsed = {0};
  rows.index_map = {0};
  rows.index_vector = 1;
  const InstructionId x = b.gather(bf16, ids, rows, {1, 4});
  return {std::move(b).build(tied ? b.dot(x, bf16, {{}, {}, {1}, {1}}) : x), {1}};
}

/// Weights that are also added, and multiplied along either dimension.
Network shared() {
  GraphBuilder b("shared");
  const InstructionId x = array(b, {4, 4}, "x"), w = array(b, {4, 4}, "w");
  const InstructionId y = b.dot(b.dot(x, w, {{}, {}, {1}, {0}}), w, {{}, {}, {1}, {1}});
  return {std::move(b).build(b.add(y, b.tanh(w))), {1}};
}

/// Three trips over layers of one weight, which the state passes on; h = tanh(h w[trip] + bias).
Network layers() {
  GraphBuilder b("layers");
  const InstructionId h = array(b, {2, 4}, "h"), w = array(b, {3, 4, 4}, "w"), bias = array(b, {4}, "bias");
  const InstructionId begin = b.tuple({b.constant(ElementType::s32, 0), w, h, bias});
  const Shape state = b.shape(begin);
  GraphBuilder goes_on("goes_on");
  const InstructionId less = goes_on.compare(goes_on.get_tuple_element(goes_on.parameter(state, "state"), 0),
                                             goes_on.constant(ElementType::s32, 3), ComparisonDirection::lt);
  GraphBuilder body("body");
  const InstructionId now = body.parameter(state, "state"), trip = body.get_tuple_element(now, 0);
  const InstructionId all = body.get_tuple_element(now, 1), zero = body.constant(ElementType::s32, 0);
  const InstructionId own =
      body.convert(body.reshape(body.dynamic_slice(all, {trip, zero, zero}, {1, 4, 4}), {4, 4}), narrow);
  const InstructionId product = body.dot(body.convert(body.get_tuple_element(now, 2), narrow), own, {{}, {}, {1}, {0}});
  const InstructionId given = body.get_tuple_element(now, 3);
  const InstructionId next = body.tanh(body.add(body.convert(product, wide), body.broadcast(given, {2, 4}, {1})));
  const InstructionId end = body.tuple({body.add(trip, body.constant(ElementType::s32, 1)), all, next, given});
  const ComputationId condition = b.computation(std::move(goes_on), less), step = b.computation(std::move(body), end);
  const InstructionId loop = b.while_loop(begin, condition, step, 3);
  const InstructionId result = b.get_tuple_element(loop, 2);
  const InstructionId last =
      b.reshape(b.slice(b.get_tuple_element(loop, 1), {{2, 3, 1}, {0, 4, 1}, {0, 4, 1}}), {4, 4});
  return {std::move(b).build(b.dot(result, last, {{}, {}, {1}, {0}})), {1, 2}};
}

/// A branch that multiplies a weight, and one that adds an element of a tuple to another.
Network branches() {
  GraphBuilder b("branches");
  const InstructionId choice = array(b, {}, "choice", ElementType::s32), w = array(b, {4, 4}, "w"),
                      x = array(b, {4, 4}, "x");
  GraphBuilder first("first");
  const InstructionId own = first.parameter(b.shape(w), "own");
  const ComputationId squares = b.computation(std::move(first), first.dot(own, own, {{}, {}, {1}, {0}}));
  GraphBuilder second("second");
  const InstructionId pair = b.tuple({x, w}), both = second.parameter(b.shape(pair), "both");
  const InstructionId product =
      second.dot(second.get_tuple_element(both, 0), second.get_tuple_element(both, 1), {{}, {}, {1}, {0}});
  const ComputationId products = b.computation(std::move(second), product);
  return {std::move(b).build(b.conditional(choice, {w, pair}, {squares, products})), {1}};
}

struct Case {
  const char* name;
  std::function<Network()> network;
};

std::vector<Case> cases() {
  return {{"dense", [] { return dense(wide); }},
          {"dense_bf16", [] { return dense(narrow); }},
          {"heads", heads},
          {"experts", experts},
          {"kernel", kernel},
          {"table", [] { return table(false); }},
          {"tied_table", [] { return table(true); }},
          {"shared", shared},
          {"layers", layers},
          {"branches", branches}};
}

std::vector<Literal> arguments_of(const Module& module) {
  std::vector<Literal> arguments;
  const Computation& entry = module.entry_computation();
  for (const InstructionId id : entry.parameters) {
    const Shape& shape = entry[id].shape;
    const bool whole = is_integer(shape.element_type);
    arguments.push_back(testing::random_literal(shape, unsigned(arguments.size()) + 3, whole ? 0 : -1, whole ? 2 : 1));
  }
  return arguments;
}

/// Both programs on the same numbers.
struct Results {
  Literal before, after;
  TypedWeights typed;
};

Results results_of(const Network& network, const WeightType& type) {
  Results results{.before = {}, .after = {}, .typed = with_typed_weights(network.module, network.weights, type)};
  build::verify(results.typed.module);
  const testing::TypedArguments arguments = testing::typed_arguments(arguments_of(network.module), results.typed, type);
  results.before = eval::evaluate(network.module, arguments.before);
  results.after = eval::evaluate(results.typed.module, arguments.after);
  return results;
}

TEST(TypedWeights, InBf16TheValuesAreTheSameBitByBit) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const Results results = results_of(one.network(), {.type = narrow});
    EXPECT_TRUE(same_values(results.before, results.after));
    for (const TypedWeight& weight : results.typed.weights) EXPECT_EQ(weight.scales, -1);
  }
}

// The program reads the numbers that values and scales stand for. Products of bf16 round their sums before scales
// multiply them, by a 256th each: of sums of terms below 1, as here, by less than a 32nd.
TEST(TypedWeights, WithScalesTheValuesAreThoseOfTheScaledWeights) {
  for (const Case& one : cases()) {
    for (const char* text : {"int8", "int4", "fp8", "int8:group=2", "int4:group=4", "fp8:group=3"}) {
      SCOPED_TRACE(std::string(one.name) + " " + text);
      const Results results = results_of(one.network(), parse_weight_type(text));
      const bool in_bf16 = std::string(one.name) != "dense" && std::string(one.name) != "experts" &&
                           std::string(one.name) != "kernel" && std::string(one.name) != "shared" &&
                           std::string(one.name) != "branches";
      testing::expect_near(results.after, results.before, in_bf16 ? 1.0 / 32 : 1e-5, in_bf16 ? 1.0 / 32 : 1e-5);
    }
  }
}

ElementType type_of(const Module& module, std::int64_t number) {
  const Computation& entry = module.entry_computation();
  return entry[entry.parameters[std::size_t(number)]].shape.element_type;
}

TEST(TypedWeights, AScaleBelongsToAnOutputChannel) {
  const auto scales_of = [](const Network& network, const char* type) {
    const TypedWeights typed = with_typed_weights(network.module, network.weights, parse_weight_type(type));
    const Computation& entry = typed.module.entry_computation();
    return entry[entry.parameters[std::size_t(typed.weights[0].scales)]].shape.dimensions;
  };
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(scales_of(dense(wide), "int8"), Sizes({5}));
  EXPECT_EQ(scales_of(dense(wide), "int8:group=4"), Sizes({2, 5}));
  EXPECT_EQ(scales_of(dense(wide), "int8:group=3"), Sizes({5})) << "8 rows have no groups of 3";
  EXPECT_EQ(scales_of(experts(), "int8"), Sizes({2, 6}));
  EXPECT_EQ(scales_of(kernel(), "int8"), Sizes({6}));
  EXPECT_EQ(scales_of(kernel(), "int8:group=2"), Sizes({2, 6}));
  EXPECT_EQ(scales_of(table(false), "int8"), Sizes({4})) << "a look-up sums over the rows";
  EXPECT_EQ(scales_of(table(true), "int8"), Sizes({7})) << "the product has rows as output channels";
  EXPECT_EQ(scales_of(shared(), "int8"), Sizes());
  EXPECT_EQ(scales_of(layers(), "int8"), Sizes({3, 4}));
}

TEST(TypedWeights, VectorsAreInBf16AndInputsStay) {
  const Network network = dense(wide);
  const Module typed = with_typed_weights(network.module, network.weights, {.type = ElementType::s4}).module;
  EXPECT_EQ(type_of(typed, 0), wide);
  EXPECT_EQ(type_of(typed, 1), ElementType::s4);
  EXPECT_EQ(type_of(typed, 2), narrow);
  EXPECT_EQ(type_of(typed, 3), narrow);
}

// A loop carries 3 layers of 4 x 4 bytes and 3 x 4 scales in place of 3 layers of 4 x 4 x 4 bytes.
TEST(TypedWeights, LoopsCarryThemInTheirType) {
  const Network network = layers();
  const Module typed = with_typed_weights(network.module, network.weights, {.type = ElementType::s8}).module;
  const Computation& entry = typed.entry_computation();
  const auto loop = std::ranges::find(entry.instructions, Opcode::while_loop, &Instruction::opcode);
  ASSERT_NE(loop, entry.instructions.end());
  std::int64_t bytes = 0;
  for (const Shape& element : loop->shape.tuple_shapes) {
    const bool is_weight = element.element_type == ElementType::s8 || element.element_type == narrow;
    if (is_weight) bytes += logical_bytes(element).value();
    EXPECT_FALSE(element.rank() == 3 && element.element_type == wide);
  }
  EXPECT_EQ(bytes, 3 * 4 * 4 + 2 * 3 * 4 + 2 * 4);
}

// A weight in tiles over 2 x 4 devices: its columns have 4 parts, each on the devices of either row.
TEST(TypedWeights, ScalesAreShardedAsTheirWeights) {
  Network network = dense(wide);
  Sharding sharding;
  sharding.kind = Sharding::Kind::tiled;
  sharding.tiles = {2, 4};
  sharding.devices = {0, 1, 2, 3, 4, 5, 6, 7};
  Computation& entry = network.module.computations[std::size_t(network.module.entry)];
  entry[entry.parameters[1]].sharding = std::make_shared<const Sharding>(sharding);
  const Module typed = with_typed_weights(network.module, network.weights, {.type = ElementType::s8}).module;
  const Computation& made = typed.entry_computation();
  const auto& scales = made[made.parameters[3]].sharding;
  ASSERT_TRUE(scales);
  EXPECT_EQ(to_string(*scales), "{devices=[4,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}");
}

}  // namespace
}  // namespace podsim::hlo::weights
