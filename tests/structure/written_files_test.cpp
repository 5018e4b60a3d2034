// SPDX-License-Identifier: Apache-2.0
// One class opens output files, so that no path that a user gives is replaced which must not be.
#include "tests/structure/written_files.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/structure/source_tree.h"

namespace podsim::structure {
namespace {

using Writers = std::vector<std::string_view>;

TEST(WrittenFiles, AreOpenedByTheClassesForThemOnly) {
  const std::set<std::string> expected = {"base/host/appended_file.cpp", "base/host/file_lock.cpp",
                                          "base/host/output_file.cpp", "base/host/record_log.cpp",
                                          // opens /dev/null
                                          "base/host/standard_descriptors.cpp"};
  std::set<std::string> found;
  for (const auto& file : source_files()) {
    if (!file_writers(read_source(file)).empty()) found.insert(file.string());
  }
  EXPECT_EQ(found, expected);
}

/// json_text() marks bytes that are not UTF-8, at which the library's own function throws.
TEST(WrittenFiles, HaveTheirJsonFromOneFunction) {
  for (const auto& file : source_files()) {
    if (file == "base/text/json_text.h") continue;
    EXPECT_EQ(read_source(file).find(".dump("), std::string::npos) << file;
  }
}

TEST(WrittenFiles, TheRuleTellsWhatOpensOne) {
  EXPECT_EQ(file_writers("#include <fstream>\nstd::ifstream in(path);  // no ofstream\nopen(path, O_RDONLY);"),
            Writers{});
  EXPECT_EQ(file_writers("std::ofstream out(path); std::FILE* f = std::fopen(path, \"w\");"),
            (Writers{"ofstream", "fopen"}));
  EXPECT_EQ(file_writers("open(path, O_WRONLY | O_CREAT); my_creat(1); creat(path, 0666)"),
            (Writers{"O_WRONLY", "O_CREAT", "creat"}));
}

}  // namespace
}  // namespace podsim::structure
