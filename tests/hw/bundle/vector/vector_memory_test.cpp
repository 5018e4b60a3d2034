// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/vector_memory.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <vector>

namespace podsim::hw::bundle::vector {
namespace {

constexpr std::int64_t rows_held = 64;

/// Loads and stores word by word, as docs/isa.md defines them.
struct PlainMemory {
  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(rows_held * lanes);
  static bool in(const MaskRegister& mask, int s, int l) {
    return (mask.bits[std::size_t(2 * s + l / 64)] >> (l % 64) & 1) != 0;
  }
  void store(const RowSet& rows, const VectorRegister& x, const MaskRegister& mask) {
    for (int s = 0; s < sublanes; ++s) {
      for (int l = 0; l < lanes; ++l) {
        if (in(mask, s, l))
          words[std::size_t(rows.row[std::size_t(s)] * lanes + l)] = x.words[std::size_t(s * lanes + l)];
      }
    }
  }
  VectorRegister load(const RowSet& rows, const MaskRegister& mask) const {
    VectorRegister d;
    for (int s = 0; s < sublanes; ++s) {
      for (int l = 0; l < lanes; ++l) {
        d.words[std::size_t(s * lanes + l)] =
            in(mask, s, l) ? words[std::size_t(rows.row[std::size_t(s)] * lanes + l)] : 0;
      }
    }
    return d;
  }
};

RC_GTEST_PROP(VectorMemory, LoadsAndStoresAsAPlainLoopDoes, (std::uint32_t seed)) {
  std::mt19937 engine(seed);
  const auto random = [&] { return std::uint32_t(engine()); };
  VectorMemory memory(rows_held);
  PlainMemory plain;
  for (int i = 0; i < 8; ++i) {
    const RowSet rows = random() % 2 == 0 ? RowSet::strided(std::int64_t(random() % 8), std::int32_t(random() % 8))
                                          : RowSet::shuffled(std::int64_t(random() % 40), random());
    MaskRegister mask = MaskRegister::all();
    if (random() % 2 == 0) {
      for (auto& bits : mask.bits) bits = std::uint64_t(random()) << 32 | random();
    }
    VectorRegister x;
    for (auto& word : x.words) word = random();
    memory.store(rows, x, mask);
    plain.store(rows, x, mask);
    const RowSet again = RowSet::strided(std::int64_t(random() % 8), std::int32_t(random() % 8));
    memory.load(again, x, mask);
    RC_ASSERT(x.words == plain.load(again, mask).words);
  }
}

TEST(VectorMemory, IsZeroAtFirst) {
  VectorMemory memory(rows_held);
  for (const std::uint32_t word : memory.words(0, rows_held * lanes)) EXPECT_EQ(word, 0u);
}

}  // namespace
}  // namespace podsim::hw::bundle::vector
