// SPDX-License-Identifier: Apache-2.0
#include "validation/jobs/published_faults.h"

#include <gtest/gtest.h>

namespace podsim::validation::jobs {
namespace {

/// Every published figure, within its range or, of counts that were drawn, within four deviations.
TEST(PublishedFaultFigures, AgreeWithTheModel) {
  const std::vector<FaultFigure> figures = fault_figures();
  EXPECT_EQ(figures.size(), 7u);
  for (const FaultFigure& figure : figures) {
    EXPECT_TRUE(figure.agrees()) << figure.figure << ": " << figure.simulated;
    EXPECT_FALSE(figure.rests_on.empty());
  }
}

}  // namespace
}  // namespace podsim::validation::jobs
