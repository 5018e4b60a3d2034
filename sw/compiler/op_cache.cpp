// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/op_cache.h"

#include <fmt/format.h>

#include <cstring>
#include <set>

namespace podsim::sw::compiler {
namespace {

std::string record_of(const base::ContentKey& key, const OpCache::Value& value) {
  std::string record(OpCache::record_bytes(), '\0');
  std::memcpy(record.data(), &key, sizeof(key));
  std::memcpy(record.data() + sizeof(key), value.data(), record.size() - sizeof(key));
  return record;
}

}  // namespace

OpCache::OpCache(std::filesystem::path file) : log_(std::move(file), "podsim costs of ops, format 1", record_bytes()) {
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
  base::ContentKey key;
  Value value{};
  std::memcpy(&key, record.data(), sizeof(key));
  std::memcpy(value.data(), record.data() + sizeof(key), record.size() - sizeof(key));
  values_.emplace(key, value);
  return key;
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
      records += record_of(key, value);
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
