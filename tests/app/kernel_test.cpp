// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/commands.h"
#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Json kernel_json(const test::Folder& folder, Words arguments) {
  arguments.insert(arguments.begin(), "kernel");
  arguments.emplace_back("--json");
  return test::json_of(folder, arguments);
}

/// Three times around a loop: three bundles before it, two in it, one after it, and the penalty of two branches.
constexpr const char* counting = R"(
{ s.mov s1, 3 }
{ s.mov s2, 0 }
{ s.mov s3, 7 }
again:
{ s.add s2, s2, s3 }
{ s.loop s1, again }
{ s.store [s0 + 5], s2 }
{ halt }
)";

std::string with(const std::string& program, const std::string& more) { return program + more; }

TEST(KernelFile, TakesTheCyclesOfItsBundlesAndItsBranches) {
  const test::Folder folder;
  folder.write("count.pasm", counting);
  const Json json = kernel_json(folder, {"count.pasm"});
  EXPECT_EQ(json["kernel"], "count.pasm");
  EXPECT_EQ(json["bundles"], 3 + 2 * 3 + 2);
  EXPECT_EQ(json["stalls"]["branch"], 2 * 8);
  EXPECT_EQ(json["cycles"], 11 + 16);
  EXPECT_TRUE(json["verified"].is_null());
  EXPECT_TRUE(folder.names() == Words{"count.pasm"});
}

TEST(KernelFile, IsTheSameWithoutVectorData) {
  const test::Folder folder;
  folder.write("count.pasm", counting);
  const Json json = kernel_json(folder, {"count.pasm", "--timing-only"});
  EXPECT_EQ(json["cycles"], 27);
  EXPECT_EQ(json["functional"], false);
}

