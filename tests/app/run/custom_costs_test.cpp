// SPDX-License-Identifier: Apache-2.0
// Custom calls whose price a file says: podsim run --costs.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/app/program.h"

namespace podsim::test {
namespace {

constexpr const char* attention_call = R"(HloModule attention_call
ENTRY main {
  q = bf16[8,2,512,64] parameter(0)
  k = bf16[8,2,256,64] parameter(1)
  ROOT a = bf16[8,2,512,64] custom-call(q, k), custom_call_target="flash_attention", metadata={op_name="layer0/attention_call"}
}
)";

struct PricedStep {
  double seconds = 0, flops = 0;
  std::string warnings;
};

PricedStep priced_step(const Folder& folder, const std::string& costs, const std::string& text = attention_call) {
  folder.write("attention_call.hlo", text);
  folder.write("costs.toml", costs);
  const Outcome outcome =
      folder.run({"run", "attention_call.hlo", "--slice", "1x1", "--costs", "costs.toml", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  return {json["step_time_s"].get<double>(), json["flops_per_core_step"].get<double>(), json["warnings"].dump()};
}

constexpr double clock_hz = 940e6;  // of tpu-v3, published

TEST(CustomCosts, CyclesAreTheWholeTime) {
  const Folder folder;
  const std::string head = "[[call]]\ntarget = \"flash_*\"\noperands = [\"b h s d\", \"b h t d\"]\ncycles = ";
  const double once = priced_step(folder, head + "\"b*h*s\"\n").seconds;
  EXPECT_NEAR(once, 8 * 2 * 512 / clock_hz, 1e-9);
  EXPECT_NEAR(priced_step(folder, head + "100000\n").seconds, 100000 / clock_hz, 1e-9);
}

TEST(CustomCosts, FlopsRunAtTheRateOfTheMatrixUnits) {
  const Folder folder;
  const std::string call = "[[call]]\ntarget = \"flash_attention\"\noperands = [\"b h s d\", \"b h t d\"]\n";
  // Two arrays of 128 x 128, a multiply-add each in every cycle.
  const double flops = 1e6 * 8 * 2 * 256, seconds = flops / (2 * 2 * 128 * 128 * clock_hz);
  const PricedStep priced = priced_step(folder, call + "flops = \"1e6 * b*h*t\"\nbytes = 0\n");
  EXPECT_EQ(priced.flops, flops);
  EXPECT_GT(priced.seconds, seconds);
  EXPECT_LT(priced.seconds, 1.02 * seconds);
  EXPECT_EQ(priced.warnings, "[]");
}

TEST(CustomCosts, BytesRunAtTheRateOfTheMemory) {
  const Folder folder;
  const std::string call = "[[call]]\ntarget = \"flash_attention\"\nbytes = ";
  const double once = priced_step(folder, call + "\"100 * (operand_bytes + result_bytes)\"\n").seconds;
  const double twice = priced_step(folder, call + "\"200 * (operand_bytes + result_bytes)\"\n").seconds;
  const double bytes = 100.0 * 2 * (2 * 8 * 2 * 512 * 64 + 8 * 2 * 256 * 64);
  // 450 GB/s for each of two cores, published, of which a stream may reach a part.
  EXPECT_GT(twice - once, bytes / 450e9);
  EXPECT_LT(twice - once, bytes / 350e9);
}

TEST(CustomCosts, AKernelTakesItsOwnTime) {
  const Folder folder;
  const double seconds = priced_step(folder,
                                     "[[call]]\ntarget = \"flash_attention\"\noperands = [\"b h s d\", \"*\"]\n"
                                     "kernel = \"softmax\"\narguments = { rows = \"b*h*s\", columns = 256 }\n")
                             .seconds;
  const Outcome kernel =
      folder.run({"kernel", "softmax", "--rows", "8192", "--columns", "256", "--timing-only", "--json"});
  const nlohmann::json json = nlohmann::json::parse(kernel.out);
  EXPECT_NEAR(seconds * clock_hz, json["tile_level_cycles"].get<double>(), 1) << kernel.out;
}

TEST(CustomCosts, TheFirstPriceThatMatchesCounts) {
  const Folder folder;
  const auto call = [](const char* keys, int cycles) {
    return "[[call]]\ntarget = \"flash_attention\"\n" + std::string(keys) + "\ncycles = " + std::to_string(cycles) +
           "\n";
  };
  const std::string costs =
      call("operands = [\"b h s d\", \"b h s d\"]", 100000) + call("op_name = \"layer1/*\"", 200000) +
      call("operands = [\"_ 2 512 _\", \"*\"]\nresults = [\"8 _ _ 64\"]", 300000) + call("", 400000);
  EXPECT_NEAR(priced_step(folder, costs).seconds * clock_hz, 300000, 1);
  std::string text = attention_call;
  text.replace(text.find("layer0"), 6, "layer1");
  EXPECT_NEAR(priced_step(folder, costs, text).seconds * clock_hz, 200000, 1);
}

TEST(CustomCosts, ACallWithoutAPriceAndAPriceWithoutACallAreWarnings) {
  const Folder folder;
  const std::string other = "[[call]]\ntarget = \"softmax_*\"\ncycles = 5\n";
  const PricedStep step =
      priced_step(folder, other + "[[call]]\ntarget = \"flash_attention\"\noperands = [\"b\"]\ncycles = 5\n");
  EXPECT_NE(step.warnings.find("custom call 'flash_attention', whose arrays no price matches"), std::string::npos);
  EXPECT_NE(step.warnings.find("costs.toml:1: no custom call of the program is 'softmax_*'; it has flash_attention"),
            std::string::npos)
      << step.warnings;
}

TEST(CustomCosts, MistakesAreNamedAtTheirPlace) {
  const Folder folder;
  folder.write("attention_call.hlo", attention_call);
  const std::string head = "[[call]]\ntarget = \"flash_attention\"\noperands = [\"b h s d\", \"b h t d\"]\n";
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {head + "flops = \"2*b*ss\"\n", {"costs.toml:4:14: error: 'ss' is no size of this call", "did you mean 's'?"}},
      {head + "flops = \"2*(b+s\"\n", {"costs.toml:4:12: error: this parenthesis is not closed"}},
      {head + "flops = \"2*b)\"\n", {"costs.toml:4:13: error: ')' is not expected here"}},
      {head + "flops = \"2*\"\n", {"costs.toml:4:12: error: the expression ends here"}},
      {head + "flops = true\n", {"costs.toml:4:9: error: 'flops' is a number or an expression"}},
      {head + "flop = 2\n", {"costs.toml:4:1: error: 'flop' is not a key of a call", "did you mean 'flops'?"}},
      {head, {"costs.toml:1:1: error: a call needs a price"}},
      {head + "cycles = 2\nflops = 3\n",
       {"costs.toml:5:9: error: 'cycles' says all, 'flops' beside it has no meaning"}},
      {head + "kernel = \"sofmax\"\n", {"costs.toml:4:10: error: 'sofmax' is not a kernel", "did you mean 'softmax'?"}},
      {head + "kernel = \"softmax\"\narguments = { row = 2 }\n",
       {"costs.toml:5:15: error: 'row' is not a parameter of softmax", "did you mean 'rows'?"}},
      {head + "kernel = \"softmax\"\narguments = { rows = \"b/3\" }\n",
       {"costs.toml:5:23: error: 'b/3' is 2.66667 here, not a whole number"}},
      {head + "cycles = \"s - 2*t - 1\"\n", {"costs.toml:4:11: error: 's - 2*t - 1' is -1 here"}},
      {"[[call]]\ncycles = 1\n", {"costs.toml:1:1: error: a call needs 'target'"}},
      {"[calls]\n", {"costs.toml:1:2: error: 'calls' is not a key of costs", "[[call]]"}},
      {"", {"the file has no [[call]]"}},
      {"[[call]]\ntarget = \"a\ncycles = 1\n", {"costs.toml:2:"}},
  };
  for (const auto& [text, messages] : cases) {
    folder.write("costs.toml", text);
    const Outcome outcome = folder.run({"run", "attention_call.hlo", "--costs", "costs.toml"});
    EXPECT_EQ(outcome.code, 2) << text;
    for (const std::string& message : messages) EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
  const Outcome builtin = folder.run({"run", "resnet50", "--costs", "costs.toml"});
  EXPECT_EQ(builtin.code, 2);
  EXPECT_NE(builtin.err.find("--costs is for custom calls of files"), std::string::npos) << builtin.err;
}

}  // namespace
}  // namespace podsim::test
