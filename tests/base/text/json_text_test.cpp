// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace podsim::base::text {
namespace {

TEST(JsonText, IsIndentedOnRequest) {
  const nlohmann::ordered_json json = {{"b", 1}, {"a", "x"}};
  EXPECT_EQ(json_text(json), R"({"b":1,"a":"x"})");
  EXPECT_EQ(json_text(json, 2), "{\n  \"b\": 1,\n  \"a\": \"x\"\n}");
}

RC_GTEST_PROP(JsonText, OfAnyBytesIsRead, (const std::string& key, const std::string& value)) {
  const std::string text = json_text(nlohmann::json{{key, value}});
  RC_ASSERT(nlohmann::json::parse(text).is_object());
}

}  // namespace
}  // namespace podsim::base::text