/// The loop counts the rows of ones, so its length is in the data.
TEST(KernelFile, ThatBranchesOnVectorsRunsWithDataOnly) {
  const test::Folder folder;
  folder.write("rows.pasm",
               "next: vld v1, [s1]\ns.add s1, s1, 1\nnop\nnop\npush.scalar v1\ns.pop s2\ns.eq p1, s2, 1\n"
               "@p1 s.branch next\ns.store [0], s1\nhalt\n"
               ".vmem a, 0\n .fill word, 640, 1\n .zeros 128\n.expect smem, 0\n .word 6\n");
  const Json json = kernel_json(folder, {"rows.pasm"});
  EXPECT_EQ(json["verified"], true);
  EXPECT_EQ(json["stalls"]["scalar_path"], 6 * 9);
  const test::Outcome outcome = folder.run({"kernel", "rows.pasm", "--timing-only"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(has(outcome.err, "rows.pasm:6:1: error: s.pop takes a word of a vector")) << outcome.err;
}

TEST(KernelFile, ThatMeetsItsExpectationsIsVerified) {
  const test::Folder folder;
  folder.write("count.pasm", with(counting, ".expect smem, 5\n.word 21\n"));
  EXPECT_EQ(kernel_json(folder, {"count.pasm"})["verified"], true);
}

TEST(KernelFile, ThatMissesAnExpectationPrintsItsResultAndFailsAtThatLine) {
  const test::Folder folder;
  folder.write("count.pasm", with(counting, ".expect smem, 5\n.word 22\n"));
  const test::Outcome outcome = folder.run({"kernel", "count.pasm", "--json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(Json::parse(outcome.out)["verified"], false);
  for (const char* part : {"count.pasm:10:", "smem word 0x5: expected 0x00000016", "found 0x00000015"}) {
    EXPECT_TRUE(has(outcome.err, part)) << part << "\n" << outcome.err;
  }
}

TEST(KernelFile, WithAHazardFailsAndSaysWhere) {
  const test::Folder folder;
  folder.write("early.pasm", "{ v.mov v1, 1.0 }\n{ v.add.f32 v2, v1, v1 }\n{ halt }\n");
  const test::Outcome outcome = folder.run({"kernel", "early.pasm"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  for (const char* part : {"early.pasm:2", "v1"}) EXPECT_TRUE(has(outcome.err, part)) << outcome.err;
}

TEST(KernelFile, LeavesItsWaveformAndListingUpToAHazard) {
  const test::Folder folder;
  folder.write("early.pasm", "{ s.mov s1, 1 }\n{ v.mov v1, 1.0 }\n{ v.add.f32 v2, v1, v1 }\n{ halt }\n");
  const test::Outcome outcome = folder.run({"kernel", "early.pasm", "--vcd", "e.vcd", "--listing=e.txt"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(test::lines_of(folder.read("e.txt")).size(), 1U + 2U);
  EXPECT_TRUE(has(folder.read("e.vcd"), "$enddefinitions"));
}

TEST(KernelFile, ThatDoesNotAssembleIsBadInputWithACaret) {
  const test::Folder folder;
  folder.write("bad.pasm", "{ s.ad s1, s1, 1 }\n");
  const test::Outcome outcome = folder.run({"kernel", "bad.pasm"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(has(outcome.err, "bad.pasm:1:3: error:")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "^~~~")) << outcome.err;
}

TEST(KernelListing, HasALinePerBundleThatIssuedAndNamesTheWaits) {
  const test::Folder folder;
  folder.write("count.pasm", counting);
  const test::Outcome outcome = folder.run({"kernel", "count.pasm", "--listing=l.txt"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string listing = folder.read("l.txt");
  EXPECT_EQ(test::lines_of(listing).size(), 1U + 11U + 3U);  // the header, the bundles, a label three times
  EXPECT_TRUE(has(listing, "again:")) << listing;
  EXPECT_TRUE(has(listing, "8  branch")) << listing;
  const test::Outcome both = folder.run({"kernel", "count.pasm", "--listing"});
  EXPECT_TRUE(has(both.out, "where the cycles go") && has(both.out, listing)) << both.out;
}

TEST(KernelText, RowsOfTheCyclesAddUp) {
  const test::Folder folder;
  folder.write("count.pasm", counting);
  const std::string text = folder.run({"kernel", "count.pasm"}).out;
  for (const char* part : {"issue   11", "branch  16", "total   27", "27 cycles"}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
}

TEST(KernelFamilies, VerifyOnNumbersAndSayWhatTheyMeasured) {
  const test::Folder folder;
  const Json json = kernel_json(folder, {"elementwise", "--rows", "13", "--columns", "140", "--verify", "--seed", "5"});
  EXPECT_EQ(json["verified"], true);
  EXPECT_EQ(json["verification"]["seed"], 5);
  EXPECT_EQ(json["verification"]["elements"], 2 * 13 * 140);  // finite numbers, then with NaN and infinities
  double sum = json["bundles"];
  for (const auto& [reason, cycles] : json["stalls"].items()) sum += cycles.get<double>();
  EXPECT_EQ(sum, json["cycles"].get<double>());
}

TEST(KernelFamilies, RunAsTheAssemblyTheyEmit) {
  const test::Folder folder;
  const Json generated = kernel_json(folder, {"elementwise", "--rows", "40", "--emit", "e.pasm"});
  const Json assembled = kernel_json(folder, {"e.pasm"});
  EXPECT_EQ(generated["cycles"], assembled["cycles"]);
  EXPECT_EQ(generated["stalls"], assembled["stalls"]);
  EXPECT_EQ(generated["slot_use"], assembled["slot_use"]);
}

TEST(KernelFamilies, HaveHelpOfTheirOwn) {
  const test::Folder folder;
  const std::string all = folder.run({"kernel", "--help"}).out;
  const std::string one = folder.run({"kernel", "elementwise", "--help"}).out;
  EXPECT_TRUE(has(all, "elementwise") && has(all, "--listing")) << all;
  EXPECT_TRUE(has(one, "podsim kernel elementwise") && has(one, "--rows N") && has(one, "[1024]") &&
              has(one, "--dtype f32|bf16") && has(one, "--verify"))
      << one;
  EXPECT_EQ(folder.run({"help", "kernel", "elementwise"}).out, one);
}

// Every value of these that a step takes and a bundle does not is refused where it was set.
TEST(KernelMachine, ValuesThatBundlesDoNotHaveAreRefusedAtTheirPlace) {
  const test::Folder folder;
  const std::string types = "vector.types=f32 s32 bf16";
  for (const std::string& setting :
       {std::string("mxu.size=256"), std::string("mxu.size=64"), std::string("mxu.count=5"),
        std::string("mxu.bf16_products=2"), std::string("mxu.weight_rows_per_cycle=3"), std::string("vector.lanes=64"),
        std::string("vector.sublanes=16"), types}) {
    for (const Words& command :
         {Words{"kernel", "matmul", "--m", "64", "--n", "128", "--k", "128"}, Words{"calibrate", "core"}}) {
      Words words = command;
      words.insert(words.end(), {"--set", setting});
      const test::Outcome outcome = folder.run(words);
      EXPECT_EQ(outcome.code, 2) << setting;
      EXPECT_TRUE(outcome.err.starts_with("--set: error:")) << outcome.err;
      EXPECT_TRUE(has(outcome.err, "'" + setting.substr(0, setting.find('=')) + "'")) << outcome.err;
      EXPECT_TRUE(has(outcome.err, "   | " + setting + "\n")) << outcome.err;
      EXPECT_TRUE(has(outcome.err, "^")) << outcome.err;
      EXPECT_TRUE(has(outcome.err, "the tile level takes any value of the range")) << outcome.err;
    }
  }
}

TEST(KernelMachine, AFileIsNamedWithLineAndColumn) {
  const test::Folder folder;
  folder.write("many.toml", "base = \"tpu-v3\"\n[mxu]\ncount = 8\n");
  const test::Outcome outcome = folder.run({"kernel", "matmul", "--machine", "many.toml"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(outcome.err.starts_with("many.toml:3:9: error: a bundle names up to 4 matrix units")) << outcome.err;
}

// A kernel that uses no matrix unit takes as long on a core with eight.
TEST(KernelMachine, UnitsThatAKernelDoesNotNameChangeNothing) {
  const test::Folder folder;
  const Words softmax = {"softmax", "--rows", "64", "--columns", "256"};
  Words eight = softmax;
  eight.insert(eight.end(), {"--set", "mxu.count=8"});
  EXPECT_EQ(kernel_json(folder, eight)["cycles"], kernel_json(folder, softmax)["cycles"]);
}

/// A scaled array, and what is no element-wise op.
constexpr const char* two_ops = R"(HloModule step

ENTRY main {
  x = f32[64,256] parameter(0)
  scale = f32[256] parameter(1)
  spread = f32[64,256] broadcast(scale), dimensions={1}
  scaled = f32[64,256] multiply(x, spread)
  bent = f32[64,256] tanh(scaled)
  turned = f32[64,256] reverse(x), dimensions={1}
  ROOT both = (f32[64,256], f32[64,256]) tuple(bent, turned)
}
)";

TEST(KernelOfStep, AnOpOfAFileHasTheResultsOfItsText) {
  const test::Folder folder;
  folder.write("step.hlo", two_ops);
  const test::Outcome list = folder.run({"kernel", "step.hlo"});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_TRUE(has(list.out, "1 of the 2 distinct ops of step.hlo have code")) << list.out;
  EXPECT_TRUE(has(list.out, "no: reverse")) << list.out;
  const Json json = kernel_json(folder, {"step.hlo", "--op", "fusion.0", "--verify"});
  EXPECT_EQ(json["verified"], true);
  // 64 x 256 in and out, and a vector of 256 in a tile of 1024.
  EXPECT_EQ(json["hbm_read_bytes"], 4 * (64 * 256 + 1024));
  EXPECT_EQ(json["hbm_written_bytes"], 4 * 64 * 256);
}

TEST(KernelOfStep, LevelsCountsWhatHasCode) {
  const test::Folder folder;
  folder.write("step.hlo", two_ops);
  const Json json = test::json_of(folder, {"levels", "step.hlo", "--json", "--csv", "levels.csv"});
  ASSERT_EQ(json["ops"].size(), 2);
  double with_code = 0, all = 0;
  for (const Json& op : json["ops"]) {
    const double cycles = op["step_cycles"];
    all += cycles;
    if (!op.contains("bundle_cycles")) {
      EXPECT_EQ(op["no_code"], "reverse");
      continue;
    }
    with_code += cycles;
    EXPECT_EQ(op["verified"], true);
  }
  EXPECT_DOUBLE_EQ(json["with_code_share"], with_code / all);
  const std::vector<std::string> lines = test::lines_of(folder.read("levels.csv"));
  ASSERT_EQ(lines.size(), 3);
  for (const std::string& line : lines)
    EXPECT_EQ(std::ranges::count(line, ','), std::ranges::count(lines[0], ',')) << line;
}

TEST(KernelTrace, ComesWithASaveFile) {
  const test::Folder folder;
  kernel_json(folder, {"elementwise", "--rows", "64", "--vcd", "e.vcd", "--trace", "core.dma.*"});
  EXPECT_TRUE(has(folder.read("e.vcd"), "$scope module dma $end"));
  EXPECT_TRUE(has(folder.read("e.gtkw"), "core.dma.read"));
  EXPECT_TRUE(has(folder.read("e.gtkw"), "[markername] A"));
}

}  // namespace
}  // namespace podsim
