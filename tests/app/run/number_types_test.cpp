// SPDX-License-Identifier: Apache-2.0
// What the parts of a machine compute in changes the time of an op, by the same factor at all levels of detail.
#include <gtest/gtest.h>

#include <utility>

#include "tests/app/commands.h"

namespace podsim::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

/// 64 x 64 weight tiles, past which 8192 rows stream on two arrays: 16.8 million cycles of the arrays, and of the HBM,
/// which moves 0.4 GB, one million.
constexpr const char* product_of_s8 = R"(HloModule product

ENTRY main {
  a = s8[8192,8192]{1,0} parameter(0)
  b = s8[8192,8192]{1,0} parameter(1)
  ROOT c = s32[8192,8192]{1,0} dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)";

/// 320 operations on each of two million elements: 2048 registers of 1024, two operations a cycle, are 327,680 cycles;
/// the HBM moves 8 MiB in 21,000.
std::string powers_of_bf16() {
  std::string text = "HloModule powers\n\nENTRY main {\n  x0 = bf16[2048,1024]{1,0} parameter(0)\n";
  for (int i = 1; i <= 320; ++i) {
    text += std::string(i == 320 ? "  ROOT x" : "  x") + std::to_string(i) + " = bf16[2048,1024]{1,0} multiply(x" +
            std::to_string(i - 1) + ", x0)\n";
  }
  return text + "}\n";
}

Json step_with(const Folder& folder, const std::string& file, const std::string& detail, const Words& settings) {
  Words words = {"run", file, "--slice", "1x1", "--json", "--detail", detail};
  for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
  return json_of(folder, words);
}

double cycles_of(const Json& run) { return run["step_time_s"].get<double>() * 940e6; }

const Words same_details = {"tile", "replay", "auto"};

// On each of two arrays 2048 weight tiles of 8192 rows: 2^24 cycles with one product a cell and cycle, 2^23 with two.
// First weights load in half the time too, 64 of 128 cycles for each weight tile that is the first of a phase.
TEST(NumberTypes, ProductsAtTwiceTheRateTakeHalfTheCyclesOfTheArraysAtEveryLevel) {
  const Folder folder;
  folder.write("product.hlo", product_of_s8);
  const double rows = 64 * 64 / 2 * 8192.0;
  for (const std::string& detail : same_details) {
    const Json one = step_with(folder, "product.hlo", detail, {"mxu.s8_products=1"});
    const Json two = step_with(folder, "product.hlo", detail, {"mxu.s8_products=2"});
    EXPECT_GE(cycles_of(one), rows) << detail;
    EXPECT_GE(cycles_of(two), rows / 2) << detail;
    EXPECT_GE(cycles_of(one) - cycles_of(two), rows / 2) << detail;
    EXPECT_LE(cycles_of(one) - cycles_of(two), rows / 2 + 2048 * 64) << detail;
    EXPECT_EQ(two["products"][0]["products"], "s8");
    EXPECT_EQ(step_with(folder, "product.hlo", detail, {})["products"][0]["products"], "s8 as bf16");
  }
}

/// What a step takes longer with f32 and s32 in lanes of 8 x 128 than with a setting, in cycles.
double gained(const Folder& folder, const std::string& detail, const char* setting) {
  return cycles_of(step_with(folder, "powers.hlo", detail, {})) -
         cycles_of(step_with(folder, "powers.hlo", detail, {setting}));
}

// The loop of a tile begins and ends in the same cycles, and so do the first read and the last write: the step differs
// by the operations alone. Steps are whole cycles, in picoseconds.
TEST(NumberTypes, AVectorBoundStepTakesTheCyclesOfItsRegistersAtEveryLevel) {
  const Folder folder;
  folder.write("powers.hlo", powers_of_bf16());
  const double operations = 2048 * 320 / 2;
  for (const std::string& detail : same_details) {
    EXPECT_GE(cycles_of(step_with(folder, "powers.hlo", detail, {})), operations) << detail;
    EXPECT_NEAR(gained(folder, detail, "vector.types=f32 s32 bf16"), operations / 2, 0.01) << detail;
    EXPECT_NEAR(gained(folder, detail, "vector.lanes=256"), operations / 2, 0.01) << detail;
    EXPECT_NEAR(gained(folder, detail, "vector.lanes=64"), -operations, 0.01) << detail;
    EXPECT_NEAR(gained(folder, detail, "vector.sublanes=4"), -operations, 0.01) << detail;
  }
}

// The cells of all arrays make the products: half of them, or a quarter, take twice and four times the rows' cycles.
TEST(NumberTypes, APeakOfFewerCellsTakesLonger) {
  const Folder folder;
  folder.write("product.hlo", product_of_s8);
  const double rows = 64 * 64 / 2 * 8192.0;
  for (const std::string& detail : same_details) {
    for (const auto& [setting, cells] : {std::pair("mxu.count=1", 0.5), std::pair("mxu.size=64", 0.25)}) {
      EXPECT_GE(cycles_of(step_with(folder, "product.hlo", detail, {setting})), rows / cells) << detail << setting;
    }
    EXPECT_GE(cycles_of(step_with(folder, "product.hlo", detail, {"mxu.count=4"})), rows / 2) << detail;
    EXPECT_LE(cycles_of(step_with(folder, "product.hlo", detail, {"mxu.count=4"})), rows) << detail;
  }
}

}  // namespace
}  // namespace podsim::test
