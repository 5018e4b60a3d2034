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
#include "base/record_log.h"

namespace podsim::sw {

/// How often a cache was asked for something that it had, and that it had not.
struct OpCacheUse {
  std::int64_t hits = 0, misses = 0;
  OpCacheUse& operator+=(const OpCacheUse& other) {
    hits += other.hits;
    misses += other.misses;
    return *this;
  }
};

/// What was found out about ops of a core (op_costs.h), by content: in memory, and in a file that many processes share.
/// A key names all that a value follows from, so that a value is never out of date; what nobody asks for any more stays
/// in the file. A process reads what others found when it opens the file, when it saves, and when it refreshes.
class OpCache {
 public:
  static constexpr std::size_t words = 14;
  using Value = std::array<std::int64_t, words>;

  /// Makes the file where there is none; InputError when it cannot be opened.
  explicit OpCache(std::filesystem::path file);

  /// Counts as a hit or a miss.
  std::optional<Value> find(const base::ContentKey& key);
  void add(const base::ContentKey& key, const Value& value);

  /// Takes over what other processes have saved.
  void refresh();
  /// Writes what was added since, but for what others have saved. A file that cannot be written is a warning.
  void save();

  /// Since the last call.
  OpCacheUse take_use() { return std::exchange(use_, {}); }
  /// Of a file that is damaged, is no such file, or cannot be written; the values are right in any case.
  std::vector<std::string> warnings() const;

 private:
  struct KeyHash {
    std::size_t operator()(const base::ContentKey& key) const { return key.low; }
  };

  base::ContentKey take(std::string_view record);

  base::RecordLog log_;
  std::unordered_map<base::ContentKey, Value, KeyHash> values_;
  std::vector<std::pair<base::ContentKey, Value>> pending_;  ///< not saved yet
  OpCacheUse use_;
  bool write_failed_ = false;
};

}  // namespace podsim::sw
