// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/op_cache.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "tests/sw/compiler/cache_file.h"

namespace podsim::sw::compiler {
namespace {

using base::ContentKey;
using testing::CacheFile;

constexpr std::size_t slot_bytes = sizeof(base::ContentKey) + 15 * 8 + 8;

base::ContentKey key(std::uint64_t number) { return {number, ~number}; }
OpCache::Value value(std::uint64_t number) { return {std::int64_t(number), 2, 3}; }

TEST(OpCache, KeepsWhatWasSaved) {
  const testing::CacheFile file;
  {
    OpCache cache(file.path());
    EXPECT_FALSE(cache.find(key(1)));
    cache.add(key(1), value(1));
    EXPECT_EQ(cache.find(key(1)), value(1));
    cache.save();
    cache.add(key(2), value(2));
  }
  OpCache cache(file.path());
  EXPECT_EQ(cache.find(key(1)), value(1));
  EXPECT_FALSE(cache.find(key(2))) << "it was not saved";
  EXPECT_TRUE(cache.warnings().empty());
}

TEST(OpCache, CountsWhatItWasAskedFor) {
  const testing::CacheFile file;
  OpCache cache(file.path());
  cache.find(key(1));
  cache.add(key(1), value(1));
  for (int i = 0; i < 3; ++i) cache.find(key(1));
  const OpCacheUse use = cache.take_use();
  EXPECT_EQ(use.hits, 3);
  EXPECT_EQ(use.misses, 1);
  EXPECT_EQ(cache.take_use().hits, 0);
}

TEST(OpCache, SeesWhatOthersSaveWhenItRefreshesOrSaves) {
  const testing::CacheFile file;
  OpCache one(file.path()), other(file.path());
  one.add(key(1), value(1));
  one.save();
  EXPECT_FALSE(other.find(key(1)));
  other.refresh();
  EXPECT_EQ(other.find(key(1)), value(1));
  one.add(key(2), value(2));
  one.save();
  other.add(key(3), value(3));
  other.save();
  EXPECT_EQ(other.find(key(2)), value(2));
}

/// Eight processes compute 50 of 100 values each, and save after every ten.
TEST(OpCache, HoldsEachValueOnceWhoeverFoundItOut) {
  constexpr std::uint64_t writers = 8, each = 50, all = 100;
  const testing::CacheFile file;
  const std::size_t empty = (OpCache(file.path()), file.size());
  for (std::uint64_t writer = 0; writer < writers; ++writer) {
    if (fork() != 0) continue;
    OpCache cache(file.path());
    for (std::uint64_t i = 0; i < each; ++i) {
      const std::uint64_t number = (writer * 25 + i) % all;
      if (!cache.find(key(number))) cache.add(key(number), value(number));
      if (i % 10 == 9) cache.save();
    }
    _exit(cache.warnings().empty() ? 0 : 1);
  }
  int status = 0;
  for (std::uint64_t i = 0; i < writers; ++i) {
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  OpCache cache(file.path());
  for (std::uint64_t i = 0; i < all; ++i) EXPECT_EQ(cache.find(key(i)), value(i)) << i;
  EXPECT_TRUE(cache.warnings().empty());
  EXPECT_EQ(file.size(), empty + all * slot_bytes);
}

RC_GTEST_PROP(OpCache, MissesWhatWasDamagedAndIsNeverWrong, ()) {
  constexpr std::uint64_t count = 20;
  const testing::CacheFile file;
  {
    OpCache cache(file.path());
    for (std::uint64_t i = 0; i < count; ++i) cache.add(key(i), value(i));
    cache.save();
  }
  std::string text = file.text();
  const std::size_t header = text.size() - count * slot_bytes;
  const auto changes = *rc::gen::inRange(1, 10);
  for (int i = 0; i < changes; ++i) {
    char& byte = text[*rc::gen::inRange(header, text.size())];
    byte = char(byte ^ *rc::gen::inRange(1, 256));
  }
  if (text == file.text()) return;  // one change reverted another
  file.write(text);
  OpCache cache(file.path());
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto found = cache.find(key(i));
    RC_ASSERT(!found || found == value(i));
  }
  RC_ASSERT(cache.take_use().misses > 0);
  RC_ASSERT(cache.warnings().size() == 1U);
}

TEST(OpCache, WarnsOfAFileThatIsNone) {
  const testing::CacheFile file;
  file.write("[machine]\nname = \"not a cache of anything, but somebody's machine file\"\n");
  const std::string before = file.text();
  OpCache cache(file.path());
  cache.add(key(1), value(1));
  cache.save();
  EXPECT_EQ(cache.find(key(1)), value(1)) << "of this process";
  ASSERT_EQ(cache.warnings().size(), 1U);
  EXPECT_NE(cache.warnings().front().find(file.path().string()), std::string::npos);
  EXPECT_EQ(file.text(), before);
}

TEST(OpCache, WarnsOfAFileThatCannotBeWritten) {
  const testing::CacheFile file;
  { const OpCache made(file.path()); }
  OpCache cache(file.path());
  std::filesystem::remove(file.path());
  std::filesystem::create_directory(file.path());
  cache.add(key(1), value(1));
  cache.save();
  EXPECT_EQ(cache.warnings().size(), 1U);
}

}  // namespace
}  // namespace podsim::sw::compiler
