// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/content_hash.h"
#include "base/host/record_log.h"
#include "hw/op_result.h"

namespace podsim::sw::compiler {

/// Number of lookups in a cache that found a value, and that did not.
struct OpCacheUse {
  std::int64_t hits = 0, misses = 0;
  OpCacheUse& operator+=(const OpCacheUse& other) {
    hits += other.hits;
    misses += other.misses;
    return *this;
  }
};

/// Results about ops of a core (op_costs.h), by content: in memory, and in a file that many processes share. A key
/// contains everything that a value depends on, so values are never out of date; values that are no longer used stay in
/// the file. A process reads the values of other processes when it opens the file, when it saves, and when it
/// refreshes.
class OpCache {
 public:
  /// The first hw::OpResult::counts() words are kept.
  using Value = std::array<std::int64_t, hw::OpResult::max_counts>;
  /// The size of a record of the file: a key and the words of a value, in the byte order of the host. On a host with
  /// another order no checksum fits.
  static std::size_t record_bytes() { return sizeof(base::ContentKey) + 8 * hw::OpResult::counts(); }

  /// Creates the file if it does not exist. Throws InputError if it cannot be opened.
  explicit OpCache(std::filesystem::path file);

  /// Counts as a hit or a miss.
  std::optional<Value> find(const base::ContentKey& key);
  void add(const base::ContentKey& key, const Value& value);

  /// Reads the values that other processes have saved.
  void refresh();
  /// Writes the values added since the last call, except those that other processes have saved. A file that cannot be
  /// written leads to a warning.
  void save();

  /// Returns the use since the last call.
  OpCacheUse take_use() { return std::exchange(use_, {}); }
  /// Warnings about a file that is damaged, has another format, or cannot be written. The values are right in any case.
  std::vector<std::string> warnings() const;

 private:
  struct KeyHash {
    std::size_t operator()(const base::ContentKey& key) const { return key.low; }
  };

  base::ContentKey take(std::string_view record);

  base::host::RecordLog log_;
  std::unordered_map<base::ContentKey, Value, KeyHash> values_;
  std::vector<std::pair<base::ContentKey, Value>> pending_;  ///< not saved yet
  OpCacheUse use_;
  bool write_failed_ = false;
};

}  // namespace podsim::sw::compiler
