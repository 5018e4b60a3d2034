// SPDX-License-Identifier: Apache-2.0
#include "workloads/decode_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/diagnostic.h"

namespace podsim::workloads {

namespace {

constexpr std::int64_t most = std::int64_t{1} << 24;
constexpr std::int64_t lanes = 128;

void require(bool holds, std::string message, std::string hint = "") {
  if (!holds) throw base::InputError(std::move(message), std::move(hint));
}

}  // namespace

void add_decode_keys(ModelKeys& keys, DecodeOptions& o) {
  keys.add("decode.cached", o.cached, -1, most,
           "tokens that each sequence has in the cache; -1: those of a sequence\nless the new ones");
  keys.add("decode.new_tokens", o.new_tokens, 1, most, "tokens that each sequence gets");
  keys.add("decode.capacity", o.capacity, 0, most,
           "keys that a sequence's cache has room for; 0: cached and new ones,\nin whole 128s");
  keys.add("decode.page", o.page, 0, most, "keys of a page of the cache; 0: contiguous");
  keys.add("decode.ragged", o.ragged, "whether sequences have numbers of cached tokens of their own");
  keys.add("decode.cache_type", o.cache_type,
           {{"activation", CacheType::activation}, {"bf16", CacheType::bf16}, {"int8", CacheType::int8}},
           "type of cached keys and values");
  keys.add("decode.all_next", o.all_next, "whether each new token gets a next one, not only the last");
  keys.add("decode.logits", o.logits, "whether the step gives logits instead of tokens");
}

void resolve(DecodeOptions& o, std::int64_t sequence, std::int64_t window) {
  if (o.cached < 0) {
    require(o.new_tokens <= sequence,
            fmt::format("{} new tokens are more than the {} of model.sequence", o.new_tokens, sequence),
            "decode.cached=0");
    o.cached = sequence - o.new_tokens;
  }
  std::int64_t needed = o.cached + o.new_tokens;
  if (window > 0 && o.cached > 0) needed = std::min(needed, window + o.new_tokens - 1);
  const std::int64_t multiple = o.page > 0 ? o.page : lanes;
  if (o.capacity == 0) o.capacity = (needed + multiple - 1) / multiple * multiple;
  require(o.capacity >= needed,
          fmt::format("decode.capacity, {}, is below the {} keys that the step needs", o.capacity, needed));
  require(o.page == 0 || o.capacity % o.page == 0,
          fmt::format("decode.capacity, {}, is not a multiple of decode.page, {}", o.capacity, o.page));
}

void check_decode_settings(const ModelSettings& settings, bool decode) {
  if (decode) return;
  const auto found =
      std::ranges::find_if(settings, [](const auto& setting) { return setting.first.starts_with("decode."); });
  require(found == settings.end(),
          fmt::format("'{}' is of a step of a decoder", found == settings.end() ? "" : found->first), "add --decode");
}

}  // namespace podsim::workloads
