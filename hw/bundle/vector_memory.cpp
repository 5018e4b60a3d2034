// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace podsim::hw {

namespace {

constexpr std::size_t bytes_per_row = lanes * sizeof(std::uint32_t);
const MaskRegister all_lanes = MaskRegister::all();

bool contiguous(const RowSet& rows) {
  bool contiguous = true;
  for (std::size_t i = 1; i < sublanes; ++i) contiguous &= rows.row[i] == rows.row[0] + std::int64_t(i);
  return contiguous;
}

bool lane_set(const MaskRegister& mask, int sublane, int lane) {
  return (mask.bits[std::size_t(2 * sublane + lane / 64)] >> (lane % 64) & 1) != 0;
}

std::uint32_t* map_pages(std::size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::uint32_t*>(pages);
}

}  // namespace

VectorMemory::VectorMemory(std::int64_t rows)
    : words_(map_pages(std::size_t(rows) * bytes_per_row), Unmap{std::size_t(rows) * bytes_per_row}) {}

void VectorMemory::Unmap::operator()(std::uint32_t* words) const { munmap(words, bytes); }

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

}  // namespace podsim::hw
