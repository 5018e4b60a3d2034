// SPDX-License-Identifier: Apache-2.0
#include "base/parameters/section.h"

#include <gtest/gtest.h>

#include <set>

#include "base/diagnostic.h"
#include "base/parameters/related_values.h"

namespace podsim::base::parameters {
namespace {

struct Inner {
  bool open = false;
};

/// A part of a machine with a value of each kind.
struct Part {
  std::int64_t units = 0;
  Cycles interval, latency;
  Bytes room;
  Bandwidth rate;
  double share = 0;
  std::vector<std::int64_t> sides;
  Inner inner;
};

struct Sides {
  std::vector<std::int64_t> operator()(const Reading& reading, const std::string& key) const {
    return reading.config.integers(key);
  }
};

const Section<Part>& part() {
  using namespace kind;
  using enum KeyLevel;
  static const Section<Part> section(
      "part", {{"units", &Part::units, positive(8, "no more fit"), {ops}},
               {"interval_cycles", &Part::interval, cycles(1), {ops, kernels}},
               {"latency", &Part::latency, CoveringCycles{}, {kernels}},
               {"room", &Part::room, Size{Bytes(1024)}, {limits}},
               {"rate", &Part::rate, Rate{}, {ops}},
               {"share", &Part::share, kind::share(), {ops}},
               {"sides", &Part::sides, Sides{}, {ops}},
               {"open", [](Part& whole) -> bool& { return whole.inner.open; }, Flag{}, {banks}}});
  return section;
}

Config machine() {
  return Config::builtin("machine.toml", R"([part]
units = { value = 2, evidence = "assumed", source = "-" }
interval_cycles = { value = 8, evidence = "assumed", source = "-" }
latency = { value = "2.5 ns", evidence = "assumed", source = "-" }
room = { value = "512 B", evidence = "assumed", source = "-" }
rate = { value = "3 GB/s", evidence = "assumed", source = "-" }
share = { value = 0.25, evidence = "assumed", source = "-" }
sides = { value = [4, 2], evidence = "assumed", source = "-" }
open = { value = true, evidence = "assumed", source = "-" }
)");
}

Part read(const Config& config) { return part().read({config, Clock(Frequency(1e9))}); }

TEST(Section, ReadsEveryKeyIntoItsMember) {
  const Part read_part = read(machine());
  EXPECT_EQ(read_part.units, 2);
  EXPECT_EQ(read_part.interval, Cycles(8));
  EXPECT_EQ(read_part.latency, Cycles(3));  // 2.5 cycles of a nanosecond, rounded up
  EXPECT_EQ(read_part.room, Bytes(512));
  EXPECT_DOUBLE_EQ(read_part.rate.si(), 3e9);
  EXPECT_DOUBLE_EQ(read_part.share, 0.25);
  EXPECT_EQ(read_part.sides, (std::vector<std::int64_t>{4, 2}));
  EXPECT_TRUE(read_part.inner.open);
}

TEST(Section, RejectsAValueOutOfItsRangeWithTheKeyAndTheReason) {
  Config config = machine();
  config.set("part.units=9");
  try {
    read(config);
    FAIL();
  } catch (const InputError& error) {
    const std::string text = format(error.diagnostics().front());
    EXPECT_NE(text.find("'part.units' must be between 1 and 8"), std::string::npos) << text;
    EXPECT_NE(text.find("no more fit"), std::string::npos) << text;
  }
}

TEST(Section, HashesEveryMemberOrThoseThatAreAskedFor) {
  const auto key_of = [](const Part& of, bool all) {
    ContentHash hash;
    if (all) {
      part().add_to(hash, of);
    } else {
      part().add_to(hash, of,
                    [](const Parameter<Part>& parameter) { return parameter.levels.front() == KeyLevel::kernels; });
    }
    return hash.key();
  };
  std::set<ContentKey> keys, of_kernels;
  for (const char* setting : {"part.units=3", "part.interval_cycles=9", "part.latency=9 ns", "part.room=9 B",
                              "part.rate=9 GB/s", "part.share=0.5", "part.sides=[4]", "part.open=false"}) {
    Config config = machine();
    config.set(setting);
    keys.insert(key_of(read(config), true));
    of_kernels.insert(key_of(read(config), false));
  }
  EXPECT_EQ(keys.size(), 8U);
  EXPECT_FALSE(keys.contains(key_of(read(machine()), true)));
  EXPECT_EQ(of_kernels.size(), 2U);  // only the latency is of kernels alone
}

TEST(Section, NamesItsKeysWithTheirLevels) {
  std::vector<KeyUse> uses;
  append_uses(part(), uses);
  ASSERT_EQ(uses.size(), 8U);
  EXPECT_EQ(uses[1].key, "part.interval_cycles");
  EXPECT_EQ(uses[1].levels, (KeyLevels{KeyLevel::ops, KeyLevel::kernels}));
}

TEST(RelatedValues, TheFaultIsAtTheValueThatAUserSet) {
  Config config = machine();
  config.set("part.room=9 B");
  try {
    reject_together(config, {"part.units", "part.room"}, "no room for the units");
    FAIL();
  } catch (const InputError& error) {
    const std::string text = format(error.diagnostics().front());
    EXPECT_NE(text.find("no room for the units: 'part.units' is 2, 'part.room' is 9 B"), std::string::npos) << text;
    EXPECT_NE(text.find("--set"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace podsim::base::parameters
