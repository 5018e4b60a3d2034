// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/cache_memory.h"

namespace podsim::workloads::serving {

bool CacheMemory::take(std::int64_t pages) {
  if (pages > free()) return false;
  own_ += pages;
  while (own_ + block_pages_ * std::int64_t(blocks_.size()) > pages_) {
    blocks_.erase(idle_.front());
    idle_.pop_front();
  }
  return true;
}

std::int64_t CacheMemory::known(std::span<const std::uint64_t> blocks) const {
  std::int64_t count = 0;
  for (const std::uint64_t block : blocks) {
    if (!blocks_.contains(block)) break;
    ++count;
  }
  return count;
}

void CacheMemory::hold(std::span<const std::uint64_t> blocks) {
  for (const std::uint64_t name : blocks) {
    Block& block = blocks_.at(name);
    if (block.holders++ == 0) idle_.erase(block.idle);
  }
}

void CacheMemory::release(std::span<const std::uint64_t> blocks) {
  // A prompt's last blocks are of no use without its first ones, and go before them.
  for (auto name = blocks.rbegin(); name != blocks.rend(); ++name) {
    Block& block = blocks_.at(*name);
    if (--block.holders == 0) block.idle = idle_.insert(idle_.end(), *name);
  }
}

bool CacheMemory::keep(std::uint64_t name) {
  const auto [block, is_new] = blocks_.try_emplace(name);
  if (!is_new) return false;
  block->second.holders = 1;
  own_ -= block_pages_;
  return true;
}

void CacheMemory::clear() {
  own_ = 0;
  blocks_.clear();
  idle_.clear();
}

}  // namespace podsim::workloads::serving
