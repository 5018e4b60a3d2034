// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/memory_pattern.h"

#include <algorithm>
#include <numeric>

#include "base/diagnostic.h"

namespace podsim::hw::memory::dram {
namespace {

/// Lays streams out one after another in the memory, `all` of them in the end.
class StreamLayout {
 public:
  StreamLayout(const MemoryPattern& pattern, base::Bytes capacity, std::int64_t all)
      : pattern_(pattern), capacity_(capacity), distance_(std::uint64_t(capacity.value() / all) & ~(alignment - 1)) {}

  /// Appends `count` streams that share `bytes`.
  void add(Direction direction, base::Bytes bytes, std::int64_t count, std::vector<MemoryStream>& streams) const {
    for (std::int64_t i = 0; i < count; ++i) {
      const base::Bytes share = bytes * (i + 1) / count - bytes * i / count;
      streams.push_back(stream(direction, share, streams.size()));
    }
  }

 private:
  static constexpr std::uint64_t alignment = 4096;

  MemoryStream stream(Direction direction, base::Bytes bytes, std::uint64_t number) const {
    const std::uint64_t base = number * distance_;
    const std::int64_t rows = std::max<std::int64_t>(1, bytes / pattern_.row);
    switch (pattern_.kind) {
      case MemoryPattern::Kind::strided:
        check_reach(base + std::uint64_t((rows - 1) * pattern_.pitch + pattern_.row.value()));
        return MemoryStream::strided(direction, base, pattern_.row, rows, pattern_.pitch);
      case MemoryPattern::Kind::random:
        return MemoryStream::scattered(direction, 0, pattern_.row, rows, capacity_, pattern_.seed + number);
      default:
        check_reach(base + std::uint64_t(bytes.value()));
        return MemoryStream::sequential(direction, base, bytes);
    }
  }

  void check_reach(std::uint64_t end) const {
    if (end <= std::uint64_t(capacity_.value())) return;
    throw base::InputError("the streams reach beyond the " + base::to_string(capacity_) + " of a core's memory");
  }

  const MemoryPattern& pattern_;
  base::Bytes capacity_;
  std::uint64_t distance_;
};

}  // namespace

std::string_view to_string(MemoryPattern::Kind kind) {
  switch (kind) {
    case MemoryPattern::Kind::sequential:
      return "sequential";
    case MemoryPattern::Kind::strided:
      return "strided";
    case MemoryPattern::Kind::random:
      return "random";
    case MemoryPattern::Kind::mixed:
      return "mixed";
  }
  return "";
}

std::vector<MemoryStream> streams_of(const MemoryPattern& pattern, base::Bytes capacity) {
  std::vector<MemoryStream> streams;
  if (pattern.kind != MemoryPattern::Kind::mixed) {
    StreamLayout(pattern, capacity, pattern.streams).add(pattern.direction, pattern.bytes, pattern.streams, streams);
    return streams;
  }
  const std::int64_t divisor = std::gcd(pattern.reads, pattern.writes);
  const std::int64_t reads = pattern.streams * pattern.reads / divisor;
  const std::int64_t writes = pattern.streams * pattern.writes / divisor;
  const StreamLayout placer(pattern, capacity, reads + writes);
  const base::Bytes read = pattern.bytes * pattern.reads / (pattern.reads + pattern.writes);
  placer.add(Direction::read, read, reads, streams);
  placer.add(Direction::write, pattern.bytes - read, writes, streams);
  return streams;
}

}  // namespace podsim::hw::memory::dram
