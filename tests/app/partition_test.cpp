// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;

/// Two layers without an activation between them.
constexpr const char* layers_text = R"(HloModule layers

ENTRY %e (x: f32[64,256], first: f32[256,512], second: f32[512,256]) -> f32[64,256] {
  %x = f32[64,256] parameter(0)
  %first = f32[256,512] parameter(1)
  %second = f32[512,256] parameter(2)
  %h = f32[64,512] dot(%x, %first), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT %y = f32[64,256] dot(%h, %second), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

/// The batch along x; the hidden dimension along y, so that the second product leaves sums to add up along y.
constexpr const char* megatron = R"([sharding]
"x" = ["x"]
"first" = ["-", "y"]
"second" = ["y"]
)";

constexpr const char* data_parallel = "[sharding]\n\"x\" = [\"x+y\"]\n";

class Partition : public ::testing::Test {
 protected:
  Partition() {
    folder.write("layers.hlo", layers_text);
    folder.write("megatron.toml", megatron);
    folder.write("data.toml", data_parallel);
  }
  Json json(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const test::Outcome outcome = folder.run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.code == 0 ? Json::parse(outcome.out) : Json();
  }
  /// The errors of a command line, which must be refused as bad input.
  std::string refused(const std::vector<std::string>& arguments) const {
    const test::Outcome outcome = folder.run(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    return outcome.err;
  }

  test::Folder folder;
};

TEST_F(Partition, AProgramOfOneCoreIsTextThatReadsBack) {
  const test::Outcome outcome = folder.run(
      {"hlo", "partition", "layers.hlo", "--mesh", "x=2,y=4", "--sharding", "megatron.toml", "-o", "local.hlo"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(folder.run({"hlo", "check", "local.hlo"}).code, 0);
  const std::string text = folder.read("local.hlo");
  EXPECT_NE(text.find("num_partitions=8"), std::string::npos) << text;
  EXPECT_NE(text.find("f32[32,256]"), std::string::npos) << text;   // x: half of the batch
  EXPECT_NE(text.find("f32[256,128]"), std::string::npos) << text;  // first: a quarter of the hidden dimension
  const Json stats = json({"hlo", "stats", "local.hlo"})["modules"][0];
  ASSERT_EQ(stats["collectives"].size(), 1U) << text;
  EXPECT_EQ(stats["collectives"][0]["kind"], "all-reduce");
}

TEST_F(Partition, KeepsPrecisionsDonorsAndSourceLines) {
  std::string text = layers_text;
  const std::string first = "lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  text.insert(text.find(first) + first.size(),
              ", algorithm=dot_bf16_bf16_f32, operand_precision={highest,default}, "
              "metadata={op_name=\"up\" source_file=\"layers.py\" source_line=7}");
  text.insert(text.find('\n'), ", buffer_donor={ (1, {}) }");
  folder.write("kept.hlo", text);
  const test::Outcome outcome = folder.run(
      {"hlo", "partition", "kept.hlo", "--mesh", "x=2,y=4", "--sharding", "megatron.toml", "-o", "local.hlo"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string local = folder.read("local.hlo");
  for (const char* part : {"algorithm=dot_bf16_bf16_f32, ", "operand_precision={highest,default}",
                           "op_name=\"up\" source_file=\"layers.py\" source_line=7", "buffer_donor={ (1, {}) }"}) {
    EXPECT_NE(local.find(part), std::string::npos) << local;
  }
  EXPECT_EQ(folder.run({"hlo", "check", "local.hlo"}).code, 0);
}

TEST_F(Partition, ExplainsWhereAShardingComesFrom) {
  const test::Outcome outcome = folder.run(
      {"hlo", "partition", "layers.hlo", "--mesh", "x=2,y=4", "--sharding", "megatron.toml", "--explain", "h"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("[x, y]"), std::string::npos) << outcome.out;
}

TEST_F(Partition, CollectivesAreReportedByTheAxesOfTheMesh) {
  const Json run = json({"run", "layers.hlo", "--mesh", "x=2,y=4", "--sharding", "megatron.toml"});
  EXPECT_EQ(run["slice"], "2x2");
  ASSERT_EQ(run["collectives_by_axis"].size(), 1U);
  const Json& row = run["collectives_by_axis"][0];
  EXPECT_EQ(row["axes"], "y");
  EXPECT_EQ(row["kind"], "all-reduce");
  EXPECT_EQ(row["count"], 1);
  EXPECT_EQ(row["bytes_per_step"], 32 * 256 * 4);
  // Shards of x, first and second, and of them all whole.
  EXPECT_EQ(run["memory"]["argument_bytes_per_core"], 4 * (32 * 256 + 256 * 128 + 128 * 256));
  EXPECT_EQ(run["memory"]["argument_bytes_whole"], 4 * (64 * 256 + 256 * 512 + 512 * 256));
  EXPECT_EQ(run["mesh"][1]["name"], "y");
  EXPECT_EQ(run["mesh"][1]["size"], 4);
}

TEST_F(Partition, DataParallelInferenceNeedsNoCollectives) {
  const Json run = json({"run", "layers.hlo", "--mesh", "x=2,y=4", "--sharding", "data.toml"});
  EXPECT_TRUE(run["collectives_by_axis"].empty());
}

TEST_F(Partition, ThePartitionedTextRunsAsTheProgramDoesInTheOrderOfTheCores) {
  folder.run({"hlo", "partition", "layers.hlo", "--mesh", "x=2,y=4", "--sharding", "megatron.toml", "-o", "local.hlo"});
  const Json text = json({"run", "local.hlo"});
  const Json whole = json({"run", "layers.hlo", "--mesh", "x=2@Y,y=4@X+core", "--sharding", "megatron.toml"});
  EXPECT_EQ(text["step_time_ps"], whole["step_time_ps"]);
  EXPECT_EQ(whole["placement"]["chosen"], false);
}

TEST_F(Partition, ComparesTwoShardings) {
  const test::Outcome outcome =
      folder.run({"run", "layers.hlo", "--mesh", "x=2,y=4", "--compare", "megatron.toml", "data.toml"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("all-reduce along y"), std::string::npos) << outcome.out;
  const Json both = json({"run", "layers.hlo", "--mesh", "x=2,y=4", "--compare", "megatron.toml", "data.toml"});
  const Json alone = json({"run", "layers.hlo", "--mesh", "x=2,y=4", "--sharding", "data.toml"});
  EXPECT_EQ(both["runs"][1]["run"]["step_time_ps"], alone["step_time_ps"]);
}

TEST_F(Partition, TheMeshIsDrawnWhereItLies) {
  const test::Outcome outcome = folder.run({"run", "layers.hlo", "--mesh", "x=2@core,y=4@Y+X", "--sharding",
                                            "megatron.toml", "--show-mesh", "-o", "results"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("0.0 1.0"), std::string::npos) << outcome.out;  // chip (0,0): both positions along x
  EXPECT_NE(outcome.out.find("0.3 1.3"), std::string::npos) << outcome.out;  // chip (1,1): the last along y
  EXPECT_NE(folder.read("results/mesh.svg").find("chip (1,1) core 1: 1.3"), std::string::npos);
}

TEST_F(Partition, AMeshThatIsNotOneIsPointedAt) {
  const auto run = [&](const char* mesh) {
    return refused({"run", "layers.hlo", "--mesh", mesh, "--sharding", "megatron.toml", "--slice", "2x2"});
  };
  EXPECT_NE(run("x=2,y=3").find("6 partitions, a slice of 2x2 has 8 cores"), std::string::npos) << run("x=2,y=3");
  EXPECT_NE(run("x=2,y=3").find("axes of 8 positions in all"), std::string::npos) << run("x=2,y=3");
  EXPECT_NE(run("x=2,y=8").find("'--slice 4x2' has as many"), std::string::npos) << run("x=2,y=8");
  EXPECT_NE(run("x=two,y=4").find("--mesh: error"), std::string::npos) << run("x=two,y=4");
  EXPECT_NE(run("x=2@W,y=4").find("no dimension 'w'"), std::string::npos) << run("x=2@W,y=4");
  EXPECT_NE(run("x=2@X+core,y=4").find("axis x has 2 positions"), std::string::npos) << run("x=2@X+core,y=4");
}

TEST_F(Partition, AShardingFileThatDoesNotFitIsPointedAt) {
  const auto run = [&](const char* text) {
    folder.write("bad.toml", text);
    return refused({"run", "layers.hlo", "--mesh", "x=2,y=4", "--sharding", "bad.toml"});
  };
  EXPECT_NE(run("[sharding]\n\"frist\" = [\"x\"]\n").find("did you mean 'first'"), std::string::npos);
  EXPECT_NE(run("[sharding]\n\"first\" = [\"z\"]\n").find("bad.toml:2:"), std::string::npos);
  EXPECT_NE(refused({"run", "layers.hlo", "--mesh", "x=2,y=4", "--sharding", "none.toml"}).find("none.toml"),
            std::string::npos);
}

/// Weights are sharded along the axis of the batch: with tokens and weights annotated alone they are gathered forward
/// and backward, and their gradients are reduced and scattered.
TEST_F(Partition, WeightsInShardsAreGatheredTwiceAndNothingElseMoves) {
  folder.write("shards.toml", R"([mesh]
axes = "d=8"
[sharding]
"tokens" = ["d"]
"targets" = ["d"]
"layer*/attention/w_q" = ["d"]
"layer*/attention/w_k" = ["d"]
"layer*/attention/w_v" = ["d"]
"layer*/attention/w_o" = ["-", "-", "d"]
"layer*/ffn/w_in" = ["d"]
"layer*/ffn/w_out" = ["-", "d"]
)");
  const std::vector<std::string> model{"--set", "model.layers=2",   "--set", "model.d_model=512",
                                       "--set", "model.d_head=128", "--set", "model.heads=4",
                                       "--set", "model.d_ff=2048",  "--set", "model.vocabulary=1024"};
  std::vector<std::string> arguments{"run", "transformer", "--sharding", "shards.toml"};
  arguments.insert(arguments.end(), model.begin(), model.end());
  const Json run = json(arguments);
  const std::int64_t weights = 2 * (4 * 512 * 512 + 2 * 512 * 2048), bf16 = 2;
  std::map<std::string, std::int64_t> bytes;
  for (const Json& row : run["collectives_by_axis"]) bytes[row["kind"]] = row["bytes_per_step"];
  EXPECT_EQ(bytes["all-gather"], 2 * bf16 * weights);
  EXPECT_EQ(bytes["reduce-scatter"], bf16 * weights);
  // The embedding of tokens and positions; norms and biases, in f32; the loss.
  EXPECT_LT(bytes["all-reduce"], bf16 * (1024 + 512) * 512 + 4 * 2 * (2048 + 16 * 512));
  EXPECT_EQ(bytes.size(), 3U);

  arguments = {"hlo", "partition", "transformer", "--sharding", "shards.toml", "--explain", "layer1/residual"};
  arguments.insert(arguments.end(), model.begin(), model.end());
  const test::Outcome explained = folder.run(arguments);
  EXPECT_EQ(explained.code, 0) << explained.err;
  EXPECT_NE(explained.out.find("[d, -, -], shards bf16[8,512,512]"), std::string::npos) << explained.out;
}

TEST_F(Partition, AWorkloadIsPartitionedAsAFileIs) {
  const test::Outcome text =
      folder.run({"hlo", "partition", "dlrm_global", "--mesh", "x=8", "--set", "model.batch=64", "-o", "dlrm.hlo"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(folder.run({"hlo", "check", "dlrm.hlo"}).code, 0);
  EXPECT_NE(folder.read("dlrm.hlo").find("%bottom0.kernel = f32[13,512] parameter(29)"), std::string::npos);
  // It takes the memory and the time of the workload's own run, its partitions in the order of the cores.
  const Json run = json({"run", "dlrm.hlo"});
  const Json whole = json({"run", "dlrm_global", "--mesh", "x=8@Y+X+core", "--set", "model.batch=64"});
  EXPECT_EQ(run["step_time_ps"], whole["step_time_ps"]);
  EXPECT_EQ(run["memory"]["peak_bytes_per_core"], whole["memory"]["peak_bytes_per_core"]);
  const auto error = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"hlo", "partition"});
    return refused(arguments);
  };
  EXPECT_NE(error({"transfomer", "--mesh", "x=4"}).find("did you mean 'transformer'"), std::string::npos);
  EXPECT_NE(error({"transformer"}).find("for how many cores"), std::string::npos);
  EXPECT_NE(error({"transformer", "--mesh", "x=4", "--set", "model.layer=1"}).find("did you mean 'model.layers'"),
            std::string::npos);
  EXPECT_NE(error({"transformer", "--mesh", "x=4", "--set", "mxu.count=1"}).find("only keys of a model"),
            std::string::npos);
  EXPECT_NE(error({"layers.hlo", "--mesh", "x=4", "--set", "model.layers=1"}).find("built-in workloads"),
            std::string::npos);
  EXPECT_NE(error({"pipelined_mlp", "--mesh", "x=4"}).find("4 cores already"), std::string::npos);
}

TEST_F(Partition, AProgramOfOneCoreIsNotCutOnceMore) {
  folder.run({"hlo", "partition", "layers.hlo", "--mesh", "x=2,y=4", "--sharding", "megatron.toml", "-o", "local.hlo"});
  for (const std::vector<std::string>& again : std::vector<std::vector<std::string>>{
           {"hlo", "partition", "local.hlo"}, {"run", "local.hlo", "--mesh", "x=2,y=4"}}) {
    EXPECT_NE(refused(again).find("the program is one core's already"), std::string::npos) << refused(again);
  }
  folder.write("scheduled.hlo", "HloModule m, is_scheduled=true\nENTRY e {\n  ROOT x = f32[8] parameter(0)\n}\n");
  EXPECT_NE(refused({"hlo", "partition", "scheduled.hlo", "--mesh", "x=2"}).find("is_scheduled"), std::string::npos);
}

TEST_F(Partition, SaysWhereNothingWasCut) {
  folder.write("annotated.hlo", R"(HloModule m
ENTRY e {
  x = f32[64,256] parameter(0), sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}
  ROOT y = f32[64,256] negate(x)
}
)");
  const auto warnings = [&](std::vector<std::string> arguments) {
    return json(std::move(arguments))["warnings"].dump();
  };
  EXPECT_NE(warnings({"run", "annotated.hlo"}).find("--mesh 'a0=2,a1=4' cuts it"), std::string::npos);
  EXPECT_EQ(warnings({"run", "annotated.hlo", "--mesh", "x=2,y=4"}), "[]");
  EXPECT_NE(warnings({"run", "layers.hlo", "--mesh", "x=8"}).find("no value has a sharding"), std::string::npos);
  EXPECT_EQ(warnings({"run", "layers.hlo", "--mesh", "x=2,y=4", "--sharding", "data.toml"}), "[]");
  EXPECT_NE(folder.run({"hlo", "partition", "layers.hlo", "--mesh", "x=8"}).err.find("no value has a sharding"),
            std::string::npos);
}

TEST_F(Partition, WithoutAMeshNothingSaysForHowManyCores) {
  EXPECT_NE(refused({"hlo", "partition", "layers.hlo"}).find("for how many cores"), std::string::npos);
}

TEST_F(Partition, AllCoresAreTheOneAxisThatAShardingNames) {
  folder.write("one.toml", "[sharding]\n\"x\" = [\"batch\"]\n");
  const Json run = json({"run", "layers.hlo", "--slice", "2x2", "--sharding", "one.toml"});
  ASSERT_EQ(run["mesh"].size(), 1U);
  EXPECT_EQ(run["mesh"][0]["name"], "batch");
  EXPECT_EQ(run["mesh"][0]["size"], 8);
  EXPECT_NE(refused({"run", "layers.hlo", "--slice", "2x2", "--sharding", "megatron.toml"}).find("axes x, y"),
            std::string::npos);
}

TEST_F(Partition, UpdatesOfShardsKeepShardsOfTheWeights) {
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "resnet50", "--slice", "2x2", "--batch-per-core", "4"});
    return json(more);
  };
  const Json whole = run({}), shards = run({"--weight-update-sharding", "on"});
  // Small arrays stay whole: a little more than an eighth is left.
  const double part = shards["memory"]["updated_bytes_per_core"].get<double>() /
                      shards["memory"]["updated_bytes_per_core_uncut"].get<double>();
  EXPECT_GT(part, 1.0 / 8);
  EXPECT_LT(part, 1.3 / 8);
  EXPECT_LT(shards["memory"]["argument_bytes_per_core"], whole["memory"]["argument_bytes_per_core"]);
  std::set<std::string> kinds;
  for (const Json& row : shards["collectives_by_axis"]) kinds.insert(row["kind"]);
  EXPECT_TRUE(kinds.contains("reduce-scatter"));
  EXPECT_TRUE(kinds.contains("all-gather"));
}

TEST_F(Partition, KeysOfAModelAreForBuiltInWorkloads) {
  EXPECT_NE(refused({"run", "layers.hlo", "--set", "model.layers=2"}).find("built-in workloads"), std::string::npos);
}

TEST_F(Partition, TwoShardingsAreComparedHoweverTheirFilesAreGiven) {
  const std::string sign =
      json({"run", "layers.hlo", "--compare=megatron.toml", "data.toml", "--mesh", "x=2,y=4"}).dump();
  const std::string flags =
      json({"run", "layers.hlo", "--compare", "megatron.toml", "--compare", "data.toml", "--mesh", "x=2,y=4"}).dump();
  EXPECT_NE(sign.find("data.toml"), std::string::npos);
  EXPECT_NE(flags.find("data.toml"), std::string::npos);
  const std::string error = refused({"run", "layers.hlo", "--compare", "megatron.toml", "data.toml", "-o", "results"});
  EXPECT_NE(error.find("--compare runs twice"), std::string::npos) << error;
}

TEST_F(Partition, AnEmptyMeshIsNone) {
  const std::string error = refused({"run", "layers.hlo", "--mesh", ""});
  EXPECT_NE(error.find("an empty mesh"), std::string::npos) << error;
}

TEST_F(Partition, AProgramOfReplicasTakesNoMesh) {
  folder.write("replicas.hlo", R"(HloModule m, replica_count=4
add {
  l = f32[] parameter(0)
  r = f32[] parameter(1)
  ROOT s = f32[] add(l, r)
}
ENTRY e {
  x = f32[8] parameter(0)
  ROOT sum = f32[8] all-reduce(x), replica_groups={{0,1,2,3}}, to_apply=add
}
)");
  const std::string error = refused({"run", "replicas.hlo", "--mesh", "x=2"});
  EXPECT_NE(error.find("4 replicas"), std::string::npos) << error;
}

}  // namespace
}  // namespace podsim
