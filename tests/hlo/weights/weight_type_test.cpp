// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/weight_type.h"

#include <gtest/gtest.h>

#include <string>

#include "base/diagnostic.h"

namespace podsim::hlo::weights {
namespace {

TEST(WeightType, ReadsTypesAndGroups) {
  EXPECT_EQ(parse_weight_type("bf16"), (WeightType{.type = ElementType::bf16}));
  EXPECT_EQ(parse_weight_type("int8"), (WeightType{.type = ElementType::s8}));
  EXPECT_EQ(parse_weight_type("int4:group=128"), (WeightType{.type = ElementType::s4, .group = 128}));
  EXPECT_EQ(parse_weight_type("fp8:group=1"), (WeightType{.type = ElementType::f8e4m3fn, .group = 1}));
}

TEST(WeightType, ReadsWhatItPrints) {
  for (const char* text : {"bf16", "int8", "int4", "fp8", "int8:group=64", "int4:group=32", "fp8:group=128"}) {
    EXPECT_EQ(to_string(parse_weight_type(text)), text);
  }
}

TEST(WeightType, RefusesOtherTypesAndGroupsThatAreNone) {
  for (const char* text : {"", "int3", "f32", "INT8", "int8:", "int8:group", "int8:group=", "int8:group=0",
                           "int8:group=-1", "int8:group=1x", "int8:groups=4", "bf16:group=4"}) {
    EXPECT_THROW(parse_weight_type(text), base::InputError) << text;
  }
}

TEST(WeightType, LargestIsTheLargestNumberOfASymmetricGrid) {
  EXPECT_EQ(largest_of(ElementType::s8), 127);
  EXPECT_EQ(largest_of(ElementType::s4), 7);
  EXPECT_EQ(largest_of(ElementType::f8e4m3fn), 448);
}

}  // namespace
}  // namespace podsim::hlo::weights
