// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/compiler_year.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "hlo/build/graph_builder.h"
#include "hlo/transform/flops.h"
#include "sw/compiler/tiles/core_op.h"
#include "sw/driver/compile.h"
#include "tests/sw/target_machines.h"
#include "workloads/models/perceptron.h"

namespace podsim::sw::driver {
namespace {

constexpr std::int64_t side = 1024;  ///< of a square weight

/// The update of a weight by RMSProp with momentum.
hlo::Module rms_prop_update() {
  hlo::build::GraphBuilder b("update");
  const auto array = [&](const char* name) {
    return b.parameter(hlo::make_shape(hlo::ElementType::f32, {side, side}), name);
  };
  const hlo::InstructionId w = array("w"), g = array("g"), before = array("mean_square"), momentum = array("momentum");
  const hlo::InstructionId change = b.subtract(b.multiply(g, g), before);
  const hlo::InstructionId mean = b.add(before, b.multiply(change, b.full_like(before, 0.1)));
  const hlo::InstructionId scale = b.rsqrt(b.add(mean, b.full_like(mean, 1e-10)));
  const hlo::InstructionId step = b.multiply(b.multiply(g, b.full_like(g, 0.01)), scale);
  const hlo::InstructionId sum = b.add(b.multiply(momentum, b.full_like(momentum, 0.9)), step);
  return std::move(b).build(b.tuple({b.subtract(w, sum), mean, sum}));
}

struct Counts {
  int ops = 0;
  double bytes = 0, flops = 0;  ///< for each parameter of the weight
};

/// Counts loop fusions, or elementwise ops outside of fusions.
Counts counts(const hlo::Module& fused, bool in_fusions) {
  Counts sum;
  const hlo::Computation& entry = fused.entry_computation();
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry.instructions.size()); ++id) {
    if (!compiler::tiles::is_core_op(entry, id)) continue;
    if ((entry[id].opcode == hlo::Opcode::fusion) != in_fusions) continue;
    const hlo::transform::Cost cost = hlo::transform::cost(fused, entry, id);
    ++sum.ops;
    sum.bytes += double(cost.bytes.value()) / (side * side);
    sum.flops += double(cost.flops) / (side * side);
  }
  return sum;
}

// Traces of ParaDnn (paradnn_fc_v2.csv), times and rates of the two categories over parameters: 27.8 bytes and 8.95
// FLOPs in loop fusions, 11.9 bytes and 1.0 FLOP in elementwise ops, medians of 123 networks. Scalars weigh nothing.
TEST(CompilerYear, AnUpdateOf2018TakesAPassForEachResult) {
  const hlo::Module fused = driver::fused(rms_prop_update(), sw::tpu_v2(), compiler_in(2018));
  const Counts fusions = counts(fused, true), alone = counts(fused, false);
  EXPECT_EQ(fusions.ops, 2);
  EXPECT_NEAR(fusions.bytes, 28, 0.01);
  EXPECT_NEAR(fusions.flops, 9, 0.01);
  EXPECT_EQ(alone.ops, 1);
  EXPECT_NEAR(alone.bytes, 12, 0.01);
  EXPECT_NEAR(alone.flops, 1, 0.01);
}

// Four arrays are read and three are written, each once.
TEST(CompilerYear, AnUpdateOf2020IsOneOp) {
  const hlo::Module fused = driver::fused(rms_prop_update(), sw::tpu_v2());
  EXPECT_EQ(counts(fused, true).ops, 1);
  EXPECT_NEAR(counts(fused, true).bytes, 4 * (4 + 3), 0.01);
  EXPECT_EQ(counts(fused, false).ops, 0);
}

workloads::models::PerceptronOptions network() {
  workloads::models::PerceptronOptions options;
  options.batch = 384;
  options.layers = 4;
  options.nodes = 256;
  options.inputs = 512;
  options.outputs = 128;
  options.training.replicas = 8;
  return options;
}

int all_reduces(const hlo::Module& module) {
  const auto& instructions = module.entry_computation().instructions;
  return int(std::ranges::count(instructions, hlo::Opcode::all_reduce, &hlo::Instruction::opcode));
}

// Five kernels and five biases.
TEST(CompilerYear, EveryVariableOf2018HasAnAllReduce) {
  const hlo::Module program = workloads::models::perceptron_training_step(network()).module;
  EXPECT_EQ(all_reduces(driver::fused(program, sw::tpu_v2(), compiler_in(2018))), 10);
  EXPECT_EQ(all_reduces(driver::fused(program, sw::tpu_v2())), 1);
}

// No category of ParaDnn's traces but output fusions reads gradients of activations, [batch, nodes] in bf16: a pass
// over those of all layers would show as a tenth more bytes in them, where batches are large.
TEST(CompilerYear, SumsOfBiasGradientsShareTheFusionsOfProductsIn2018) {
  const workloads::models::PerceptronOptions options = network();
  const hlo::Module fused =
      driver::fused(workloads::models::perceptron_training_step(options).module, sw::tpu_v2(), compiler_in(2018));
  const hlo::Computation& entry = fused.entry_computation();
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry.instructions.size()); ++id) {
    if (!compiler::tiles::is_core_op(entry, id)) continue;
    if (compiler::tiles::category_of(fused, entry[id]).starts_with("convolution")) continue;
    for (const hlo::InstructionId operand : entry[id].operands) {
      EXPECT_NE(entry[operand].shape.dimensions, (std::vector<std::int64_t>{options.batch, options.nodes}))
          << entry[id].name;
    }
  }
}

// MLPerf v0.6 of 2019 states a combiner of all-reduces.
TEST(CompilerYear, AYearWithoutARecordHasTheNextOne) {
  EXPECT_EQ(compiler_in(2017).year, 2018);
  EXPECT_EQ(compiler_in(2018).year, 2018);
  EXPECT_EQ(compiler_in(2019).year, 2020);
  EXPECT_EQ(compiler_in(2020).year, 2020);
  EXPECT_EQ(compiler_in(2023).year, 2020);
  EXPECT_TRUE(compiler_of("2020").is_default());
  EXPECT_THROW(compiler_of("2019"), base::InputError);
}

}  // namespace
}  // namespace podsim::sw::driver
