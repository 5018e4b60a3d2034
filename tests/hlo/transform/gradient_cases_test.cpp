// SPDX-License-Identifier: Apache-2.0
// Gradients of small programs that were refused or wrong.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/hlo/transform/checked_program.h"
#include "tests/hlo/transform/slopes.h"

namespace podsim::hlo::transform {
namespace {

const std::filesystem::path cases = std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/cases";

Module case_of(const std::string& file) {
  std::ifstream in(cases / file);
  return testing::graph_of(std::string(std::istreambuf_iterator<char>(in), {}));
}

TEST(GradientCases, AgreeWithDifferences) {
  if (!std::filesystem::exists(cases)) GTEST_SKIP() << "no ../shared/cases";
  for (const std::string file : {"programs/depthwise_grad.mlir", "programs/fft_grad.mlir", "programs/complex_grad.mlir",
                                 "programs/cond_grad.mlir", "texts/g_batchgroup.mlir", "texts/grad_complex.hlo",
                                 "texts/grad_fft.hlo", "texts/softplus.hlo", "texts/g_log_sigmoid0.mlir"}) {
    SCOPED_TRACE(file);
    testing::expect_agreement(testing::checked_slopes(case_of(file)));
  }
}

TEST(GradientCases, HaveTheSlopesOfTheirFormulas) {
  if (!std::filesystem::exists(cases)) GTEST_SKIP() << "no ../shared/cases";
  // log(1 + e^x) and log(e^x / (1 + e^x)) have slope 1/2 at 0.
  EXPECT_EQ(testing::slopes(case_of("texts/softplus.hlo"), {{-1, 0, 1}})[0][1], 0.5);
  EXPECT_EQ(testing::slopes(case_of("texts/g_log_sigmoid0.mlir"), {{0, 0}})[0], (std::vector<double>{0.5, 0.5}));
  // The real part of (x + iy)^2 is x^2 - y^2.
  const auto square = testing::slopes(case_of("texts/grad_complex.hlo"), {{1, 2, 3, 4}, {5, 6, 7, 8}});
  EXPECT_EQ(square[0], (std::vector<double>{2, 4, 6, 8}));
  EXPECT_EQ(square[1], (std::vector<double>{-10, -12, -14, -16}));
  // The imaginary part of (x + ix)^2 is 2 x^2.
  EXPECT_EQ(testing::slopes(case_of("programs/complex_grad.mlir"), {{1, 2, 3, 4}})[0],
            (std::vector<double>{4, 8, 12, 16}));
  // Branches sin(x) and x.
  EXPECT_EQ(testing::slopes(case_of("programs/cond_grad.mlir"), {{0, 0.5, 1, 2}, {1}})[0],
            (std::vector<double>{1, 1, 1, 1}));
}

}  // namespace
}  // namespace podsim::hlo::transform
