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

TEST(Comments, OfTestsAreSubjectVerbObject) {
  for (const auto& file : test_files()) {
    for (const Comment& comment : comments_of(read_source(file))) {
      EXPECT_EQ(comment_fault(comment.text), "") << file.string() << ":" << comment.line;
    }
  }
}

TEST(Comments, OfCollectivesSayStripe) {
  for (const auto& file : source_files()) {
    if (!file.string().starts_with("sw/collectives/")) continue;
    for (const Comment& comment : comments_of(read_source(file))) {
      EXPECT_EQ(stripe_fault(comment.text), "") << file.string() << ":" << comment.line;
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

TEST(Comments, TheRuleFindsWordsThatTheGlossaryAvoids) {
  EXPECT_EQ(comment_fault(" An array cut over cores."), "it says \"cut\", not shard, split, tile, clip or truncate");
  EXPECT_EQ(comment_fault(" Cuts a flow."), "it says \"Cuts\", not shard, split, tile, clip or truncate");
  EXPECT_EQ(comment_fault(" Places of a queue."), "it says \"Places\", not position, slot, location or placement");
  EXPECT_EQ(comment_fault(" The place, in the text."), "it says \"place\", not position, slot, location or placement");
  EXPECT_EQ(comment_fault(" Copies beside an op."),
            "it says \"beside\", not concurrent with, next to or in addition to");
}

TEST(Comments, TheRuleLeavesNamesAndTerms) {
  EXPECT_EQ(comment_fault(" Virtual cut-through. `place` is a location, as place() takes it."), "");
  EXPECT_EQ(comment_fault(" An update in place takes place when values are placed in VMEM; placing costs nothing."),
            "");
  EXPECT_EQ(comment_fault(" Replaces a placement, cutoff besides."), "");
  EXPECT_EQ(comment_fault(" Two units in the last place."), "");
}

TEST(Comments, TheRuleFindsColoursOfCollectives) {
  EXPECT_EQ(stripe_fault(" Every colour visits the dimensions in its order."), "it says \"colour\", not stripe");
  EXPECT_EQ(stripe_fault(" Both Colours."), "it says \"Colours\", not stripe");
  EXPECT_EQ(stripe_fault(" A label: \"step 2, colour 0\", of `two-colour`."), "");
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
