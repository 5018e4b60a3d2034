// SPDX-License-Identifier: Apache-2.0
#include "app/serve/step_programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/run/run.h"
#include "app/run/run_options.h"

namespace podsim {
namespace {

using workloads::serving::StepShape;

/// A decoder of four layers, on two cores.
app::run::RunOptions decoder() {
  app::run::RunOptions options;
  options.workload = "transformer";
  options.build.model = {{"model.layers", "4"},     {"model.d_model", "1024"}, {"model.heads", "8"},
                         {"model.d_head", "128"},   {"model.d_ff", "4096"},    {"model.vocabulary", "4096"},
                         {"model.sequence", "4096"}};
  return options;
}

/// `podsim run --decode` of the whole step.
double run_of(const StepShape& shape) {
  app::run::RunOptions options = decoder();
  options.slice = "1x1";
  options.detail = "replay";
  options.build.inference = options.build.decode = true;
  auto& model = options.build.model;
  model["model.tensor_parallel"] = "2";
  model["model.batch"] = std::to_string(shape.decoding);
  model["decode.cached"] = std::to_string(shape.cached - 1);
  model["decode.new_tokens"] = "1";
  if (shape.prefill_tokens > 0) {
    model["decode.prefill"] = std::to_string(shape.prefill_tokens);
    model["decode.prefill_cached"] = std::to_string(shape.prefill_cached);
  }
  return app::run::run_report(options).step_s();
}

/// A step that decodes and reads a prompt takes what one program of both takes, whatever keys either has.
TEST(StepPrograms, MixedStepsTakeWhatWholeProgramsTake) {
  const app::run::RunOptions options = decoder();
  app::serve::StepPrograms programs(options, true, base::Duration(0));
  programs.limit_tokens(4096);
  for (const StepShape& shape :
       {StepShape{4, 128, 256, 0}, StepShape{4, 1024, 256, 0}, StepShape{16, 1024, 64, 128},
        StepShape{16, 128, 256, 1024}, StepShape{16, 512, 64, 512}, StepShape{32, 2048, 512, 2048},
        StepShape{32, 1536, 128, 3072}, StepShape{1, 4096, 128, 1024}}) {
    EXPECT_NEAR(programs.cost(shape).seconds / run_of(shape), 1, 0.03)
        << shape.decoding << " sequences with " << shape.cached << ", " << shape.prefill_tokens << " behind "
        << shape.prefill_cached;
  }
}

/// Times between the numbers of keys for which there are programs: within 3 % of a program for the number.
TEST(StepPrograms, AreLinearBetweenNumbersOfKeys) {
  const app::run::RunOptions options = decoder();
  app::serve::StepPrograms programs(options, true, base::Duration(0));
  programs.limit_tokens(4096);
  for (const std::int64_t sequences : {1, 8, 32}) {
    for (const std::int64_t keys : {128, 256, 640, 1024, 1536, 2048, 3072}) {
      const StepShape shape{sequences, keys, 0, 0};
      EXPECT_NEAR(programs.cost(shape).seconds / run_of(shape), 1, 0.03) << sequences << " sequences with " << keys;
    }
  }
}

/// A host that takes 2 ms for each step takes them off the device.
TEST(StepPrograms, AddTheTimeOfTheHost) {
  app::run::RunOptions options;
  options.workload = "perceptron";
  app::serve::StepPrograms without(options, false, base::Duration(0)), with(options, false, base::Duration(2e-3));
  EXPECT_NEAR(with.cost({.decoding = 8}).seconds - without.cost({.decoding = 8}).seconds, 2e-3, 1e-12);
}

/// The keys and values of a token, in closed form: 2 x layers x model, in bf16, on all cores together. The cache and
/// what else the program needs fit the memory of the cores.
TEST(StepPrograms, HaveTheRoomOfTheMemory) {
  const app::run::RunOptions options = decoder();
  app::serve::StepPrograms programs(options, true, base::Duration(0));
  programs.limit_tokens(4096);
  const app::serve::CacheRoom room = programs.cache_room(8);
  EXPECT_NEAR(room.bytes_per_token, 2.0 * 4 * 1024 * 2, 1);
  EXPECT_LT(double(room.tokens) * room.bytes_per_token, 2 * 16e9 * 1.08);
  EXPECT_GT(double(room.tokens) * room.bytes_per_token, 2 * 16e9 * 0.9);
}

/// Rows of a table of positions, of which a model with longer sequences has more, are no keys and values.
TEST(StepPrograms, DoNotCountPositionsAsCache) {
  app::run::RunOptions options = decoder();
  options.build.model["model.sequence"] = "16";
  app::serve::StepPrograms programs(options, true, base::Duration(0));
  ASSERT_EQ(programs.positions(), 16);
  EXPECT_NEAR(programs.cache_room(8).bytes_per_token, 2.0 * 4 * 1024 * 2, 1);
}

}  // namespace
}  // namespace podsim
