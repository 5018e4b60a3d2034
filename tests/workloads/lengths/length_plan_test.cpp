// SPDX-License-Identifier: Apache-2.0
#include "workloads/lengths/length_plan.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace podsim::workloads::lengths {
namespace {

TEST(LengthPlan, HasThePartsOfItsText) {
  const LengthPlan plan = parse_lengths(" mean=26.5 sd=13  most=40 buckets=18,19:24,48 steps=7 seed=3");
  EXPECT_EQ(plan.mean, 26.5);
  EXPECT_EQ(plan.sd, 13);
  EXPECT_EQ(plan.most, 40);
  EXPECT_EQ(plan.buckets, (std::vector<LengthBucket>{{18, 18}, {19, 24}, {48, 48}}));
  EXPECT_EQ(plan.steps, 7);
  EXPECT_EQ(plan.seed, 3U);
  EXPECT_EQ(parse_lengths("counts=a.csv").counts, "a.csv");
}

struct Mistake {
  const char* text;
  int column, length;
};

TEST(LengthPlan, PointsAtMistakes) {
  for (const Mistake& mistake :
       {Mistake{"mean=26 men=2", 9, 5}, Mistake{"mean=26 sd=x", 12, 1}, Mistake{"mean=5 buckets=8,20,20", 21, 2},
        Mistake{"mean=5 buckets=", 16, 1}, Mistake{"mean=5 buckets=9:8", 18, 1}, Mistake{"sd=4", 1, 4},
        Mistake{"mean=4 counts=a", 1, 15}, Mistake{"mean=0.5", 6, 3}, Mistake{"counts=a sd=3", 1, 13},
        Mistake{"mean=4 steps=1.5", 14, 3}}) {
    try {
      parse_lengths(mistake.text);
      ADD_FAILURE() << mistake.text;
    } catch (const base::InputError& error) {
      const base::SourceLocation& where = error.diagnostics().front().location;
      EXPECT_EQ(where.file, "--lengths");
      EXPECT_EQ(where.column, mistake.column) << mistake.text;
      EXPECT_EQ(where.length, mistake.length) << mistake.text;
    }
  }
}

TEST(LengthPlan, CutsItsLawAtTheArraysUnlessItSaysWhere) {
  EXPECT_EQ(law_of(parse_lengths("mean=9 sd=3"), 20).most(), 20);
  EXPECT_EQ(law_of(parse_lengths("mean=9 sd=3 most=12"), 20).most(), 12);
  EXPECT_THROW(law_of(parse_lengths("mean=9 sd=3 most=21"), 20), base::InputError);
}

}  // namespace
}  // namespace podsim::workloads::lengths
