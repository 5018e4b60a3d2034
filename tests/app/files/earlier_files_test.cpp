// SPDX-License-Identifier: Apache-2.0
// A folder of -o has the files of its last run, and files that no run wrote. The oracle is the same run into a new
// folder.
#include <gtest/gtest.h>
#include <sys/file.h>

#include <fcntl.h>
#include <unistd.h>

#include <set>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim::files {
namespace {

using Words = std::vector<std::string>;

const Words small{"run", "resnet50", "--slice", "1x1", "--batch-per-core", "1"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::set<std::string> files_below(const test::Folder& folder, const std::string& below) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / below)) {
    if (entry.is_regular_file()) names.insert(std::filesystem::relative(entry.path(), folder.path() / below).string());
  }
  return names;
}

/// The additional files of each option, on eight ranks.
const std::vector<Words> richer{
    {"run", "resnet50", "--slice", "2x2", "--batch-per-core", "1", "-o", "r", "--chakra"},
    {"run", "resnet50", "--slice", "1x1", "--batch-per-core", "1", "-o", "r", "--vcd", "r/wave.vcd"},
    {"run", "resnet50", "--slice", "1x1", "--batch-per-core", "1", "-o", "r", "--loop", "steps=4"},
    {"run", "transformer", "--mesh", "d=2", "--set", "model.layers=1", "-o", "r"}};

TEST(EarlierFiles, AreNotLeftBesideThoseOfTheNextRun) {
  for (const Words& earlier : richer) {
    const test::Folder folder;
    ASSERT_EQ(folder.run(with(small, {"-o", "fresh"})).code, 0);
    const test::Outcome first = folder.run(earlier);
    ASSERT_EQ(first.code, 0) << first.err;
    ASSERT_GT(files_below(folder, "r").size(), files_below(folder, "fresh").size()) << "the earlier run writes more";
    ASSERT_EQ(folder.run(with(small, {"-o", "r"})).code, 0);
    EXPECT_EQ(files_below(folder, "r"), files_below(folder, "fresh")) << earlier.back();
  }
}

TEST(EarlierFiles, OfMoreRanksAreNoneOfTheNextTrace) {
  const test::Folder folder;
  ASSERT_EQ(folder.run(richer[0]).code, 0);
  ASSERT_EQ(folder.run(with(small, {"-o", "r", "--chakra"})).code, 0);
  // A chip has two cores, and a rank is a core.
  EXPECT_EQ(folder.names("r/chakra"), (Words{"comm_group.json", "step.0.et", "step.1.et"}));
  EXPECT_EQ(folder.run({"trace", "check", "r/chakra"}).code, 0);
}

TEST(EarlierFiles, ThatAreNotOfARunStay) {
  const test::Folder folder;
  ASSERT_EQ(folder.run(with(richer[0], {"--vcd", "r/wave.vcd"})).code, 0);
  const std::vector<std::pair<std::string, std::string>> own{
      {"r/notes.txt", "mine"}, {"r/layers.csv", "mine"}, {"r/mesh.svg", "mine"},         {"r/other.vcd", "$date mine"},
      {"r/wave.vcd", "mine"},  {"r/step.0.et", "mine"},  {"r/chakra/notes.txt", "mine"}, {"r/chakra/w.0.et", "mine"}};
  for (const auto& [name, text] : own) folder.write(name, text);
  ASSERT_EQ(folder.run(with(small, {"-o", "r"})).code, 0);
  for (const auto& [name, text] : own) EXPECT_EQ(folder.read(name), text) << name;
  EXPECT_EQ(folder.names("r/chakra"), (Words{"notes.txt", "w.0.et"}));
}

/// A list of another program, or one that was changed, removes nothing outside the folder and nothing that no run
/// wrote.
TEST(EarlierFiles, AreNotTakenFromAListThatLies) {
  const test::Folder folder;
  folder.write("thesis.tex", "mine");
  ASSERT_EQ(folder.run(with(small, {"-o", "r"})).code, 0);
  folder.write("r/thesis.tex", "mine");
  for (const char* list : {R"({"files": {"../thesis.tex": "", "thesis.tex": "the waveform", "/": "", "..": ""}})",
                           R"({"files": ["thesis.tex"]})", R"({"files": null})", "[", ""}) {
    folder.write("r/manifest.json", list);
    EXPECT_EQ(folder.run(with(small, {"-o", "r"})).code, 0) << list;
    EXPECT_EQ(folder.read("thesis.tex"), "mine") << list;
    EXPECT_EQ(folder.read("r/thesis.tex"), "mine") << list;
  }
}

/// A process that was killed leaves its temporary file; one that lives holds a lock on it.
TEST(EarlierFiles, OfKilledProcessesAreRemovedAndThoseOfLivingOnesAreNot) {
  const test::Folder folder;
  ASSERT_EQ(folder.run(with(small, {"-o", "r"})).code, 0);
  const std::string dead = "r/.wave.vcd.0123456789abcdef.partial", held = "r/.stats.json.fedcba9876543210.partial";
  const std::vector<std::string> others{"r/.notes.partial", "r/notes.0123456789abcdef.partial",
                                        "r/.a.0123456789abcdeX.partial"};
  for (const std::string& name : others) folder.write(name, "mine");
  folder.write(dead, "half");
  folder.write(held, "half");
  const int living = open((folder.path() / held).c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(living, LOCK_EX), 0);
  ASSERT_EQ(folder.run(with(small, {"-o", "r"})).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / dead));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / held));
  for (const std::string& name : others) EXPECT_EQ(folder.read(name), "mine");
  close(living);
  ASSERT_EQ(folder.run(with(small, {"-o", "r"})).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / held));
}

/// Two runs into one folder at once: neither takes the other's temporary file for that of a dead process.
TEST(EarlierFiles, OfRunsAtTheSameTimeAreNotRemoved) {
  const test::Folder folder;
  const Words traced = with(small, {"--vcd", "wave.vcd"});
  for (int i = 0; i < 3; ++i) {
    test::Child one(folder, traced), other(folder, traced), third(folder, traced);
    EXPECT_EQ(one.wait().code, 0);
    EXPECT_EQ(other.wait().code, 0);
    EXPECT_EQ(third.wait().code, 0);
    EXPECT_EQ(folder.names(), (Words{"wave.gtkw", "wave.vcd"}));
  }
}

}  // namespace
}  // namespace podsim::files
