// SPDX-License-Identifier: Apache-2.0
#include "base/config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/config_layer.h"

namespace podsim::base {
namespace {

constexpr std::string_view machine = R"(# a small machine
name = "small"

[core]
clock = { value = "940 MHz", evidence = "published", source = "ISCA23" }
count = { value = 2, evidence = "published", source = "CLOUD" }
latency = { value = "135 cycles", evidence = "assumed", source = "128 deep + 7" }

[ici]
link_rate = { value = "82 GB/s", evidence = "published", source = "CACM20" }
payload = { value = 0.854, evidence = "derived", source = "70 / 82" }
hop = { value = "300 ns", evidence = "assumed" }

[hbm]
capacity = { value = "16 GiB", evidence = "published" }

[pod]
dimensions = { value = [32, 32], evidence = "published" }
wrap = { value = [true, true], evidence = "derived" }
multipod = { value = false, evidence = "assumed" }
)";

Config make() { return Config::builtin("small", machine); }

/// The text that the program would print.
std::string failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    std::string text;
    for (const Diagnostic& diagnostic : error.diagnostics()) text += format(diagnostic);
    return text;
  }
  return "nothing failed";
}

std::string failure_of_text(std::string_view toml) {
  Config config = make();
  return failure([&] { config.add_text("m.toml", toml); });
}

std::string failure_of_set(std::string_view assignment) {
  Config config = make();
  return failure([&] { config.set(assignment); });
}

TEST(Config, ReadsEveryTypeOfTheBuiltInText) {
  Config config = make();
  EXPECT_EQ(config.string("name"), "small");
  EXPECT_EQ(config.frequency("core.clock"), Frequency(940e6));
  EXPECT_EQ(config.integer("core.count"), 2);
  EXPECT_EQ(config.number("core.count"), 2.0);
  EXPECT_EQ(config.cycles("core.latency"), Cycles(135));
  EXPECT_EQ(config.cycles("core.count"), Cycles(2));
  EXPECT_EQ(config.bandwidth("ici.link_rate"), Bandwidth(82e9));
  EXPECT_EQ(config.number("ici.payload"), 0.854);
  EXPECT_EQ(config.duration("ici.hop"), Duration(300e-9));
  EXPECT_EQ(config.bytes("hbm.capacity"), Bytes(std::int64_t(16) << 30));
  EXPECT_EQ(config.integers("pod.dimensions"), (std::vector<std::int64_t>{32, 32}));
  EXPECT_EQ(config.booleans("pod.wrap"), (std::vector<bool>{true, true}));
  EXPECT_FALSE(config.boolean("pod.multipod"));
}

TEST(Config, KeepsTheOrderEvidenceAndPlaceOfTheBuiltInText) {
  Config config = make();
  std::vector<std::string> keys;
  for (const ConfigEntry& entry : config.entries()) keys.push_back(entry.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"name", "core.clock", "core.count", "core.latency", "ici.link_rate",
                                            "ici.payload", "ici.hop", "hbm.capacity", "pod.dimensions", "pod.wrap",
                                            "pod.multipod"}));
  const ConfigEntry& entry = config.entry("ici.link_rate");
  EXPECT_EQ(entry.text, "82 GB/s");
  EXPECT_EQ(entry.evidence, Evidence::published);
  EXPECT_EQ(entry.source, "CACM20");
  EXPECT_EQ(entry.origin.line, 10);
  EXPECT_EQ(entry.origin.file, "small");
}

TEST(Config, LaterLayersWin) {
  Config config = make();
  config.add_text("m.toml", "ici.link_rate = \"656 Gb/s\"\n[core]\ncount = 4\n");
  config.set("ici.link_rate=164 GB/s");
  EXPECT_EQ(config.bandwidth("ici.link_rate"), Bandwidth(164e9));
  EXPECT_EQ(config.entry("ici.link_rate").origin.file, "--set");
  EXPECT_EQ(config.integer("core.count"), 4);
  EXPECT_EQ(config.entry("core.count").evidence, Evidence::user);
  EXPECT_EQ(config.entry("core.count").source, "set by user");
  EXPECT_EQ(config.entry("core.count").origin.line, 3);
  EXPECT_EQ(config.frequency("core.clock"), Frequency(940e6));
}

