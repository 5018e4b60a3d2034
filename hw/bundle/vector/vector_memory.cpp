// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/vector_memory.h"

#include <algorithm>

namespace podsim::hw::bundle::vector {

namespace {

const MaskRegister all_lanes = MaskRegister::all();

bool contiguous(const RowSet& rows) {
  bool contiguous = true;
  for (std::size_t i = 1; i < sublanes; ++i) contiguous &= rows.row[i] == rows.row[0] + std::int64_t(i);
  return contiguous;
}

bool lane_set(const MaskRegister& mask, int sublane, int lane) {
  return (mask.bits[std::size_t(2 * sublane + lane / 64)] >> (lane % 64) & 1) != 0;
}

}  // namespace

VectorMemory::VectorMemory(std::int64_t rows) : words_(std::size_t(rows) * lanes) {}

void VectorMemory::load(const RowSet& rows, VectorRegister& d, const MaskRegister& mask) const {
  if (contiguous(rows)) {
    std::copy_n(row(rows.row[0]), register_words, d.words.begin());
  } else {
    for (std::size_t i = 0; i < sublanes; ++i) std::copy_n(row(rows.row[i]), lanes, d.words.begin() + i * lanes);
  }
  if (mask == all_lanes) return;
  for (int word = 0; word < register_words; ++word) {
    if (!lane_set(mask, word / lanes, word % lanes)) d.words[std::size_t(word)] = 0;
  }
}

void VectorMemory::store(const RowSet& rows, const VectorRegister& x, const MaskRegister& mask) {
  const bool whole = mask == all_lanes;
  if (whole && contiguous(rows)) {
    std::copy_n(x.words.begin(), register_words, row(rows.row[0]));
    return;
  }
  for (int i = 0; i < sublanes; ++i) {
    std::uint32_t* to = row(rows.row[std::size_t(i)]);
    const std::uint32_t* from = x.words.data() + i * lanes;
    for (int lane = 0; lane < lanes; ++lane) {
      if (whole || lane_set(mask, i, lane)) to[lane] = from[lane];
    }
  }
}

}  // namespace podsim::hw::bundle::vector
