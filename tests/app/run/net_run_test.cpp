// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/commands.h"
#include "tests/app/program.h"

namespace podsim::test {
namespace {

std::string page(const std::string& name) {
  return (std::filesystem::path(PODSIM_SOURCE_DIR) / "examples/nets" / name).string();
}

/// Acceptance: equal FLOPs, a step within 0.1 %.
void expect_equal_runs(const std::string& net, const std::vector<std::string>& built_in,
                       const std::vector<std::string>& more) {
  const Folder folder;
  std::vector<std::string> ours = {"run", page(net), "--json"}, theirs = {"run", "--json"};
  theirs.insert(theirs.end(), built_in.begin(), built_in.end());
  ours.insert(ours.end(), more.begin(), more.end());
  theirs.insert(theirs.end(), more.begin(), more.end());
  const nlohmann::json a = json_of(folder, ours), b = json_of(folder, theirs);
  EXPECT_EQ(a["flops_per_core_step"], b["flops_per_core_step"]);
  EXPECT_EQ(a["memory"]["argument_bytes_per_core"], b["memory"]["argument_bytes_per_core"]);
  const double step = b["step_time_s"];
  EXPECT_NEAR(a["step_time_s"].get<double>(), step, 1e-3 * step);
}

TEST(NetRun, ResNet50TakesTheBuiltInStep) { expect_equal_runs("resnet50.toml", {"resnet50"}, {"--slice", "4x4"}); }

TEST(NetRun, BertLargeTakesTheBuiltInStep) {
  expect_equal_runs("bert_large.toml", {"bert_large"}, {"--slice", "2x2", "--set", "model.layers=4"});
}

TEST(NetRun, AMixtureCutByNameTakesTheBuiltInStep) {
  const Folder folder;
  folder.write("experts.toml", R"([mesh]
axes = "x=32"
[sharding]
"tokens" = ["x"]
"targets" = ["x"]
"layer*/moe/w_in" = ["x"]
"layer*/moe/w_out" = ["x"]
"layer*/moe/w_gating" = "replicated"
"layer*/moe/combine" = ["x"]
"layer*/moe/dispatched" = ["", "x"]
"layer*/moe/hidden" = ["x"]
"layer*/moe/expert_out" = ["x"]
"layer*/residual" = ["x"]
)");
  const nlohmann::json ours = json_of(folder, {"run", page("mixture.toml"), "--json", "--set", "model.pairs=1"});
  const nlohmann::json theirs = json_of(folder, {"run", "transformer", "--json", "--sharding", "experts.toml", "--set",
                                                 "model.experts=32", "--set", "model.layers=2"});
  EXPECT_EQ(ours["cores"], 32);
  EXPECT_EQ(ours["flops_per_core_step"], theirs["flops_per_core_step"]);
  const double step = theirs["step_time_s"];
  EXPECT_NEAR(ours["step_time_s"].get<double>(), step, 1e-3 * step);
}

TEST(NetRun, AStudyVariesItsKeys) {
  const Folder folder;
  folder.write("net.toml", folder.read(page("resnet50.toml")));
  folder.write("widths.toml", R"(metrics = ["flops_per_core_step"]
[base]
workload = "net.toml"
slice = "1x1"
batch_per_core = 1
[axes]
"model.width" = [8, 16]
)");
  const Outcome outcome = folder.run({"sweep", "widths.toml"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("2 points"), std::string::npos) << outcome.out;
}

TEST(NetRun, TheCommandsOfHloTakeIt) {
  const Folder folder;
  const Outcome printed = folder.run({"hlo", "print", page("resnet50.toml")});
  ASSERT_EQ(printed.code, 0) << printed.err;
  folder.write("step.hlo", printed.out);
  EXPECT_EQ(folder.run({"hlo", "check", "step.hlo"}).code, 0);
  const Outcome cut = folder.run({"hlo", "partition", page("mixture.toml"), "--set", "model.pairs=1"});
  EXPECT_EQ(cut.code, 0) << cut.err;
  EXPECT_NE(cut.out.find("all-to-all"), std::string::npos);
}

TEST(NetRun, MistakesEndWithTheirPlace) {
  const Folder folder;
  folder.write("net.toml", "batch_per_core = 8\n[inputs]\nx = { sizes = [4] }\n[[layer]]\nkind = \"dnse\"\n");
  const Outcome outcome = folder.run({"run", "net.toml"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err,
            "net.toml:5:8: error: 'dnse' is no kind of layer\n"
            "  5 | kind = \"dnse\"\n"
            "    |        ^~~~~~ did you mean 'dense'?\n");
  EXPECT_EQ(folder.run({"run", page("resnet50.toml"), "--train", "adam"}).code, 2);
  EXPECT_EQ(folder.run({"run", page("resnet50.toml"), "--set", "model.depth=3"}).code, 2);
}

TEST(NetRun, AFileThatIsNoLibraryIsNamed) {
  const Folder folder;
  folder.write("libnet.so", "no library\n");
  const Outcome outcome = folder.run({"run", "libnet.so"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("WORKLOAD: error: 'libnet.so' gives no net"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace podsim::test
