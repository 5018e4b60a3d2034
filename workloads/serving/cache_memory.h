// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>

namespace podsim::workloads::serving {

/// The memory of a replica for keys and values, in pages. Sequences have pages of their own and hold blocks of prompts
/// together, each of some pages. A block that no sequence holds any more stays until its pages are wanted; the one that
/// was released first goes first.
class CacheMemory {
 public:
  CacheMemory(std::int64_t pages, std::int64_t block_pages) : pages_(pages), block_pages_(block_pages) {}

  std::int64_t pages() const { return pages_; }
  /// Pages that sequences have or hold.
  std::int64_t used() const { return own_ + block_pages_ * (std::int64_t(blocks_.size()) - idle_blocks()); }
  std::int64_t free() const { return pages_ - used(); }

  /// Takes pages for a sequence, if so many are free.
  bool take(std::int64_t pages);
  void give(std::int64_t pages) { own_ -= pages; }

  /// The number of blocks from the begin that are here.
  std::int64_t known(std::span<const std::uint64_t> blocks) const;
  /// A sequence holds these blocks, which are here.
  void hold(std::span<const std::uint64_t> blocks);
  void release(std::span<const std::uint64_t> blocks);
  /// Makes a block, held once, of the pages of a sequence. False if there is such a block.
  bool keep(std::uint64_t block);
  /// All is lost.
  void clear();

 private:
  struct Block {
    std::int64_t holders = 0;
    std::list<std::uint64_t>::iterator idle = {};  ///< valid without holders
  };

  std::int64_t idle_blocks() const { return std::int64_t(idle_.size()); }

  std::int64_t pages_, block_pages_;
  std::int64_t own_ = 0;  ///< pages of sequences, without blocks
  std::unordered_map<std::uint64_t, Block> blocks_;
  std::list<std::uint64_t> idle_;  ///< released first to last
};

}  // namespace podsim::workloads::serving
