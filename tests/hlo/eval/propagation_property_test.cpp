// SPDX-License-Identifier: Apache-2.0
// Random programs with a few random annotations.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "hlo/eval/evaluator.h"
#include "hlo/spmd/partition/partitioner.h"
#include "hlo/spmd/propagate/op_rule.h"
#include "hlo/transform/gradient.h"
#include "tests/hlo/spmd/annotated_text.h"
#include "tests/hlo/spmd/arbitrary_shardings.h"
#include "tests/hlo/spmd/random_program.h"

namespace podsim::hlo::eval {
namespace {

struct AnnotatedProgram {
  spmd::mesh::Mesh mesh;
  Module module;
};

/// A random program in which some values of the entry are annotated.
AnnotatedProgram arbitrary_program() {
  const spmd::mesh::Mesh mesh = spmd::testing::arbitrary_mesh(16);
  std::vector<spmd::testing::ProgramStep> steps(std::size_t(*rc::gen::inRange(1, 14)));
  for (spmd::testing::ProgramStep& step : steps) {
    step = {std::uint8_t(*rc::gen::resize(100, rc::gen::inRange(0, 26))),
            std::uint8_t(*rc::gen::resize(100, rc::gen::inRange(0, 16))),
            std::uint8_t(*rc::gen::resize(100, rc::gen::inRange(0, 16))),
            std::uint32_t(*rc::gen::resize(100, rc::gen::inRange(0, 1 << 24))), 0};
  }
  AnnotatedProgram program{mesh, spmd::testing::random_program(mesh, steps).module};
  Computation& entry = program.module.computations[std::size_t(program.module.entry)];
  for (Instruction& instruction : entry.instructions) {
    if (instruction.shape.is_tuple() || *rc::gen::resize(100, rc::gen::inRange(0, 4)) != 0) continue;
    const spmd::mesh::AxisSharding sharding = spmd::testing::arbitrary_sharding(mesh.all(), instruction.shape.rank());
    instruction.sharding = std::make_shared<const Sharding>(spmd::mesh::to_hlo(mesh, sharding));
  }
  return program;
}

bool is_prefix(const spmd::mesh::SubAxes& list, const spmd::mesh::SubAxes& longer) {
  return list.size() <= longer.size() && std::equal(list.begin(), list.end(), longer.begin());
}

class Checks {
 public:
  explicit Checks(const AnnotatedProgram& program)
      : mesh_(program.mesh), module_(program.module), shardings_(spmd::propagate::propagate(module_, mesh_)) {}

  void run() const {
    const spmd::propagate::ModuleShardings again = spmd::propagate::propagate(module_, mesh_);
    RC_ASSERT(again.values == shardings_.values);
    RC_ASSERT(again.reasons == shardings_.reasons);
    for (std::size_t c = 0; c < module_.computations.size(); ++c) {
      for (std::size_t id = 0; id < shardings_.values[c].size(); ++id) {
        check_value(int(c), int(id));
        check_chains(int(c), int(id));
        check_settled(int(c), int(id));
      }
    }
  }

 private:
  void check_value(ComputationId c, InstructionId id) const {
    const Instruction& instruction = module_.computations[std::size_t(c)][id];
    const spmd::mesh::ValueSharding& value = shardings_.values[std::size_t(c)][std::size_t(id)];
    const std::vector<const Shape*> shapes = spmd::mesh::leaf_shapes(instruction.shape);
    RC_ASSERT(value.size() == shapes.size());
    for (std::size_t k = 0; k < value.size(); ++k) {
      const spmd::mesh::SubAxes used = value[k].used();
      RC_ASSERT(std::ranges::adjacent_find(used) == used.end());
      if (instruction.sharding) {
        RC_ASSERT(value[k] == spmd::mesh::from_hlo(mesh_, *instruction.sharding, shapes[k]->rank()));
        continue;
      }
      for (int d = 0; d < shapes[k]->rank(); ++d) {
        // Annotated with a sharding that it always agrees with: a body's root with that of its call.
        const spmd::propagate::ArrayReasons& reasons = shardings_.reasons[std::size_t(c)][std::size_t(id)][k];
        if (reasons[std::size_t(d)].kind == spmd::propagate::ShardingReason::Kind::annotation) continue;
        const std::int64_t parts = spmd::mesh::shards(mesh_, value[k], d);
        RC_ASSERT(parts == 1 || parts <= shapes[k]->dimensions[std::size_t(d)]);
      }
    }
  }

