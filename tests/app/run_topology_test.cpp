// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;

constexpr const char* convolutions =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
    "Conv1, 224, 224, 7, 7, 3, 64, 2,\n"
    "Deep, 16, 16, 3, 3, 512, 512, 1,\n";

Json run(const test::Folder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  arguments.emplace_back("--json");
  const test::Outcome outcome = folder.run(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

TEST(RunTopology, CountsAsScaleSimDoesOnOneArrayOfTheMachinesSize) {
  test::Folder folder;
  folder.write("t.csv", convolutions);
  const Json json = run(folder, {"t.csv", "--convention", "scale-sim"});
  ASSERT_EQ(json["layers"].size(), 2U);
  const Json& first = json["layers"][0];
  EXPECT_EQ(first["name"], "Conv1");
  EXPECT_EQ(first["macs"], 110 * 110 * 64 * 147);
  EXPECT_EQ(first["cycles"], 2 * (3 * 128 + 12100 - 2) - 1);  // ceil(147 / 128) folds
  EXPECT_DOUBLE_EQ(first["utilization"], double(110 * 110 * 64 * 147) / (24963.0 * 128 * 128));
  EXPECT_EQ(json["layers"][1]["cycles"], 36 * 4 * (3 * 128 + 196 - 2) - 1);
  EXPECT_EQ(json["cycles"], 24963 + 144 * 578 - 1);

  const Json small = run(folder, {"t.csv", "--convention", "scale-sim", "--set", "mxu.size=64"});
  EXPECT_EQ(small["layers"][0]["cycles"], 3 * (3 * 64 + 12100 - 2) - 1);
}

// No layer is faster than its multiply-accumulates on all arrays, nor than its arrays through the HBM, each once.
TEST(RunTopology, OnACoreALayerTakesAtLeastItsArithmeticAndItsTraffic) {
  test::Folder folder;
  folder.write("t.csv", convolutions);
  const Json json = run(folder, {"t.csv"});
  const std::vector<double> arrays_bytes = {2.0 * (224 * 224 * 3 + 147 * 64 + 110 * 110 * 64),
                                            2.0 * (16 * 16 * 512 + 4608 * 512 + 14 * 14 * 512)};
  ASSERT_EQ(json["layers"].size(), 2U);
  double sum = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& layer = json["layers"][i];
    const double cycles = layer["cycles"];
    EXPECT_GE(layer["mxu_cycles"].get<double>(), layer["macs"].get<double>() / (2 * 128 * 128));
    EXPECT_GE(cycles, layer["mxu_cycles"].get<double>());
    EXPECT_GE(cycles, layer["memory_cycles"].get<double>());
    EXPECT_GE(layer["hbm_bytes"].get<double>(), arrays_bytes[i]);
    EXPECT_GE(layer["memory_cycles"].get<double>(), arrays_bytes[i] / 450e9 * 940e6);  // 900 GB/s a chip, published
    sum += cycles;
  }
  EXPECT_EQ(json["cycles"], sum);
  EXPECT_LT(json["layers"][1]["cycles"], json["layers"][1]["scale_sim_cycles"]);  // two arrays; weights load early
}

TEST(RunTopology, AMatrixProductTakesWhatItTakesAsHloText) {
  test::Folder folder;
  folder.write("t.CSV", "Layer,K,M,N\nq,512,1024,256\n");
  folder.write("q.hlo", R"(HloModule q
ENTRY %e (a: bf16[1024,512], b: bf16[512,256]) -> bf16[1024,256] {
  %a = bf16[1024,512] parameter(0)
  %b = bf16[512,256] parameter(1)
  ROOT %c = bf16[1024,256] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)");
  const double cycles = run(folder, {"t.CSV"})["cycles"];
  const double picoseconds = run(folder, {"q.hlo"})["step_time_ps"];
  EXPECT_NEAR(picoseconds * 940e6 * 1e-12, cycles, 0.01);
}

TEST(RunTopology, TheTableHasALineForEachLayerAndTheTotal) {
  test::Folder folder;
  folder.write("t.csv", convolutions);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "t.csv"}, {"run", "t.csv", "--convention", "scale-sim"}}) {
    const test::Outcome outcome = folder.run(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const char* word : {"\nConv1 ", "\nDeep ", "\ntotal ", "24963"}) {
      EXPECT_NE(outcome.out.find(word), std::string::npos) << word << "\n" << outcome.out;
    }
  }
}

TEST(RunTopology, MistakesInTheFileAreShownAtTheirPlace) {
  test::Folder folder;
  folder.write("bad.csv", "Layer,M,N,K\na,1,2,3\nb,1,zwei,3\n");
  const test::Outcome outcome = folder.run({"run", "bad.csv"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("bad.csv:3:5: error: N 'zwei'"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("    ^~~~"), std::string::npos) << outcome.err;
  EXPECT_EQ(folder.run({"run", "missing.csv"}).code, 2);
}

TEST(RunTopology, FlagsOfStepsAndAConventionWithoutTopologyAreRefused) {
  test::Folder folder;
  folder.write("t.csv", convolutions);
  const std::vector<std::vector<std::string>> refused = {{"run", "t.csv", "--slice", "2x2"},
                                                         {"run", "t.csv", "--batch-per-core", "8"},
                                                         {"run", "t.csv", "-o", "results"},
                                                         {"run", "t.csv", "--convention", "scalesim"},
                                                         {"run", "resnet50", "--convention", "scale-sim"}};
  for (const std::vector<std::string>& words : refused) {
    const test::Outcome outcome = folder.run(words);
    EXPECT_EQ(outcome.code, 2) << words.back();
    EXPECT_NE(outcome.err.find("error:"), std::string::npos) << words.back();
  }
}

TEST(RunTopology, ALayerBeyondTheHbmIsRefused) {
  test::Folder folder;
  folder.write("t.csv", "large,100000,100000,100000\n");
  const test::Outcome outcome = folder.run({"run", "t.csv"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("out of memory: large needs"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace podsim
