// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

using ServeFigures = nlohmann::json;
using ServeWords = std::vector<std::string>;

/// A decoder of one layer, on a chip.
ServeWords tiny_server(const ServeWords& more) {
  ServeWords words{"serve", "transformer",   "--set", "model.layers=1",      "--set", "model.d_model=128",
                   "--set", "model.heads=2", "--set", "model.vocabulary=256"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

ServeFigures served(const test::Folder& folder, ServeWords words) {
  words.emplace_back("--json");
  const test::Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return ServeFigures::parse(outcome.out);
}

std::size_t lines_in(const std::string& text) { return std::size_t(std::ranges::count(text, '\n')); }

/// 300 prompts of 200 tokens and answers of 20: 60,000 tokens are read or reused, 6,000 made.
TEST(Serve, CountsEveryToken) {
  const test::Folder folder;
  const ServeFigures whole =
      served(folder, tiny_server({"--rate", "200/s", "--requests", "300", "--prompt", "200", "--answer", "20"}));
  EXPECT_EQ(whole["counts"]["prompt_tokens_read"], 60'000);
  EXPECT_EQ(whole["counts"]["tokens_made"], 6'000);
  EXPECT_EQ(whole["requests"], 300);
  const ServeFigures reused = served(folder, tiny_server({"--rate", "200/s", "--requests", "300", "--prompt", "200",
                                                          "--answer", "20", "--reuse", "0.6", "--page", "32"}));
  EXPECT_EQ(reused["counts"]["prompt_tokens_read"].get<int>() + reused["counts"]["prompt_tokens_reused"].get<int>(),
            60'000);
  EXPECT_NEAR(reused["counts"]["prompt_tokens_reused"].get<double>() / 60'000, 0.6, 0.03);
}

/// The time of a single request is that of its steps: of the part of a program that reads its prompt, and those that
/// decode.
TEST(Serve, OfOneRequestIsItsSteps) {
  const test::Folder folder;
  const ServeFigures one = served(folder, tiny_server({"--rate", "1/s", "--requests", "1", "--prompt", "100",
                                                       "--answer", "5", "--chunk", "0", "--max-batch", "1"}));
  double read = 0, decode = 0;
  for (const ServeFigures& program : one["programs"]) {
    (program["prefill_tokens"] > 0 ? read : decode) = program["step_s"];
  }
  ASSERT_EQ(one["programs"].size(), 2u);
  EXPECT_NEAR(one["ttft_s"]["mean"].get<double>(), read, 2e-9);
  EXPECT_NEAR(one["tpot_s"]["mean"].get<double>(), decode, 2e-9);
  EXPECT_NEAR(one["latency_s"]["mean"].get<double>(), read + 4 * decode, 5e-9);
}

/// The energy of a request is that of its steps, which podsim run prints, and that of idle chips before it arrives.
TEST(Serve, TakesTheEnergyOfItsSteps) {
  const test::Folder folder;
  const ServeFigures one =
      served(folder, {"serve", "resnet50", "--rate", "1/s", "--requests", "1", "--max-batch", "8"});
  const test::Outcome outcome =
      folder.run({"run", "resnet50", "--slice", "1x1", "--inference", "--batch-per-core", "1", "--json"});
  const ServeFigures run = ServeFigures::parse(outcome.out);
  ASSERT_EQ(one["programs"].size(), 1u);
  const ServeFigures& program = one["programs"][0];
  const double step_s = run["step_time_s"], step_j = run["energy"]["step_j"];
  EXPECT_NEAR(program["step_j"].get<double>(), step_j, 1e-9);
  EXPECT_NEAR(program["mxu"].get<double>(), run["utilization"]["mxu"].get<double>(), 1e-12);
  EXPECT_NEAR(program["hbm"].get<double>(), run["utilization"]["hbm"].get<double>(), 1e-12);
  const ServeFigures& energy = one["energy"];
  const double idle_j = (one["time_s"].get<double>() - step_s) * run["energy"]["chip_idle_w"].get<double>();
  EXPECT_NEAR(energy["joules"].get<double>(), step_j + idle_j, 1e-6);
  EXPECT_NEAR(energy["request_j"].get<double>(), step_j + idle_j, 1e-6);
  EXPECT_NEAR(one["utilization"]["mxu_in_steps"].get<double>(), program["mxu"].get<double>(), 1e-6);
}

/// All of four drafted tokens are accepted: 10 tokens behind the first take two steps, each of one program of the model
/// and four of the draft. Both read the prompt. The model's program is that of podsim run with five new tokens.
TEST(Serve, TakesTheStepsOfADraftAndOfItsCheck) {
  const test::Folder folder;
  const ServeFigures one = served(folder, tiny_server({"--rate",      "1/s",
                                                       "--requests",  "1",
                                                       "--prompt",    "100",
                                                       "--answer",    "11",
                                                       "--chunk",     "0",
                                                       "--max-batch", "1",
                                                       "--draft",     "transformer",
                                                       "--draft-set", "model.layers=1",
                                                       "--draft-set", "model.d_model=64",
                                                       "--draft-set", "model.heads=2",
                                                       "--draft-set", "model.vocabulary=256",
                                                       "--accept",    "1"}));
  ASSERT_EQ(one["programs"].size(), 4u);
  double read = 0, decode = 0, check = 0;
  for (const ServeFigures& program : one["programs"]) {
    const double step_s = program["step_s"];
    if (program["prefill_tokens"] > 0) {
      read += step_s;
    } else if (program["drafts"] == true) {
      decode += 4 * step_s;
    } else {
      check = step_s;
      decode += step_s;
    }
  }
  EXPECT_NEAR(one["ttft_s"]["mean"].get<double>(), read, 2e-9);
  EXPECT_NEAR(one["latency_s"]["mean"].get<double>(), read + 2 * decode, 5e-9);
  EXPECT_EQ(one["draft"]["tokens_per_step"], 5);
  ServeWords run =
      tiny_server({"--slice", "1x1", "--decode", "--set", "model.tensor_parallel=2", "--set", "model.batch=1", "--set",
                   "decode.cached=123", "--set", "decode.new_tokens=5", "--set", "decode.all_next=on", "--json"});
  run[0] = "run";
  EXPECT_NEAR(ServeFigures::parse(folder.run(run).out)["step_time_s"].get<double>(), check, 1e-9);
}

/// Both of two experts get every token, whatever the skew, and have as many slots by default: twice half of the tokens.
/// A popular one of eight experts needs more slots in each.
TEST(Serve, TakesAsLongAsTheBusiestExpert) {
  const test::Folder folder;
  const auto prompt_step = [&](const char* experts, const ServeWords& more) {
    ServeWords words =
        tiny_server({"--rate", "1/s", "--requests", "1", "--prompt", "512", "--answer", "2", "--set", "model.d_ff=4096",
                     "--set", "model.expert_interval=1", "--set", std::string("model.experts=") + experts});
    words.insert(words.end(), more.begin(), more.end());
    const ServeFigures result = served(folder, words);
    for (const ServeFigures& program : result["programs"]) {
      if (program["prefill_tokens"] > 0) return program["step_s"].get<double>();
    }
    return 0.0;
  };
  EXPECT_EQ(prompt_step("2", {"--expert-skew", "1"}), prompt_step("2", {}));
  const double alike = prompt_step("8", {"--expert-skew", "0"}), skewed = prompt_step("8", {"--expert-skew", "1"}),
               one = prompt_step("8", {"--expert-skew", "5"});
  EXPECT_GE(alike, prompt_step("8", {}));
  EXPECT_GT(skewed, 1.1 * alike);
  EXPECT_GT(one, 1.1 * skewed);
}

/// A draft takes memory for its weights and for its caches: 2 x layers x model x 2 bytes of a token each.
TEST(Serve, HasLessRoomForCachesWithADraft) {
  const test::Folder folder;
  const ServeWords asked{"--rate", "1/s", "--requests", "1", "--answer", "2"};
  const ServeFigures alone = served(folder, tiny_server(asked));
  ServeWords with = tiny_server(asked);
  with.insert(with.end(),
              {"--draft", "transformer", "--draft-set", "model.vocabulary=256", "--draft-set", "model.layers=3",
               "--draft-set", "model.d_model=128", "--draft-set", "model.heads=2", "--accept", "0.5"});
  const ServeFigures drafted = served(folder, with);
  EXPECT_NEAR(drafted["cache"]["bytes_per_token"].get<double>(), 4 * alone["cache"]["bytes_per_token"].get<double>(),
              1);
  EXPECT_LT(drafted["cache"]["pages"].get<double>(), alone["cache"]["pages"].get<double>() / 4);
  EXPECT_GT(drafted["cache"]["pages"].get<double>(), alone["cache"]["pages"].get<double>() / 4.4);
}

TEST(Serve, WritesAFolderThatIsTheSameForTheSameSeed) {
  const test::Folder folder;
  const ServeWords words = tiny_server({"--rate", "300/s", "--requests", "200", "--replicas", "2", "--between-stops",
                                        "200 ms", "--repair", "50 ms", "--slo", "ttft<10ms,tpot<1ms"});
  const ServeWords files{"manifest.json", "report.html", "requests.csv", "series.csv", "stats.json", "summary.txt"};
  for (const char* name : {"first", "again"}) {
    ServeWords with = words;
    with.insert(with.end(), {"-o", name});
    const test::Outcome outcome = folder.run(with);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(folder.names(name), files);
  }
  for (const std::string& file : files) EXPECT_EQ(folder.read("first/" + file), folder.read("again/" + file)) << file;
  EXPECT_EQ(lines_in(folder.read("first/requests.csv")), 201u);
  EXPECT_GT(lines_in(folder.read("first/series.csv")), 10u);
  const std::string page = folder.read("first/report.html");
  for (const char* section : {"Times of requests", "Replicas", "Queue", "Cache", "Steps", "podsim serve transformer"}) {
    EXPECT_NE(page.find(section), std::string::npos) << section;
  }
  ServeWords other = words;
  other.insert(other.end(), {"--seed", "2", "-o", "other"});
  ASSERT_EQ(folder.run(other).code, 0);
  EXPECT_NE(folder.read("first/requests.csv"), folder.read("other/requests.csv"));
}

/// A trace is served in its own order, at its own times.
TEST(Serve, TakesRequestsOfAFile) {
  const test::Folder folder;
  folder.write("trace.csv", "arrival_s,input,output\n0,100,5\n0.5,200,7\n2.25,50,1\n");
  const ServeFigures result = served(folder, tiny_server({"--trace", "trace.csv"}));
  EXPECT_EQ(result["requests"], 3);
  EXPECT_EQ(result["counts"]["prompt_tokens_read"], 350);
  EXPECT_EQ(result["counts"]["tokens_made"], 13);
  EXPECT_GT(result["time_s"], 2.25);
  const ServeFigures faster = served(folder, tiny_server({"--trace", "trace.csv", "--rate", "100/s"}));
  EXPECT_LT(faster["time_s"], 0.1);
}

/// Replicas share the requests; twice as many wait for less long.
TEST(Serve, WaitsLessWithMoreReplicas) {
  const test::Folder folder;
  double before = 1e9;
  for (const char* replicas : {"1", "2", "4"}) {
    const ServeFigures result = served(folder, {"serve", "resnet50", "--rate", "5000/s", "--requests", "20000",
                                                "--max-batch", "4", "--replicas", replicas});
    EXPECT_LT(result["wait_s"]["mean"], before);
    before = result["wait_s"]["mean"];
  }
}

/// 700 positions are enough for 600 and 100 tokens, also if programs are made for more keys.
TEST(Serve, TakesRequestsAsLongAsTheModelsPositions) {
  const test::Folder folder;
  const ServeFigures result = served(folder, tiny_server({"--set", "model.sequence=700", "--rate", "100/s",
                                                          "--requests", "20", "--prompt", "600", "--answer", "100"}));
  EXPECT_EQ(result["counts"]["tokens_made"], 2000);
  EXPECT_EQ(result["warnings"].size(), 0u);
}

/// A draft with fewer positions than a request is told apart from the model, which has enough.
TEST(Serve, WarnsOfADraftWithFewerPositions) {
  const test::Folder folder;
  const ServeFigures result = served(folder, tiny_server({"--set",       "model.sequence=1000",
                                                          "--rate",      "100/s",
                                                          "--requests",  "3",
                                                          "--prompt",    "900",
                                                          "--answer",    "50",
                                                          "--draft",     "transformer",
                                                          "--accept",    "0",
                                                          "--draft-set", "model.vocabulary=256",
                                                          "--draft-set", "model.layers=1",
                                                          "--draft-set", "model.d_model=128",
                                                          "--draft-set", "model.heads=2"}));
  ASSERT_EQ(result["warnings"].size(), 1u);
  EXPECT_TRUE(
      result["warnings"][0].get<std::string>().starts_with("a request has 950 tokens, the draft positions for"));
}

/// The walk weighs a model that has fewer positions than its smallest program.
TEST(Serve, WalksSlicesOfAModelOfFewPositions) {
  const test::Folder folder;
  const ServeFigures result =
      served(folder, tiny_server({"--set", "model.sequence=64", "--rate", "8/s", "--requests", "5", "--prompt", "16",
                                  "--answer", "8", "--slices", "auto", "--slo", "ttft<2s"}));
  EXPECT_EQ(result["smallest"], "1x1");
}

/// A network that searches has no steps that also read prompts: its requests are samples.
TEST(Serve, HasSamplesOfATranslator) {
  const test::Folder folder;
  const ServeFigures result =
      served(folder, {"serve", "gnmt", "--rate", "10/s", "--requests", "20", "--max-batch", "2"});
  EXPECT_EQ(result["requests"], 20);
  EXPECT_FALSE(result.contains("ttft_s"));
}

TEST(Serve, RefusesWhatItCannotServe) {
  const test::Folder folder;
  folder.write("trace.jsonl", R"({"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1, 2]})");
  struct Refusal {
    ServeWords words;
    const char* message;
  };
  const std::vector<Refusal> refusals{
      {{"serve", "resnet50", "--rate", "1e-6/s", "--requests", "20000"}, "requests arrive for longer than 1e+09 s"},
      {{"serve", "resnet50", "--rate", "8/s", "--warm-up", "1e30 s"}, "--warm-up: error: '1e30 s' is not a duration"},
      {{"serve", "resnet50", "--rate", "8/s", "--between-stops", "1 us", "--repair", "0 s"}, "replicas stop more than"},
      {tiny_server({"--rate", "8/s", "--set", "model.sequence=abc"}), "--set: error: 'abc' is not a whole number"},
      {{"serve", "gpt_6b", "--rate", "8/s", "--set", "model.sequence=abc"},
       "--set: error: 'abc' is not a whole number"},
      {tiny_server({"--trace", "trace.jsonl", "--page", "1024"}), "no whole pages of 1024"},
      {tiny_server({"--trace", "trace.jsonl", "--page", "96"}), "no whole pages of 96"},
      {tiny_server({"--rate", "8/s", "--set", "model.window=64"}), "has no model.window"},
      {tiny_server({"--rate", "8/s", "--draft", "transformer", "--accept", "0.5", "--draft-set", "model.vocabulary=256",
                    "--draft-set", "model.layer=1"}),
       "--draft-set: error: 'model.layer' is not a key of transformer"},
      {tiny_server({"--rate", "8/s", "--set", "model.sequence=700", "--draft", "transformer", "--accept", "0.5",
                    "--draft-set", "model.vocabulary=256", "--draft-set", "model.layers=1", "--draft-set",
                    "model.sequence=600"}),
       "the draft positions for 600"},
      {{"serve", "transformer_mlperf", "--rate", "8/s"}, "'transformer_mlperf' has an encoder"},
      {tiny_server({"--rate", "8/s", "--set", "model.layers=x", "--slices", "1x1,2x1", "--slo", "latency<1s"}),
       "'x' is not a whole number"},
      {{"serve", "resnet50", "--scenario", "single_stream", "--replicas", "2"}, "a stream has one replica"},
      {{"serve", "resnet50", "--scenario", "offline", "--seed", "2"}, "only the scenario server draws arrivals"}};
  for (const Refusal& refusal : refusals) {
    const test::Outcome outcome = folder.run(refusal.words);
    EXPECT_EQ(outcome.code, 2) << refusal.message;
    EXPECT_NE(outcome.err.find(refusal.message), std::string::npos) << outcome.err;
  }
}

/// Memory that is too small on all slices is a result; a slice that the machine does not form, without another, is not.
TEST(Serve, TellsSlicesThatAreTooSmallFromMistakes) {
  const test::Folder folder;
  const ServeWords asked{"--rate", "8/s", "--requests", "5", "--slo", "latency<10s"};
  ServeWords small{"serve", "gpt_6b", "--slices", "1x1,2x1", "--cache-tokens", "100000000"};
  small.insert(small.end(), asked.begin(), asked.end());
  const ServeFigures result = served(folder, small);
  EXPECT_TRUE(result["smallest"].is_null());
  for (const ServeFigures& slice : result["slices"]) {
    EXPECT_NE(slice["refusal"].get<std::string>().find("has room for"), std::string::npos);
  }
  ServeWords odd{"serve", "gpt_6b", "--slices", "3x1"};
  odd.insert(odd.end(), asked.begin(), asked.end());
  EXPECT_EQ(folder.run(odd).code, 2);
}

/// Both cores compute all of a decoder that a mesh without a sharding does not divide: the compiler's warning is
/// printed once, though each program has it with other numbers.
TEST(Serve, PrintsTheWarningsOfItsPrograms) {
  const test::Folder folder;
  const ServeFigures result = served(folder, tiny_server({"--mesh", "x=2", "--rate", "8/s", "--requests", "5"}));
  std::size_t replicated = 0;
  for (const ServeFigures& warning : result["warnings"]) {
    if (warning.get<std::string>().starts_with("work is replicated")) ++replicated;
  }
  EXPECT_EQ(replicated, 1u);
}

/// No request is counted: no slice meets the level.
TEST(Serve, NamesNoSliceThatServesNothing) {
  const test::Folder folder;
  const ServeFigures result = served(folder, tiny_server({"--rate", "8/s", "--requests", "5", "--warm-up", "1000 s",
                                                          "--slices", "1x1", "--slo", "latency<10s"}));
  EXPECT_TRUE(result["smallest"].is_null());
}

/// The smallest slice that meets the level is named, and those below it do not meet it.
TEST(Serve, FindsTheSmallestSlice) {
  const test::Folder folder;
  const ServeFigures result =
      served(folder, {"serve", "gpt_6b", "--slices", "1x1,2x1,2x2", "--set", "model.parameter_type=bf16", "--rate",
                      "1/s", "--requests", "20", "--slo", "tpot<20ms"});
  ASSERT_EQ(result["slices"].size(), 3u);
  bool smaller = true;
  for (const ServeFigures& slice : result["slices"]) {
    if (slice["slice"] == result["smallest"]) smaller = false;
    EXPECT_EQ(slice["meets"].get<bool>(), !smaller) << slice["slice"];
  }
  EXPECT_FALSE(smaller);
}

}  // namespace
}  // namespace podsim
