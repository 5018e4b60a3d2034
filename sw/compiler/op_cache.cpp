// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/op_cache.h"

#include <fmt/format.h>

#include <cstring>
#include <set>

namespace podsim::sw::compiler {
namespace {

/// A record of the file, in the byte order of the host: on a host with another order no checksum fits.
struct Record {
  base::ContentKey key;
  OpCache::Value value;
};
static_assert(sizeof(Record) == sizeof(base::ContentKey) + sizeof(OpCache::Value));

}  // namespace

OpCache::OpCache(std::filesystem::path file) : log_(std::move(file), "podsim costs of ops, format 1", sizeof(Record)) {
  refresh();
}

std::optional<OpCache::Value> OpCache::find(const base::ContentKey& key) {
  const auto found = values_.find(key);
  ++(found == values_.end() ? use_.misses : use_.hits);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

void OpCache::add(const base::ContentKey& key, const Value& value) {
  if (values_.emplace(key, value).second) pending_.emplace_back(key, value);
}

base::ContentKey OpCache::take(std::string_view record) {
  Record read;
  std::memcpy(&read, record.data(), sizeof(read));
  values_.emplace(read.key, read.value);
  return read.key;
}

void OpCache::refresh() {
  log_.read_new([this](std::string_view record) { take(record); });
}

void OpCache::save() {
  if (pending_.empty() || !log_.usable()) return;
  std::set<base::ContentKey> saved;
  const auto take_saved = [&](std::string_view record) { saved.insert(take(record)); };
  const bool written = log_.append(take_saved, [&] {
    std::string records;
    for (const auto& [key, value] : pending_) {
      if (saved.contains(key)) continue;
      const Record record{key, value};
      records.append(reinterpret_cast<const char*>(&record), sizeof(record));
    }
    return records;
  });
  write_failed_ = !written;
  pending_.clear();
}

std::vector<std::string> OpCache::warnings() const {
  const std::string file = log_.file().string();
  if (!log_.usable()) return {fmt::format("'{}' does not hold costs of ops: it is left as it is, and not used", file)};
  std::vector<std::string> warnings;
  if (log_.damaged() > 0) {
    warnings.push_back(
        fmt::format("'{}': {} records are damaged; what they held is computed again", file, log_.damaged()));
  }
  if (write_failed_) warnings.push_back(fmt::format("'{}' cannot be written: what was found out is not kept", file));
  return warnings;
}

}  // namespace podsim::sw::compiler