TEST(Config, ACopyOfTheBuiltInTextIsAValidLayer) {
  Config config = make();
  config.add_text("copy.toml", machine);
  for (const char* key : {"ici.link_rate", "ici.hop", "pod.wrap"}) {
    EXPECT_EQ(config.entry(key).evidence, make().entry(key).evidence) << key;
    EXPECT_EQ(config.entry(key).source, make().entry(key).source) << key;
    EXPECT_EQ(config.entry(key).value, make().entry(key).value) << key;
    EXPECT_EQ(config.entry(key).origin.file, "copy.toml") << key;
  }
}

TEST(Config, WhatItWritesKeepsItsEvidenceWhenReadAgain) {
  Config config = make();
  config.set("ici.link_rate=164 GB/s");
  config.add_text("m.toml",
                  "[hbm]\ncapacity = { value = \"8 GiB\", evidence = \"measured\", source = \"a # of 3\" }\n");
  Config again = make();
  again.add_text("machine.toml", config.to_toml());
  EXPECT_EQ(again.to_toml(), config.to_toml());
  EXPECT_EQ(again.entry("ici.hop").evidence, make().entry("ici.hop").evidence);
  EXPECT_EQ(again.entry("ici.link_rate").evidence, Evidence::user);
  EXPECT_EQ(again.entry("hbm.capacity").source, "a # of 3");
  again.add_text("other.toml", "[hbm]\ncapacity = \"4 GiB\"  # measured well\n");
  EXPECT_EQ(again.entry("hbm.capacity").evidence, Evidence::user) << "the comment has another form";
}

TEST(Config, SuggestsTheNearestKey) {
  EXPECT_EQ(failure_of_text("[ici]\nlink_rat = \"164 GB/s\"\n"),
            "m.toml:2:1: error: 'ici.link_rat' is not a key of small\n"
            "  2 | link_rat = \"164 GB/s\"\n"
            "    | ^~~~~~~~ did you mean 'link_rate'?\n");
  EXPECT_EQ(failure_of_text("link_rate = \"164 GB/s\"\n"),
            "m.toml:1:1: error: 'link_rate' is not a key of small\n"
            "  1 | link_rate = \"164 GB/s\"\n"
            "    | ^~~~~~~~~ did you mean 'ici.link_rate'?\n");
  EXPECT_EQ(failure_of_text("[icy]\nhop = \"1 ns\"\n"),
            "m.toml:1:2: error: 'icy' is not a key of small\n"
            "  1 | [icy]\n"
            "    |  ^~~ did you mean 'ici'?\n");
}

TEST(Config, WantsAUnitWhereOneIsDue) {
  EXPECT_EQ(failure_of_text("ici.link_rate = 164\n"),
            "m.toml:1:17: error: 'ici.link_rate' is a bandwidth and needs a unit\n"
            "  1 | ici.link_rate = 164\n"
            "    |                 ^~~ as in \"82 GB/s\"\n");
  EXPECT_EQ(failure_of_set("ici.link_rate=164"),
            "--set: error: 'ici.link_rate' is a bandwidth and needs a unit\n"
            "   | ici.link_rate=164\n"
            "   |               ^~~ as in \"82 GB/s\"\n");
}

TEST(Config, WantsTheRightDimension) {
  EXPECT_EQ(failure_of_text("[ici]\nlink_rate = \"164 GB\"\n"),
            "m.toml:2:13: error: 'ici.link_rate' is a bandwidth, but '164 GB' is an amount of data\n"
            "  2 | link_rate = \"164 GB\"\n"
            "    |             ^~~~~~~~ as in \"82 GB/s\"\n");
}

TEST(Config, PointsIntoAQuotedQuantity) {
  EXPECT_EQ(failure_of_text("[ici]\nlink_rate = \"164 GBs\"\n"),
            "m.toml:2:18: error: 'GBs' is not a unit\n"
            "  2 | link_rate = \"164 GBs\"\n"
            "    |                  ^~~ did you mean 'GB/s'?\n");
}

