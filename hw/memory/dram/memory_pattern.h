// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hw/memory/dram/memory_stream.h"

namespace podsim::hw::memory::dram {

/// A named traffic pattern, as run by `podsim memory`.
struct MemoryPattern {
  enum class Kind {
    sequential,  ///< streams of contiguous bytes
    strided,     ///< rows of `row` bytes, `pitch` bytes apart
    random,      ///< rows of `row` bytes at random addresses in the whole memory
    mixed        ///< concurrent sequential streams of one size, reads : writes in number
  };
  Kind kind = Kind::sequential;
  base::Bytes bytes;                      ///< sum over all streams
  std::int64_t streams = 1;               ///< for mixed patterns, a multiplier of reads and writes
  Direction direction = Direction::read;  ///< for patterns other than mixed
  base::Bytes row{512};
  std::int64_t pitch = 4096;  ///< bytes
  std::int64_t reads = 1, writes = 1;
  std::uint64_t seed = 1;
};
std::string_view to_string(MemoryPattern::Kind kind);

/// Returns the streams of a pattern in a memory of `capacity` bytes, spread evenly over it. Strided and random streams
/// consist of whole rows, at least one. base::InputError if sequential or strided streams reach beyond the memory.
std::vector<MemoryStream> streams_of(const MemoryPattern& pattern, base::Bytes capacity);

}  // namespace podsim::hw::memory::dram
