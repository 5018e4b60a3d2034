// SPDX-License-Identifier: Apache-2.0
#include "validation/jobs/published_faults.h"

#include <gtest/gtest.h>

namespace podsim::validation::jobs {
namespace {

/// Every published figure, within its range or, of counts that were drawn, within four deviations; but for two figures
/// of one source that contradict each other: 100,000 GPUs are 12,500 servers, 2.3 a day in 1000 of them 50 min apart,
/// not 18.
TEST(PublishedFaultFigures, AgreeWithTheModel) {
  const std::vector<FaultFigure> figures = fault_figures();
  EXPECT_EQ(figures.size(), 8u);
  for (const FaultFigure& figure : figures) {
    EXPECT_EQ(figure.agrees(), figure.figure != "the same from its own rate")
        << figure.figure << ": " << figure.simulated;
    EXPECT_FALSE(figure.rests_on.empty());
  }
}

}  // namespace
}  // namespace podsim::validation::jobs