TEST(Config, WantsTheRightType) {
  EXPECT_EQ(failure_of_text("core.count = 2.5\n"),
            "m.toml:1:14: error: 'core.count' is an integer, not a number\n"
            "  1 | core.count = 2.5\n"
            "    |              ^~~ as in 2\n");
  EXPECT_EQ(failure_of_text("pod.wrap = [1, 0]\n"),
            "m.toml:1:12: error: 'pod.wrap' is a list of true and false, not a list\n"
            "  1 | pod.wrap = [1, 0]\n"
            "    |            ^~~~~~ as in [true, true]\n");
  EXPECT_EQ(failure_of_text("ici.hop = true\n"),
            "m.toml:1:11: error: 'ici.hop' is a duration, not true or false\n"
            "  1 | ici.hop = true\n"
            "    |           ^~~~ as in \"300 ns\"\n");
  EXPECT_EQ(failure_of_text("ici = 3\n"),
            "m.toml:1:1: error: 'ici' is a table of keys, not a value\n"
            "  1 | ici = 3\n"
            "    | ^~~\n");
  EXPECT_EQ(failure_of_text("name = 1979-05-27\n"),
            "m.toml:1:8: error: 'name' is a string, not a date or time\n"
            "  1 | name = 1979-05-27\n"
            "    |        ^~~~~~~~~~ as in \"small\"\n");
  EXPECT_EQ(failure_of_text("ici.payload = nan\n"),
            "m.toml:1:15: error: a value must be finite\n"
            "  1 | ici.payload = nan\n"
            "    |               ^~~\n");
}

TEST(Config, ReportsEverythingWrongAndChangesNothing) {
  Config config = make();
  std::string before = config.to_toml();
  std::string text = failure([&] { config.add_text("m.toml", "[core]\ncount = 4\nclok = 1\n[ici]\nhop = 3\n"); });
  EXPECT_EQ(text,
            "m.toml:3:1: error: 'core.clok' is not a key of small\n"
            "  3 | clok = 1\n"
            "    | ^~~~ did you mean 'clock'?\n"
            "m.toml:5:7: error: 'ici.hop' is a duration and needs a unit\n"
            "  5 | hop = 3\n"
            "    |       ^ as in \"300 ns\"\n");
  EXPECT_EQ(config.to_toml(), before);
}

TEST(Config, LocatesSyntaxErrors) {
  std::string text = failure_of_text("[ici]\nhop = \"300 ns\n");
  EXPECT_TRUE(text.starts_with("m.toml:2:14: error: ")) << text;
  EXPECT_NE(text.find("\n  2 | hop = \"300 ns\n"), std::string::npos) << text;
}

TEST(Config, NamesAFileThatCannotBeRead) {
  Config config = make();
  EXPECT_EQ(failure([&] { config.add_file("/nonexistent/m.toml"); }),
            "error: cannot read '/nonexistent/m.toml': No such file or directory\n");
  EXPECT_EQ(failure([&] { config.add_file("/tmp"); }), "error: cannot read '/tmp': it is a directory\n");
}

TEST(Config, ReadsAFile) {
  std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "config_test_reads_a_file.toml";
  std::ofstream(path) << "core.count = 8\r\n";
  Config config = make();
  config.add_file(path);
  EXPECT_EQ(config.integer("core.count"), 8);
  EXPECT_EQ(config.entry("core.count").origin.file, path.string());
  std::filesystem::remove(path);
}

TEST(ConfigSet, TakesValuesWithAndWithoutQuotes) {
  for (std::string assignment : {"ici.hop=250 ns", "ici.hop = \"250 ns\"", "ici.hop='250 ns'", " ici.hop=250ns "}) {
    Config config = make();
    config.set(assignment);
    EXPECT_EQ(config.duration("ici.hop"), Duration(250e-9)) << assignment;
  }
  Config config = make();
  config.set("name=tpu");
  config.set("pod.dimensions=[128, 32]");
  config.set("pod.wrap=[false,true]");
  config.set("pod.multipod=true");
  config.set("ici.payload=1");
  EXPECT_EQ(config.string("name"), "tpu");
  EXPECT_EQ(config.integers("pod.dimensions"), (std::vector<std::int64_t>{128, 32}));
  EXPECT_EQ(config.booleans("pod.wrap"), (std::vector<bool>{false, true}));
  EXPECT_TRUE(config.boolean("pod.multipod"));
  EXPECT_EQ(config.number("ici.payload"), 1.0);
}

