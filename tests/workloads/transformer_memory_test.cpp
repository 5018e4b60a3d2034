// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <span>

#include "sw/compiler/memory_account.h"
#include "sw/compiler/memory_order.h"
#include "sw/driver/compile.h"
#include "tests/sw/target_machines.h"
#include "workloads/models/transformer.h"

/// Memory that training steps of Transformers need.
namespace podsim::workloads {
namespace {

base::Bytes heap_of(const TrainingStep& step) {
  const hlo::Module fused = sw::driver::fused(step.module, sw::tpu_v3());
  return sw::compiler::account_memory(sw::compiler::ordered_by_memory(fused, step.donations), step.donations).heap;
}

base::Bytes heap_of(const models::TransformerOptions& options) {
  return heap_of(models::transformer_training_step(options));
}

/// The Transformers of GPipe (Huang et al. 2019, section 3 and tables 1 and 2).
models::TransformerOptions gpipe_decoder(std::int64_t layers, std::int64_t hidden) {
  models::TransformerOptions options;
  options.batch = 32;
  options.sequence = 1024;
  options.vocabulary = 32000;
  options.layers = layers;
  options.model = 2048;
  options.attention = {32, 64};
  options.feed_forward = {hidden, layers::Activation::relu, false};
  options.tied_embedding = false;
  options.position_embedding = false;
  options.optimizer.kind = OptimizerKind::adam;  // two slots for each weight, as their RMSProp has
  return options;
}

double parameters_of(std::int64_t layers, std::int64_t hidden) {
  return double(layers * (4 * 2048 * 2048 + 2 * 2048 * hidden) + 2 * 32000 * 2048);
}

// Published: 282.2 million parameters are the most that a core of 16 GiB trains without recomputing, at 12 bytes for
// each and 14.85 GiB with the activations.
TEST(TransformerMemory, TheLargestModelPublishedForACoreFitsAndOneThatIsATenthLargerDoesNot) {
  EXPECT_NEAR(parameters_of(3, 8192), 282.2e6, 0.2e6);
  const base::Bytes most = sw::tpu_v3().hbm.usable_per_core();
  const base::Bytes needed = heap_of(gpipe_decoder(3, 8192));
  EXPECT_LE(needed, most);
  EXPECT_NEAR(double(needed.value()), 14.85 * double(1 << 30), 0.1 * 14.85 * double(1 << 30));
  EXPECT_NEAR(parameters_of(3, 10496), 1.1 * parameters_of(3, 8192), 0.2e6);
  EXPECT_GT(heap_of(gpipe_decoder(3, 10496)), most);
}

// Gradients of a part are added to those of the parts before. Five parts more do not keep as much as one more sum of
// each weight, in f32, which is the size of the sums of two parts.
TEST(TransformerMemory, PartsOfABatchTakeNoMoreMemoryWhenThereAreMoreOfThem) {
  constexpr std::int64_t layers = 4, model = 512;
  const auto in_parts = [](std::int64_t parts) {
    models::TransformerOptions options;
    options.batch = 2 * parts;
    options.accumulate = parts;
    options.sequence = 64;
    options.vocabulary = 512;
    options.layers = layers;
    options.model = model;
    options.attention = {8, model / 8};
    options.feed_forward = {4 * model, layers::Activation::gelu, false};
    options.optimizer.kind = OptimizerKind::adam;
    return heap_of(options).value();
  };
  EXPECT_LT(in_parts(8) - in_parts(3), 4 * layers * 12 * model * model);
}

}  // namespace
}  // namespace podsim::workloads
