// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/memory_pattern.h"

#include <algorithm>

#include "base/diagnostic.h"

namespace podsim::hw {
namespace {

/// Streams of one direction that share `bytes`; the first of them is number `first` of `all`.
class Placer {
 public:
  Placer(const MemoryPattern& pattern, base::Bytes capacity, std::int64_t all)
      : pattern_(pattern), capacity_(capacity), distance_(std::uint64_t(capacity.value() / all) & ~(alignment - 1)) {}

  void add(Direction direction, base::Bytes bytes, std::vector<MemoryStream>& streams) const {
    for (std::int64_t i = 0; i < pattern_.streams; ++i) {
      const base::Bytes share = bytes * (i + 1) / pattern_.streams - bytes * i / pattern_.streams;
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
    throw base::InputError("the streams reach beyond the " + to_string(capacity_) + " of a core's memory");
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
  const bool mixed = pattern.kind == MemoryPattern::Kind::mixed;
  const Placer placer(pattern, capacity, pattern.streams * (mixed ? 2 : 1));
  std::vector<MemoryStream> streams;
  if (mixed) {
    const base::Bytes read = pattern.bytes * pattern.reads / (pattern.reads + pattern.writes);
    placer.add(Direction::read, read, streams);
    placer.add(Direction::write, pattern.bytes - read, streams);
  } else {
    placer.add(pattern.direction, pattern.bytes, streams);
  }
  return streams;
}

}  // namespace podsim::hw
