// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/units.h"

namespace podsim::hw::memory {

/// Contents of one core's half of the HBM as 32-bit words. Addresses count words. Words that were never written read as
/// zero and take no host memory. Accesses beyond the capacity throw std::out_of_range.
class DeviceMemory {
 public:
  explicit DeviceMemory(base::Bytes capacity);
  void read(std::uint64_t address, std::span<std::uint32_t> words) const;
  void write(std::uint64_t address, std::span<const std::uint32_t> words);
  std::uint64_t words() const { return words_; }

 private:
  void check(std::uint64_t address, std::size_t count) const;

  static constexpr std::uint64_t page_words = 1 << 16;
  using Page = std::array<std::uint32_t, page_words>;
  std::uint64_t words_;
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace podsim::hw::memory
