// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/documents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/structure/source_tree.h"

namespace podsim::structure {
namespace {

TEST(Documents, NameFilesThatExist) {
  std::size_t named = 0;
  for (const auto& document : documents()) {
    for (const NamedFile& file : files_named_in(read_source(document))) {
      EXPECT_TRUE(is_there(document, file)) << document.string() << ":" << file.line << " names " << file.name;
      ++named;
    }
  }
  EXPECT_GT(named, 100U);
}

TEST(Documents, TheRuleFindsMissingFiles) {
  const auto named = files_named_in("`hlo/graph.h` and `no_such.h`, [there](docs/guide.md), `step.hlo`\n`sw/none/`\n");
  ASSERT_EQ(named.size(), 4U);
  EXPECT_TRUE(is_there("README.md", named[0]));
  EXPECT_FALSE(is_there("README.md", named[1]));
  EXPECT_TRUE(is_there("README.md", named[2]));
  EXPECT_FALSE(is_there("README.md", named[3]));
  EXPECT_EQ(named[3].line, 2);
}

TEST(Documents, AFolderOfMoreThanTenFilesHasAShortReadme) {
  std::map<std::filesystem::path, std::size_t> files;
  for (const auto& file : source_files()) ++files[file.parent_path()];
  for (const auto& [folder, count] : files) {
    const std::string text = read_source(folder / "README.md");
    EXPECT_TRUE(count <= 10 || !text.empty()) << folder.string() << " has " << count << " files and no README.md";
    EXPECT_LE(std::ranges::count(text, '\n'), 40) << folder.string() << "/README.md";
  }
}

TEST(Documents, TheMapFoldsInOneHand) { EXPECT_LT(std::ranges::count(read_source("docs/architecture.md"), '\n'), 100); }

}  // namespace
}  // namespace podsim::structure
