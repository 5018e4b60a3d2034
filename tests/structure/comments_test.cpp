// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/comments.h"

#include <gtest/gtest.h>

#include "tests/structure/source_tree.h"

namespace podsim::structure {
namespace {

TEST(Comments, AreSubjectVerbObject) {
  for (const auto& file : source_files()) {
    for (const Comment& comment : comments_of(read_source(file))) {
      EXPECT_EQ(comment_fault(comment.text), "") << file.string() << ":" << comment.line;
    }
  }
}

TEST(Comments, TheRuleFindsBannedWords) {
  EXPECT_EQ(comment_fault(" Bytes of a transfer. The rest follows."), "");
  EXPECT_NE(comment_fault(" Of equally long waits the first."), "");
  EXPECT_NE(comment_fault(" Bytes of a transfer. Of them the first."), "");
  EXPECT_NE(comment_fault(" Whose cycles can be counted."), "");
  EXPECT_NE(comment_fault(" What of it has arrived."), "");
  EXPECT_NE(comment_fault(" So many bytes."), "");
  EXPECT_NE(comment_fault(" Records for nobody."), "");
}

TEST(Comments, AreFoundInSourceText) {
  const auto comments =
      comments_of("/// One\n/// sentence.\nint x;  ///< the \"x\"\nauto s = \"https://x\";\n// two\n");
  ASSERT_EQ(comments.size(), 3U);
  EXPECT_EQ(comments[0].text, " One sentence.");
  EXPECT_EQ(comments[1].text, " the \"x\"");
  EXPECT_EQ(comments[1].line, 3);
  EXPECT_EQ(comments[2].text, " two");
}

}  // namespace
}  // namespace podsim::structure
