// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

constexpr const char* networks =
    "stages,v3_images_per_s,v2_images_per_s\n"
    "e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1,2000,1000\n";

TEST(Validate, HasAClassForEveryFileOfTheFolder) {
  const test::Folder folder;
  folder.write("mbconv_inference.csv", networks);
  folder.write("kernels.csv", "kernel,shape,cycles_at_940MHz\nsoftmax,512x512,12902\ngemm,256x256x256,3101\n");
  const test::Outcome outcome = folder.run({"validate", "--data", ".", "--json", "--csv", "points.csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["classes"].size(), 4U) << "kernels, networks on v3 and v2, and their ratio";
  EXPECT_EQ(json["classes"][0]["podsim"]["points"], 2);
  EXPECT_EQ(json["classes"][1]["machine"], "tpu-v3");
  EXPECT_EQ(json["missing"].size(), 4U);
  const std::string points = folder.read("points.csv");
  EXPECT_EQ(std::count(points.begin(), points.end(), '\n'), 6) << "a head and five points";
  EXPECT_NE(folder.run({"validate", "--data", "."}).out.find("tpu-v2"), std::string::npos);
}

TEST(Validate, ASourceThatIsLeftOutIsComparedBothWays) {
  const test::Folder folder;
  folder.write("mbconv_inference.csv", networks);
  folder.write("kernels.csv", "kernel,shape,cycles_at_940MHz\nsoftmax,512x512,12902\ngemm,256x256x256,3101\n");
  const test::Outcome outcome = folder.run({"validate", "--data", ".", "--leave-out", "kernels", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["sources"].size(), 1U);
  const auto& kernels = json["sources"][0];
  EXPECT_EQ(kernels["source"], "kernels");
  EXPECT_LE(kernels["left_out_error"], kernels["at_worst_error"]);
  EXPECT_EQ(kernels["values"].size(), json["parameters"].size());
  EXPECT_EQ(folder.run({"validate", "--data", ".", "--leave-out", "kernels"}).out.find("source"), 0U);
}

// Watts that Google has published, of chips and of runs with their hosts: each within 12 %, also by the values that
// follow from all other rows alone.
TEST(ValidatePower, EveryRowIsWithinTwelvePerCent) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run({"validate", "power", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["rows"].size(), 8U);
  for (const auto& row : json["rows"]) {
    EXPECT_LT(std::abs(row["error"].get<double>()), 0.12) << row;
    EXPECT_LT(std::abs(row["error_left_out"].get<double>()), 0.12) << row;
    EXPECT_TRUE(row["problems"].empty()) << row;
  }
}

TEST(Validate, EstimatesAreHeldToSimulations) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run({"validate", "estimates", "--slice", "4x2", "--bytes", "64KiB", "--bytes",
                                            "100MiB", "--csv", "grid.csv", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_LE(json["median_error"], 0.02);
  EXPECT_LE(json["largest_error"], 0.08);
  // Two sizes for six kinds of groups of five algorithms and more, pairs for collective-permutes.
  EXPECT_GT(json["cases"], 2 * 5 * 6 * 3);
  EXPECT_NE(folder.read("grid.csv").find("broadcast,two-colour,4x2,\"[8,2]<=[2,8]T(1,0)\",104857600,"),
            std::string::npos);
}

TEST(Validate, PublishedMemoryStandsBesideThatOfTheCommandOfItsRow) {
  const test::Folder folder;
  folder.write("memory.csv",
               "model,tokens_of_a_sequence,peak_gb_per_device,note\n"
               "Long-range-arena Transformer (1 layers; d 32; ff 64; 2 heads; batch 4 over 2 chips),16,0.85,\n"
               "GPipe Pipeline-8 L=103,1024,59.5,\n");
  const test::Outcome outcome = folder.run({"validate", "memory", "--data", ".", "--json", "--csv", "rows.csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto rows = nlohmann::json::parse(outcome.out)["rows"];
  ASSERT_EQ(rows.size(), 2U);
  // The command of a row, run alone, needs as much.
  std::istringstream words(rows[0]["command"].get<std::string>() + " --json");
  std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
  arguments.erase(arguments.begin());
  const auto run = nlohmann::json::parse(folder.run(arguments).out);
  EXPECT_EQ(rows[0]["heap_bytes"], run["memory"]["heap_bytes_per_core"]);
  EXPECT_NEAR(rows[0]["error"], rows[0]["heap_bytes"].get<double>() / 0.85e9 - 1, 1e-12);
  EXPECT_EQ(rows[1]["not_simulated"], "pipelines of Transformers are no workload");
  const std::string csv = folder.read("rows.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3) << "a head and two rows";
  EXPECT_EQ(folder.run({"validate", "memory", "--data", "missing"}).code, 2);
  EXPECT_EQ(folder.run({"validate", "memory", "--data", ".", "--only", "LSTM*"}).code, 2);
}

TEST(Validate, ASourceThatDoesNotExistIsAnError) {
  const test::Folder folder;
  folder.write("kernels.csv", "kernel,shape,cycles_at_940MHz\nsoftmax,512x512,12902\n");
  const test::Outcome outcome = folder.run({"validate", "--data", ".", "--leave-out", "kernel"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("did you mean 'kernels'?"), std::string::npos) << outcome.err;
}

TEST(Validate, AFolderWithoutMeasurementsIsAnError) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run({"validate", "--data", "."});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("mbconv_inference.csv"), std::string::npos);
}

TEST(Validate, ABadFieldIsPointedAt) {
  const test::Folder folder;
  folder.write("mbconv_inference.csv", std::string(networks) + "e1k3l1,2000,1000\n");
  const test::Outcome outcome = folder.run({"validate", "--data", "."});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("mbconv_inference.csv:3:1"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace podsim
