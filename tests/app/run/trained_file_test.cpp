// SPDX-License-Identifier: Apache-2.0
// Forward programs of files that `podsim run` trains, and loops whose passes a flag tells.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim::test {
namespace {

/// x w of [64, 256] and [256, 128], squared and averaged; w is donated.
constexpr const char* square = R"(HloModule square, buffer_donor={ (1, {}) }
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY main {
  x = f32[64,256] parameter(0)
  w = f32[256,128] parameter(1)
  y = f32[64,128] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  z = f32[64,128] multiply(y, y)
  zero = f32[] constant(0)
  total = f32[] reduce(z, zero), dimensions={0,1}, to_apply=sum
  share = f32[] constant(0.0001220703125)
  ROOT loss = f32[] multiply(total, share)
}
)";

nlohmann::json result(const Folder& folder, std::vector<std::string> words) {
  words.emplace_back("--json");
  const Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

// The step computes only one of the product's two gradients, that of w. It is summed over the cores of the slice in
// bf16, and the update reads and writes arrays of w's size alone.
TEST(RunTrained, AStepHasTheProductsAndTheSumOfItsGradients) {
  const Folder folder;
  folder.write("square.hlo", square);
  const double product = 2.0 * 64 * 256 * 128, weights = 256 * 128;
  const nlohmann::json forward = result(folder, {"run", "square.hlo", "--slice", "2x2"});
  const nlohmann::json step = result(folder, {"run", "square.hlo", "--slice", "2x2", "--train", "adam"});
  const double more = step["flops_per_core_step"].get<double>() - forward["flops_per_core_step"].get<double>();
  EXPECT_GT(more, product);
  EXPECT_LT(more, product + 40 * weights + 4 * 64 * 128);
  ASSERT_EQ(step["collectives"].size(), 1U);
  EXPECT_EQ(step["collectives"][0]["kind"], "all-reduce");
  EXPECT_EQ(step["collectives"][0]["bytes"], 2 * weights);
  EXPECT_EQ(step["collectives"][0]["group_size"], 8);
}

TEST(RunTrained, OptimisersDifferByTheirState) {
  const Folder folder;
  folder.write("square.hlo", square);
  const auto parameters = [&](const char* optimizer) {
    const nlohmann::json step = result(folder, {"run", "square.hlo", "--slice", "1x1", "--train", optimizer});
    return step["memory"]["argument_bytes_per_core"].get<std::int64_t>();
  };
  const std::int64_t weights = 4 * 256 * 128;
  const std::int64_t momentum = parameters("sgd_momentum"), adam = parameters("adam");
  EXPECT_GE(adam - momentum, weights);  // a second moment, and the number of the step
  EXPECT_LE(adam - momentum, weights + 4096);
}

TEST(RunTrained, MixedPrecisionMakesProductsOfBf16) {
  const Folder folder;
  folder.write("square.hlo", square);
  const auto products = [&](const char* precision) {
    const nlohmann::json step =
        result(folder, {"run", "square.hlo", "--slice", "1x1", "--train", "adam", "--precision", precision});
    EXPECT_EQ(step["products"].size(), 1U);
    return step["products"][0]["products"].get<std::string>();
  };
  EXPECT_EQ(products("bf16"), "bf16");
  EXPECT_EQ(products("f32"), "f32 as bf16");  // in one pass, as the text asks for no precision
}

TEST(RunTrained, SaysWhatItNeedsToKnow) {
  const Folder folder;
  std::string text = square;
  text.replace(text.find(", buffer_donor={ (1, {}) }"), 26, "");
  folder.write("square.hlo", text);
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--train", "adam"}, "nothing tells the parameters that are trained from the inputs"},
      {{"--train", "adam", "--parameters", "v"}, "no parameter matches 'v'"},
      {{"--train", "adam", "--parameters", "w", "--loss", "output:1"}, "there is no output 1: the program has 1"},
      {{"--train", "adan", "--parameters", "w"}, "'adan' is not an optimizer"},
      {{"--loss", "output:0"}, "add --train NAME"},
      {{"--trips", "while=3"}, "no loop matches 'while'"},
      {{"--trips", "while"}, "'while' is not NAME=N"},
  };
  for (const auto& [flags, message] : cases) {
    std::vector<std::string> words = {"run", "square.hlo"};
    words.insert(words.end(), flags.begin(), flags.end());
    const Outcome outcome = folder.run(words);
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(folder.run({"run", "resnet50", "--train", "adam"}).code, 2);
}

TEST(RunTrained, AnOperationWithoutAGradientIsNamedWithItsPlace) {
  const Folder folder;
  for (const std::string operation :
       {"custom-call(y, z), custom_call_target=\"f\"", "bitcast(y)", "collective-broadcast(y), replica_groups={{0}}"}) {
    std::string text = square;
    const std::string product = "z = f32[64,128] multiply(y, y)";
    text.replace(text.find(product), product.size(), "z = f32[64,128] negate(y)\n  s = f32[64,128] " + operation);
    text.replace(text.find("reduce(z"), 8, "reduce(s");
    folder.write("wrong.hlo", text);
    const Outcome outcome = folder.run({"hlo", "grad", "wrong.hlo"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("wrong.hlo:12:"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("no gradient"), std::string::npos) << outcome.err;
  }
}

/// Doubles x until it is over 100: as often as x asks for.
constexpr const char* doubling = R"(HloModule doubling
body {
  x = f32[1024,1024] parameter(0)
  ROOT twice = f32[1024,1024] add(x, x)
}
condition {
  x = f32[1024,1024] parameter(0)
  corner = f32[1,1] slice(x), slice={[0:1], [0:1]}
  first = f32[] reshape(corner)
  end = f32[] constant(100)
  ROOT more = pred[] compare(first, end), direction=LT
}
ENTRY main {
  x = f32[1024,1024] parameter(0)
  ROOT loop = f32[1024,1024] while(x), condition=condition, body=body
}
)";

TEST(RunTrips, ALoopRunsAsOftenAsTheFlagSays) {
  const Folder folder;
  folder.write("doubling.hlo", doubling);
  const auto flops = [&](const char* trips) {
    return result(folder, {"run", "doubling.hlo", "--trips", trips})["flops_per_core_step"].get<double>();
  };
  // A pass adds 2^20 numbers and compares one.
  EXPECT_EQ(flops("loop=20") - flops("loop=10"), 10 * (1024.0 * 1024 + 1));
  EXPECT_EQ(flops("l*=10"), flops("loop=10"));
  const Outcome unknown = folder.run({"run", "doubling.hlo"});
  EXPECT_EQ(unknown.code, 0);
  EXPECT_NE((unknown.out + unknown.err).find("--trips loop=N"), std::string::npos) << unknown.out << unknown.err;
}

}  // namespace
}  // namespace podsim::test
