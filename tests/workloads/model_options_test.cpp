// SPDX-License-Identifier: Apache-2.0
#include "workloads/model_options.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace podsim::workloads {
namespace {

enum class Flavour { plain, gated };

struct Fields {
  std::int64_t layers = 6;
  double capacity = 2;
  bool tied = true;
  Flavour flavour = Flavour::gated;
  std::string stages = "a";
};

ModelKeys keys_of(Fields& fields) {
  ModelKeys keys;
  keys.add("model.layers", fields.layers, 1, 100, "layers");
  keys.add("model.capacity", fields.capacity, 0.5, 8, "tokens of an expert over its share");
  keys.add("model.tied", fields.tied, "one embedding");
  keys.add("model.flavour", fields.flavour, {{"plain", Flavour::plain}, {"gated", Flavour::gated}}, "what it is");
  keys.add(
      "model.stages", fields.stages, "a word in lower case",
      [](const std::string& text) { return text == "A" ? "'A' is not in lower case" : ""; }, "stages");
  return keys;
}

TEST(ModelOptions, AListingHasTheDefaultsAndTheValues) {
  Fields fields;
  const std::vector<ModelKey> list = keys_of(fields).list();
  ASSERT_EQ(list.size(), 5u);
  EXPECT_EQ(list[0].default_value, "6");
  EXPECT_EQ(list[0].values, "1 to 100");
  EXPECT_EQ(list[1].default_value, "2");
  EXPECT_EQ(list[2].default_value, "on");
  EXPECT_EQ(list[3].default_value, "gated");
  EXPECT_EQ(list[3].values, "plain, gated");
  EXPECT_EQ(list[4].default_value, "a");
  EXPECT_EQ(list[4].values, "a word in lower case");
}

TEST(ModelOptions, SettingsChangeTheFieldsTheyName) {
  Fields fields;
  keys_of(fields).apply("test", {{"model.layers", "64"}, {"model.capacity", "1.25"}, {"model.flavour", "plain"}});
  EXPECT_EQ(fields.layers, 64);
  EXPECT_EQ(fields.capacity, 1.25);
  EXPECT_TRUE(fields.tied);
  EXPECT_EQ(fields.flavour, Flavour::plain);
  keys_of(fields).apply("test", {{"model.tied", "off"}});
  EXPECT_FALSE(fields.tied);
  keys_of(fields).apply("test", {{"model.stages", "b c"}});
  EXPECT_EQ(fields.stages, "b c");
}

std::vector<base::Diagnostic> refused(const ModelSettings& settings) {
  Fields fields;
  try {
    keys_of(fields).apply("test", settings);
  } catch (const base::InputError& error) {
    return error.diagnostics();
  }
  return {};
}

TEST(ModelOptions, AnUnknownKeySuggestsTheNearestAndPointsAtItself) {
  const auto wrong = refused({{"model.layer", "64"}});
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].message, "'model.layer' is not a key of test");
  EXPECT_EQ(wrong[0].hint, "did you mean 'model.layers'?");
  EXPECT_EQ(wrong[0].location.file, "--set");
  EXPECT_EQ(wrong[0].location.line_text, "model.layer=64");
  EXPECT_EQ(wrong[0].location.column, 1);
  EXPECT_EQ(wrong[0].location.length, 11);
}

TEST(ModelOptions, AValueOfTheWrongKindOrOutOfRangeIsRefusedAtItsPlace) {
  for (const auto& [key, value] : ModelSettings{{"model.capacity", "nan"}, {"model.tied", "yes"}}) {
    EXPECT_EQ(refused({{key, value}}).size(), 1u) << key;
  }
  EXPECT_EQ(refused({{"model.capacity", "9"}})[0].message, "9 is not between 0.5 and 8");
  EXPECT_EQ(refused({{"model.layers", "4x"}})[0].message, "'4x' is not a whole number");
  EXPECT_EQ(refused({{"model.layers", ""}})[0].message, "'' is not a whole number");
  EXPECT_EQ(refused({{"model.stages", "A"}})[0].message, "'A' is not in lower case");
  const auto wrong = refused({{"model.layers", "101"}, {"model.flavour", "sweet"}});
  ASSERT_EQ(wrong.size(), 2u);
  EXPECT_EQ(wrong[0].message, "'sweet' is none of plain, gated");
  EXPECT_EQ(wrong[1].message, "101 is not between 1 and 100");
  EXPECT_EQ(wrong[1].location.column, 14);
  EXPECT_EQ(wrong[1].location.length, 3);
}

}  // namespace
}  // namespace podsim::workloads
