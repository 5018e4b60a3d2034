// SPDX-License-Identifier: Apache-2.0
#include "base/config_listing.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace podsim::base {
namespace {

TEST(ConfigListing, IsWhatAConfigurationPrinted) {
  Config config = Config::builtin("m", R"([core]
clock = { value = "940 MHz", evidence = "published", source = "ISCA23; # of a table" }
count = { value = 2, evidence = "measured" }
wraps = [32, 32]
[ici]
name = "käfer"
share = 0.5
)");
  config.set("core.count=3");
  const std::vector<ConfigEntry> listing = read_listing("machine.toml", config.to_toml());
  ASSERT_EQ(listing.size(), config.entries().size());
  for (std::size_t i = 0; i < listing.size(); ++i) {
    EXPECT_EQ(listing[i].key, config.entries()[i].key);
    EXPECT_EQ(listing[i].value, config.entries()[i].value) << listing[i].key;
    EXPECT_EQ(listing[i].evidence, config.entries()[i].evidence) << listing[i].key;
    EXPECT_EQ(listing[i].source, config.entries()[i].source) << listing[i].key;
  }
}

TEST(ConfigListing, ANameThatBeginsWithADigitIsAName) {
  const std::vector<ConfigEntry> listing = read_listing("m.toml", "[machine]\nname = \"3d-stack\"  # derived: x\n");
  ASSERT_EQ(listing.size(), 1U);
  EXPECT_EQ(std::get<std::string>(listing[0].value), "3d-stack");
  EXPECT_EQ(listing[0].evidence, Evidence::derived);
}

TEST(ConfigListing, WithoutAnEvidenceAValueIsTheUsers) {
  const std::vector<ConfigEntry> listing = read_listing("m.toml", "a = 1  # publishers differ\nb = 2\n");
  EXPECT_EQ(listing[0].evidence, Evidence::user);
  EXPECT_EQ(listing[1].evidence, Evidence::user);
}

TEST(ConfigListing, SaysWhereATextIsNotToml) {
  try {
    read_listing("m.toml", "[core]\nclock = \n");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().front().location.file, "m.toml");
    EXPECT_EQ(error.diagnostics().front().location.line, 2);
  }
}

}  // namespace
}  // namespace podsim::base