  /// Every split comes from an annotation, through values that are split over the same sub-axes.
  void check_chains(ComputationId c, InstructionId id) const {
    const spmd::mesh::ValueSharding& value = shardings_.values[std::size_t(c)][std::size_t(id)];
    for (std::size_t k = 0; k < value.size(); ++k) {
      for (std::size_t d = 0; d < value[k].dimensions.size(); ++d) {
        const spmd::mesh::SubAxes& split = value[k].dimensions[d];
        if (split.empty()) continue;
        spmd::propagate::ShardingReason reason = shardings_.reasons[std::size_t(c)][std::size_t(id)][k][d];
        const spmd::mesh::SubAxis last = split.back();
        for (int step = 0; reason.kind != spmd::propagate::ShardingReason::Kind::annotation; ++step) {
          RC_ASSERT(reason.kind != spmd::propagate::ShardingReason::Kind::none);
          RC_ASSERT(step < 1000);
          const auto at = std::size_t(reason.from), in = std::size_t(reason.computation);
          const spmd::mesh::AxisSharding& source = shardings_.values[in][at][std::size_t(reason.array)];
          if (step == 0) RC_ASSERT(std::ranges::count(source.dimensions[std::size_t(reason.dimension)], last) == 1);
          reason = shardings_.reasons[in][at][std::size_t(reason.array)][std::size_t(reason.dimension)];
        }
      }
    }
  }

  /// A scalar broadcast, from which no other sharding follows unless it is annotated.
  static bool follows_only(const Computation& computation, InstructionId id) {
    const Instruction& instruction = computation[id];
    return instruction.opcode == Opcode::broadcast && !instruction.sharding &&
           computation[instruction.operands[0]].shape.rank() == 0;
  }

  /// No operand has more to give along a parallel factor that is a whole dimension of both.
  void check_settled(ComputationId c, InstructionId id) const {
    const Computation& computation = module_.computations[std::size_t(c)];
    const Instruction& instruction = computation[id];
    if (instruction.sharding || instruction.shape.is_tuple() || instruction.operands.empty()) return;
    const spmd::propagate::ArrayReasons& reasons = shardings_.reasons[std::size_t(c)][std::size_t(id)].front();
    const auto is_annotated = [](const spmd::propagate::ShardingReason& r) {
      return r.kind == spmd::propagate::ShardingReason::Kind::annotation;
    };
    if (std::ranges::any_of(reasons, is_annotated)) return;
    const spmd::propagate::OpRule rule = spmd::propagate::op_rule(module_, computation, id);
    const spmd::mesh::AxisSharding& result = shardings_.values[std::size_t(c)][std::size_t(id)][0];
    std::size_t first = 0;
    for (const InstructionId operand : instruction.operands) {
      for (const spmd::mesh::AxisSharding& source : shardings_.values[std::size_t(c)][std::size_t(operand)]) {
        const spmd::propagate::OpRule::Array& array = rule.operands[first++];
        if (is_broadcast_scalar(computation, operand)) continue;
        if (follows_only(computation, operand)) continue;
        for (std::size_t d = 0; d < array.size(); ++d) {
          for (std::size_t to = 0; to < rule.results[0].size(); ++to) {
            if (array[d].size() != 1 || rule.results[0][to] != array[d]) continue;
            if (rule.factors[std::size_t(array[d][0])].kind != spmd::propagate::Factor::Kind::parallel) continue;
            const spmd::mesh::SubAxes &has = result.dimensions[to], &could = source.dimensions[d];
            if (has.size() >= could.size() || !is_prefix(has, could)) continue;
            const spmd::mesh::SubAxis next = could[has.size()];
            RC_ASSERT(result.uses(next) || mesh_.size(has) * mesh_.size(next) > instruction.shape.dimensions[to]);
          }
        }
      }
    }
  }

  /// No sharding follows from such a broadcast.
  static bool is_broadcast_scalar(const Computation& computation, InstructionId id) {
    const Instruction& instruction = computation[id];
    return instruction.opcode == Opcode::broadcast && computation[instruction.operands[0]].shape.rank() == 0;
  }