TEST(ConfigSet, PointsIntoItsArgument) {
  EXPECT_EQ(failure_of_set("ici.link_rat=164 GB/s"),
            "--set: error: 'ici.link_rat' is not a key of small\n"
            "   | ici.link_rat=164 GB/s\n"
            "   | ^~~~~~~~~~~~ did you mean 'ici.link_rate'?\n");
  EXPECT_EQ(failure_of_set("core.count=two"),
            "--set: error: 'core.count' is an integer, not 'two'\n"
            "   | core.count=two\n"
            "   |            ^~~ as in 2\n");
  EXPECT_EQ(failure_of_set("core.count=\"2\""),
            "--set: error: 'core.count' is an integer, not a string\n"
            "   | core.count=\"2\"\n"
            "   |            ^~~ as in 2\n");
  EXPECT_EQ(failure_of_set("ici.hop=250 nm"),
            "--set: error: 'nm' is not a unit\n"
            "   | ici.hop=250 nm\n"
            "   |             ^~ did you mean 'ns'?\n");
  EXPECT_EQ(failure_of_set("ici=3"), "--set: error: 'ici' is a table of keys, not a value\n   | ici=3\n   | ^~~\n");
  EXPECT_EQ(failure_of_set("ici.hop"),
            "--set: error: expected key=value\n"
            "   | ici.hop\n"
            "   | ^~~~~~~ as in ici.link_rate=\"164 GB/s\"\n");
  EXPECT_EQ(failure_of_set("core.count="),
            "--set: error: 'core.count' is an integer, not ''\n   | core.count=\n   |            ^ as in 2\n");
}

TEST(Config, ResolvedTomlReadsBackToTheSameValues) {
  Config config = make();
  config.set("ici.link_rate=164 GB/s");
  config.set("name=a \"quoted\\ name\"");
  config.set("ici.payload=1");
  std::string text = config.to_toml();
  Config again = make();
  again.add_text("resolved.toml", text);
  ASSERT_EQ(again.entries().size(), config.entries().size());
  for (std::size_t i = 0; i < config.entries().size(); ++i) {
    EXPECT_EQ(again.entries()[i].value, config.entries()[i].value) << config.entries()[i].key;
  }
  EXPECT_NE(text.find("\n[ici]\nlink_rate = \"164 GB/s\"  # user\n"), std::string::npos) << text;
  EXPECT_NE(text.find("clock = \"940 MHz\"  # published: ISCA23\n"), std::string::npos) << text;
}

TEST(Config, RejectPointsWhereTheValueWasSet) {
  Config config = make();
  config.add_text("m.toml", "[core]\ncount = 0\n");
  EXPECT_EQ(failure([&] { config.reject("core.count", "a chip has at least one core"); }),
            "m.toml:2:9: error: a chip has at least one core\n"
            "  2 | count = 0\n"
            "    |         ^\n");
}

TEST(Config, BuiltInTextsAreCheckedToo) {
  EXPECT_EQ(failure([] { Config::builtin("b", "a = { value = 1, evidence = \"publishd\" }\n"); }),
            "b:1:29: error: 'publishd' is not a kind of evidence\n"
            "  1 | a = { value = 1, evidence = \"publishd\" }\n"
            "    |                             ^~~~~~~~~~ did you mean 'published'?\n");
  EXPECT_EQ(failure([] { Config::builtin("b", "a = { value = 1, sorce = \"x\" }\n"); }),
            "b:1:18: error: 'sorce' is not a part of an entry\n"
            "  1 | a = { value = 1, sorce = \"x\" }\n"
            "    |                  ^~~~~ did you mean 'source'?\n");
  EXPECT_EQ(failure([] { Config::builtin("b", "a = \"82 GBs\"\n"); }),
            "b:1:9: error: 'GBs' is not a unit\n"
            "  1 | a = \"82 GBs\"\n"
            "    |         ^~~ did you mean 'GB/s'?\n");
  EXPECT_EQ(failure([] { Config::builtin("b", "a = [1, \"x\"]\n"); }),
            "b:1:5: error: 'a' cannot be a list\n"
            "  1 | a = [1, \"x\"]\n"
            "    |     ^~~~~~~~\n");
}

TEST(Config, AskingForAnUnknownKeyOrAnotherTypeIsABug) {
  Config config = make();
  EXPECT_THROW(config.entry("nothing"), std::out_of_range);
  EXPECT_THROW(config.integer("core.clock"), std::bad_variant_access);
  EXPECT_THROW(config.duration("core.clock"), std::bad_variant_access);
}

