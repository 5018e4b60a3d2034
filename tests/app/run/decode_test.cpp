// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/commands.h"

/// Costs of steps of decoding against closed forms for GPT-J whose heads, hidden units and words 8 cores share.
namespace podsim::app {
namespace {

constexpr double layers = 28, model = 4096, hidden = 16384, words = 50400, heads = 16, head = 256, cores = 8;
/// Bytes of a core's weights in bf16.
constexpr double weights = 2 * (layers * (4 * model * model + 2 * model * hidden) + 2 * words * model) / cores;

/// Bytes of a core's keys and values of so many sequences, of so many keys each, in bf16.
double cache_of(double sequences, double keys) { return 2 * 2 * layers * sequences * keys * heads * head / cores; }

nlohmann::json decoded(const std::vector<std::string>& settings) {
  std::vector<std::string> command{"run", "gpt_6b", "--slice", "2x2", "--decode", "--json"};
  for (const std::string& setting :
       {std::string("model.parameter_type=bf16"), std::string("model.tensor_parallel=8")}) {
    command.insert(command.end(), {"--set", setting});
  }
  for (const std::string& setting : settings) command.insert(command.end(), {"--set", setting});
  const test::Folder folder;
  return test::json_of(folder, command);
}

double bytes_of(const nlohmann::json& run) { return double(run["hbm_bytes_per_core_step"]); }

// The rest are activations of one token, which tiles pad to 16 rows of 8 KiB, in five arrays a layer: 1.2 %.
TEST(RunDecode, OfOneSequenceReadsTheWeightsOnce) {
  const nlohmann::json run = decoded({"model.batch=1", "decode.cached=127"});
  const double least = weights + cache_of(1, 128);
  EXPECT_GT(bytes_of(run), least);
  EXPECT_LT(bytes_of(run), 1.015 * least);
  EXPECT_GT(double(run["step_time_s"]) * double(run["machine_peaks"]["hbm_bytes_per_s_per_core"]), least);
}

// Twice as many cached tokens add their keys and values, read once, and their scores, which are written in bf16 and
// read two times.
TEST(RunDecode, ReadsTheCacheOnce) {
  const double more = bytes_of(decoded({"model.batch=32", "decode.cached=2047"})) -
                      bytes_of(decoded({"model.batch=32", "decode.cached=1023"}));
  const double keys = cache_of(32, 1024), scores = 3 * 2 * layers * 32 * 1024 * heads / cores;
  EXPECT_NEAR(more, keys + scores, 0.002 * keys);
}

TEST(RunDecode, HoldsTheWeightsAndTheCache) {
  const nlohmann::json run = decoded({"model.batch=32", "decode.cached=2047"});
  const double cache = cache_of(32, 2048);
  EXPECT_NEAR(double(run["memory"]["parameter_bytes_per_core"]), weights, 1e-3 * weights);
  EXPECT_NEAR(double(run["memory"]["cache_bytes_per_core"]), cache, 1e-6 * cache);
  // The cache is updated in place: there is no second one.
  EXPECT_LT(double(run["memory"]["peak_bytes_per_core"]), 1.01 * (weights + cache));
}

TEST(RunDecode, ACacheOfBytesHasHalfOfIt) {
  const std::vector<std::string> settings{"model.batch=32", "decode.cached=2047"};
  std::vector<std::string> narrow = settings;
  narrow.emplace_back("decode.cache_type=int8");
  const double saved = bytes_of(decoded(settings)) - bytes_of(decoded(narrow));
  // A byte less for each number; a scale of 4 bytes for each 256 of them, of whose two heads tiles make 8, which is
  // also converted to the type of the scores.
  const double numbers = cache_of(32, 2048) / 2;
  EXPECT_LT(saved, numbers * (1 - 4.0 / head));
  EXPECT_GT(saved, numbers * (1 - 2 * 4 * 4.0 / head));
}

// Pages are gathered, which writes them and reads them again.
TEST(RunDecode, GatheredPagesAreReadTwiceAndWrittenOnce) {
  const double whole = bytes_of(decoded({"model.batch=32", "decode.cached=2047"}));
  const double paged = bytes_of(decoded({"model.batch=32", "decode.cached=2047", "decode.page=64"}));
  const double moved = 2 * cache_of(32, 2048);
  EXPECT_NEAR(paged - whole, moved, 0.02 * moved);
}

TEST(RunDecode, ALoopTakesAsLongAsItsSteps) {
  const double one = double(decoded({"model.batch=32", "decode.cached=1023"})["step_time_s"]);
  const double loop = double(
      decoded({"model.batch=32", "decode.cached=1016", "decode.capacity=1024", "decode.steps=8"})["step_time_s"]);
  EXPECT_NEAR(loop, 8 * one, 0.02 * loop);
}

TEST(RunDecode, SaysWhatItIsNotFor) {
  const test::Folder folder;
  const auto refused = [&](const std::vector<std::string>& words) {
    const test::Outcome outcome = folder.run(words);
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_NE(refused({"run", "resnet50", "--decode"}).find("resnet50 has no decoder"), std::string::npos);
  EXPECT_NE(refused({"run", "transformer", "--set", "decode.cached=3"}).find("add --decode"), std::string::npos);
  EXPECT_NE(refused({"run", "transformer", "--decode", "--set", "decode.cached=600"}).find("trained positions"),
            std::string::npos);
  EXPECT_NE(refused({"run", "transformer", "--decode", "--set", "decode.page=64"}).find("common pool of pages"),
            std::string::npos);
  folder.write("step.hlo", "HloModule step\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}\n");
  EXPECT_NE(refused({"run", "step.hlo", "--decode"}).find("a step as it is"), std::string::npos);
  EXPECT_NE(refused({"run", "transformer", "--decode", "--set", "decode.beam=4", "--set", "decode.cached=0"})
                .find("a beam search adds"),
            std::string::npos);
}

// A step that starts sequences reads no cache, and fills one.
TEST(RunDecode, WeightsOfBytesLeaveTheCacheAsItIs) {
  const test::Folder folder;
  const std::vector<std::string> prefill{"run",    "gnmt",  "--slice",         "1x1",   "--decode",
                                         "--json", "--set", "decode.cached=0", "--set", "model.batch=8"};
  std::vector<std::string> narrow = prefill;
  narrow.insert(narrow.end(), {"--weights", "int8"});
  const nlohmann::json whole = test::json_of(folder, prefill)["memory"],
                       typed = test::json_of(folder, narrow)["memory"];
  EXPECT_GT(whole["cache_bytes_per_core"], 0);
  EXPECT_EQ(typed["cache_bytes_per_core"], whole["cache_bytes_per_core"]);
  EXPECT_LT(typed["parameter_bytes_per_core"], whole["parameter_bytes_per_core"]);
}

TEST(RunDecode, TellsTheCacheFromTheWeights) {
  const nlohmann::json memory = decoded({"model.batch=32", "decode.cached=2047"})["memory"];
  EXPECT_EQ(memory["classes_at_peak"]["caches"], memory["cache_bytes_per_core"]);
  EXPECT_EQ(memory["classes_at_peak"]["weights"], memory["parameter_bytes_per_core"]);
  EXPECT_EQ(memory["classes_at_peak"]["activations"], 0);
}

TEST(RunDecode, RefusesWhatNothingReads) {
  const test::Folder folder;
  for (const char* setting : {"decode.top_k=3", "decode.top_p=0.5", "decode.prefill_cached=100"}) {
    const test::Outcome outcome = folder.run({"run", "gpt_6b", "--decode", "--set", setting});
    EXPECT_EQ(outcome.code, 2) << setting;
    EXPECT_NE(outcome.err.find(std::string(setting).substr(0, std::string(setting).find('='))), std::string::npos)
        << outcome.err;
  }
}

TEST(RunDecode, RefusesGroupsThatDivideNoWeight) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run({"run", "bert_large", "--inference", "--weights", "int8:group=1000"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("groups of 1000 divide no weight"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace podsim::app
