// SPDX-License-Identifier: Apache-2.0
// A program of JAX in `podsim run`: tests/hlo/stablehlo/programs.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/program.h"

namespace podsim::test {
namespace {

std::string program(const std::string& name) {
  std::ifstream file(std::string(PODSIM_SOURCE_DIR) + "/tests/hlo/stablehlo/programs/" + name + ".mlir");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

nlohmann::json json_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

// Two products of 3 x 8 x 16 and 3 x 16 x 4, two operations each: 1152 FLOPs, and those of the elements between them.
TEST(RunStableHlo, RunsAFunctionThatJaxLowered) {
  const Folder folder;
  folder.write("mlp.mlir", program("layers/mlp"));
  const nlohmann::json step = json_of(folder.run({"run", "mlp.mlir", "--json"}));
  const auto flops = step.at("flops_per_core_step").get<double>();
  EXPECT_GE(flops, 1152);
  EXPECT_LE(flops, 1152 + 3 * 16 * 10);
}

// The HLO text that it becomes takes the same time.
TEST(RunStableHlo, TakesTheTimeOfItsHloText) {
  const Folder folder;
  folder.write("step.mlir", program("gradients/adam_step"));
  folder.write("step.hlo", folder.run({"hlo", "print", "step.mlir"}).out);
  EXPECT_EQ(json_of(folder.run({"run", "step.mlir", "--json"})).at("step_time_s"),
            json_of(folder.run({"run", "step.hlo", "--json"})).at("step_time_s"));
}

// Its text has eight devices and says how values lie on them, so eight cores have an eighth of the work each.
TEST(RunStableHlo, PartitionsAModuleByItsShardings) {
  const Folder folder;
  folder.write("layer.mlir", program("sharded/named_sharding"));
  const Outcome outcome = folder.run({"run", "layer.mlir"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("4 chips, 8 cores"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("how the program is cut"), std::string::npos);
  EXPECT_EQ(folder.run({"run", "layer.mlir", "--slice", "4x4"}).code, 2);
}

// The text declares a mesh of x = 2 and y = 4, and a sum over x inside a shard_map.
TEST(RunStableHlo, ReportsNameTheAxesOfTheText) {
  const Folder folder;
  folder.write("layer.mlir", program("partly_manual/tensor_parallel"));
  const Outcome run = folder.run({"run", "layer.mlir"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("x=2"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("y=4"), std::string::npos) << run.out;
  const Outcome explained = folder.run({"hlo", "partition", "layer.mlir", "--explain", "*dot*"});
  EXPECT_NE(explained.out.find("f32[4,8]: [-, y], shards f32[4,2]"), std::string::npos) << explained.out;
  folder.write("named.hlo",
               "HloModule m, num_partitions=4\nENTRY e {\n  ROOT x = f32[4,4] parameter(0), "
               "sharding={mesh['rows'=2,'columns'=2], [{'rows'}, {'columns'}]}\n}\n");
  const Outcome named = folder.run({"hlo", "partition", "named.hlo", "--explain", "x"});
  EXPECT_NE(named.out.find("[rows, columns], shards f32[2,2]"), std::string::npos) << named.out;
}

TEST(RunStableHlo, PointsAtWhatIsWrongInTheText) {
  const Folder folder;
  std::string text = program("layers/mlp");
  text.replace(text.find("stablehlo.dot_general"), 21, "stablehlo.dot_genral");
  folder.write("wrong.mlir", text);
  const Outcome outcome = folder.run({"run", "wrong.mlir"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("the operation stablehlo.dot_genral has no translation"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("did you mean 'stablehlo.dot_general'?"), std::string::npos);
  EXPECT_NE(outcome.err.find("wrong.mlir:7:10: error"), std::string::npos);
}

}  // namespace
}  // namespace podsim::test
