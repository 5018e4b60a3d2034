// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hw/memory/memory_stream.h"

namespace podsim::hw {

/// Traffic by its name: what `podsim memory` runs.
struct MemoryPattern {
  enum class Kind {
    sequential,  ///< streams of contiguous bytes
    strided,     ///< rows of `row` bytes, `pitch` bytes apart
    random,      ///< rows of `row` bytes at random places of the whole memory
    mixed        ///< sequential reads and writes at once, reads : writes streams of one size
  };
  Kind kind = Kind::sequential;
  base::Bytes bytes;                      ///< of all streams together
  std::int64_t streams = 1;               ///< of mixed patterns: so many times reads and writes
  Direction direction = Direction::read;  ///< of patterns that are not mixed
  base::Bytes row{512};
  std::int64_t pitch = 4096;  ///< bytes
  std::int64_t reads = 1, writes = 1;
  std::uint64_t seed = 1;
};
std::string_view to_string(MemoryPattern::Kind kind);

/// The pattern's streams in a memory of so many bytes, spread evenly over it; a stream gets whole rows, at least one.
/// base::InputError when strided rows reach beyond the memory.
std::vector<MemoryStream> streams_of(const MemoryPattern& pattern, base::Bytes capacity);

}  // namespace podsim::hw