// toml++ and everything that follows tables call themselves once per part.
TEST(Config, AKeyHasAtMost256Parts) {
  const auto reading = [](int parts) {
    std::string key = "a";
    for (int i = 1; i < parts; ++i) key += ".a";
    return failure([&] { ConfigLayer("deep.toml", "x = 1.5 # a.b.c\n" + key + " = 'a.b'\n"); });
  };
  EXPECT_EQ(reading(256), "nothing failed");
  EXPECT_NE(reading(257).find("deep.toml:2:1: error: a key of more than 256 parts"), std::string::npos) << reading(257);
  EXPECT_NE(reading(50'000).find("deep.toml:2:1"), std::string::npos);
}

/// A built-in text with tables that a file may declare.
Config with_pattern() {
  return Config::builtin("small", R"(
[core]
count = 2
[memory."*"]
capacity = "1 MiB"
shared = true
)");
}

std::string first_error_of(const std::string& text) {
  Config config = with_pattern();
  try {
    config.add_text("m.toml", text);
  } catch (const InputError& error) {
    const Diagnostic& first = error.diagnostics().front();
    return first.message + " | " + first.hint;
  }
  return "";
}

TEST(Config, AFileDeclaresTablesThatThePatternAllows) {
  Config config = with_pattern();
  EXPECT_EQ(config.entries().size(), 1U) << "a pattern is no entry";
  EXPECT_FALSE(config.contains("memory.*.capacity"));
  config.add_text("m.toml",
                  "[memory.second]\ncapacity = \"4 KiB\"\nshared = false\n"
                  "[memory.first]\nshared = true\ncapacity = \"8 KiB\"\n");
  std::vector<std::string> keys;
  for (const ConfigEntry& entry : config.entries()) keys.push_back(entry.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"core.count", "memory.second.capacity", "memory.second.shared",
                                            "memory.first.capacity", "memory.first.shared"}))
      << "tables in the order of the file, keys in that of the pattern";
  EXPECT_EQ(config.bytes("memory.second.capacity"), Bytes(4096));
  EXPECT_EQ(config.entry("memory.second.capacity").origin.line, 2);
  config.set("memory.first.capacity=2 MiB");
  EXPECT_EQ(config.bytes("memory.first.capacity"), Bytes(2 << 20));
  config.add_text("n.toml", "[memory.first]\nshared = false\n");
  EXPECT_FALSE(config.boolean("memory.first.shared")) << "a later file overrides";
}

TEST(Config, ADeclaredTableStatesAllKeysOfItsPatternAndNoOther) {
  EXPECT_EQ(first_error_of("[memory.m]\nshared = true\n"), "'memory.m' needs 'capacity' | as in capacity = \"1 MiB\"");
  EXPECT_EQ(first_error_of("[memory.m]\ncapacity = \"1 MiB\"\nshard = true\nshared = true\n"),
            "'memory.m.shard' is not a key of small | did you mean 'shared'?");
  EXPECT_EQ(first_error_of("[memory.m]\ncapacity = 7\nshared = true\n"),
            "'memory.m.capacity' is an amount of data and needs a unit | as in \"1 MiB\"");
  EXPECT_EQ(first_error_of("[memory.\"A b\"]\ncapacity = \"1 MiB\"\nshared = true\n"),
            "'A b' is not a name | a small letter, then small letters, digits and _");
  EXPECT_EQ(first_error_of("memory.m = 3\n"), "'memory.m' is a table of keys, not a value | ");
}

TEST(Config, ACopyOfThePatternDeclaresNoTable) {
  Config config = with_pattern();
  const std::size_t keys = config.entries().size();
  config.add_text("copy.toml", "[memory.\"*\"]\ncapacity = \"2 MiB\"\nshared = true\n");
  EXPECT_EQ(config.entries().size(), keys);
}

TEST(Config, ASettingDeclaresNoTable) {
  Config config = with_pattern();
  try {
    config.set("memory.m.capacity=1 MiB");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().front().message, "'memory.m.capacity' is not a key of small");
    EXPECT_EQ(error.diagnostics().front().hint, "a table [memory.NAME] of a file declares it");
  }
}

}  // namespace
}  // namespace podsim::base
