// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/device_memory.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace podsim::hw::memory {

DeviceMemory::DeviceMemory(base::Bytes capacity)
    : words_(std::uint64_t(capacity.value()) / 4), pages_((words_ + page_words - 1) / page_words) {}

void DeviceMemory::check(std::uint64_t address, std::size_t count) const {
  if (count > words_ || address > words_ - count) {
    throw std::out_of_range("words " + std::to_string(address) + " to " + std::to_string(address + count) +
                            " of a memory of " + std::to_string(words_));
  }
}

void DeviceMemory::read(std::uint64_t address, std::span<std::uint32_t> words) const {
  check(address, words.size());
  while (!words.empty()) {
    const std::size_t offset = address % page_words;
    const std::size_t count = std::min<std::size_t>(words.size(), page_words - offset);
    if (const auto& page = pages_[address / page_words]) {
      std::copy_n(page->begin() + std::ptrdiff_t(offset), count, words.begin());
    } else {
      std::fill_n(words.begin(), count, 0);
    }
    words = words.subspan(count);
    address += count;
  }
}

void DeviceMemory::write(std::uint64_t address, std::span<const std::uint32_t> words) {
  check(address, words.size());
  while (!words.empty()) {
    const std::size_t offset = address % page_words;
    const std::size_t count = std::min<std::size_t>(words.size(), page_words - offset);
    auto& page = pages_[address / page_words];
    if (page == nullptr) page = std::make_unique<Page>();
    std::copy_n(words.begin(), count, page->begin() + std::ptrdiff_t(offset));
    words = words.subspan(count);
    address += count;
  }
}

}  // namespace podsim::hw::memory
