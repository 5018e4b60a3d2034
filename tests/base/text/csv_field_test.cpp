// SPDX-License-Identifier: Apache-2.0
#include "base/text/csv_field.h"

#include <gtest/gtest.h>

namespace podsim::base::text {
namespace {

// RFC 4180, section 2, rules 5 to 7.
TEST(CsvField, QuotesWhatWouldEndIt) {
  EXPECT_EQ(csv_field("layer1/conv"), "layer1/conv");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_field("say \"a\""), "\"say \"\"a\"\"\"");
}

}  // namespace
}  // namespace podsim::base::text
