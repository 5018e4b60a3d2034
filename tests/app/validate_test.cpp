// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

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
  EXPECT_EQ(json["missing"].size(), 3U);
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