  const spmd::mesh::Mesh& mesh_;
  const Module& module_;
  spmd::propagate::ModuleShardings shardings_;
};

TEST(PropagationProperty, ValuesAreCutOnceForAReasonAndUntilNothingIsLeft) {
  EXPECT_TRUE(rc::check([] {
    const AnnotatedProgram program = arbitrary_program();
    RC_LOG() << spmd::mesh::to_string(program.mesh) << "\n" << to_string(program.module);
    Checks(program).run();
  }));
}

/// Compares element by element; zeros of either sign are equal, since a sum of shards may have either.
void expect_equal(const Literal& actual, const Literal& expected) {
  RC_ASSERT(actual.shape.compatible(expected.shape));
  RC_ASSERT(actual.values == expected.values);
  RC_ASSERT(actual.integers == expected.integers);
  for (std::size_t i = 0; i < expected.elements.size(); ++i) expect_equal(actual.elements.at(i), expected.elements[i]);
}

TEST(PropagationProperty, PropagatedProgramsComputeTheSameInPartitions) {
  EXPECT_TRUE(rc::check([] {
    const AnnotatedProgram program = arbitrary_program();
    const auto& [mesh, module] = program;
    RC_LOG() << spmd::mesh::to_string(mesh) << "\n" << to_string(module);
    const spmd::propagate::ModuleShardings shardings = spmd::propagate::propagate(module, mesh);
    const std::vector<spmd::mesh::ValueSharding>& values = shardings.values[std::size_t(module.entry)];
    const Module local = spmd::partition::partition(module, mesh, shardings);
    const std::vector<Literal> arguments = spmd::testing::small_integers(module);
    const Computation& entry = module.entry_computation();
    std::vector<std::vector<Literal>> shards(std::size_t(mesh.partitions()));
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const spmd::mesh::ValueSharding& sharding = values[std::size_t(entry.parameters[k])];
      const auto parts =
          spmd::partition::split_into_shards(mesh, arguments[k], sharding, std::numeric_limits<double>::quiet_NaN());
      for (std::size_t p = 0; p < parts.size(); ++p) shards[p].push_back(parts[p]);
    }
    const Shape& shape = entry[entry.root].shape;
    const Literal joined =
        spmd::partition::join(mesh, shape, evaluate_partitions(local, shards), values[std::size_t(entry.root)]);
    expect_equal(joined, evaluate(module, arguments));
  }));
}

/// A training step of a deep network of dots, biases and residual connections, sharded in two dimensions.
struct DeepNetwork {
  Module module;
};

DeepNetwork deep_network(int layers) {
  build::GraphBuilder b("deep");
  DeepNetwork network;
  const Shape activation = make_shape(ElementType::f32, {64, 32, 128});
  InstructionId x = b.parameter(activation, "x");
  std::vector<InstructionId> weights;
  for (int layer = 0; layer < layers; ++layer) {
    const InstructionId w_in = b.parameter(make_shape(ElementType::f32, {128, 512}), fmt::format("in{}", layer));
    const InstructionId w_out = b.parameter(make_shape(ElementType::f32, {512, 128}), fmt::format("out{}", layer));
    const InstructionId bias = b.parameter(make_shape(ElementType::f32, {512}), fmt::format("bias{}", layer));
    weights.insert(weights.end(), {w_in, w_out, bias});
    InstructionId hidden = b.dot(x, w_in, {{}, {}, {2}, {0}});
    hidden = b.add(hidden, b.broadcast(bias, {64, 32, 512}, {2}));
    // A chain as long as that of a curve such as GELU.
    for (int i = 0; i < 8; ++i) hidden = b.tanh(b.multiply(hidden, b.full_like(hidden, 0.5 + i)));
    x = b.add(x, b.dot(hidden, w_out, {{}, {}, {2}, {0}}));
  }
  const InstructionId loss = b.reduce_add(b.multiply(x, x), {0, 1, 2});
  std::vector<InstructionId> results{loss};
  const std::vector<InstructionId> slopes = transform::gradients(b, loss, weights);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    results.push_back(b.subtract(weights[i], b.multiply(slopes[i], b.full_like(slopes[i], 0.01))));
  }
  network.module = std::move(b).build(b.tuple(results));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    network.module.donations.push_back({std::int64_t(i) + 1, std::int64_t(i) + 1, 0});
  }
  return network;
}

// GSPMD's two-dimensional recipe forward and backward: every activation and its gradient is sharded as activations,
// every weight's gradient and new value as the weight.
TEST(PropagationProperty, TrainingStepsAreCutTheSameWayForwardAndBackward) {
  const spmd::mesh::Mesh mesh = spmd::mesh::Mesh::parse("x=8,y=4");
  DeepNetwork network = deep_network(4);
  spmd::testing::annotate(network.module, mesh, "x", {"x", "", "y"});
  for (int layer = 0; layer < 4; ++layer) {
    spmd::testing::annotate(network.module, mesh, fmt::format("in{}", layer), {"x", "y"});
    spmd::testing::annotate(network.module, mesh, fmt::format("out{}", layer), {"y", "x"});
  }
  const std::map<std::vector<std::int64_t>, std::string> expected{{{64, 32, 128}, "[x, -, y]"},
                                                                  {{64, 32, 512}, "[x, -, y]"},
                                                                  {{128, 512}, "[x, y]"},
                                                                  {{512, 128}, "[y, x]"},
                                                                  {{512}, "[y]"}};
  const spmd::propagate::ModuleShardings shardings = spmd::propagate::propagate(network.module, mesh);
  const Computation& entry = network.module.entry_computation();
  for (InstructionId id = 0; id < int(entry.instructions.size()); ++id) {
    const std::vector<std::int64_t>& sizes = entry[id].shape.dimensions;
    const spmd::mesh::AxisSharding& sharding = shardings.values[std::size_t(network.module.entry)][std::size_t(id)][0];
    if (entry[id].shape.is_tuple()) continue;
    const auto found = expected.find(sizes);
    if (found == expected.end()) continue;
    EXPECT_EQ(spmd::mesh::to_string(mesh, sharding), found->second) << entry[id].name;
  }
}

}  // namespace
}  // namespace podsim::hlo::eval
