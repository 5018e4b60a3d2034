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

/// Keys that a sequence's cache has room for: `given`, or if that is 0 enough for `needed`, in whole `multiple`s.
std::int64_t capacity_for(std::int64_t given, std::int64_t needed, std::int64_t multiple) {
  const std::int64_t capacity = given > 0 ? given : (needed + multiple - 1) / multiple * multiple;
  require(capacity >= needed,
          fmt::format("decode.capacity, {}, is below the {} keys that the step needs", capacity, needed));
  return capacity;
}

}  // namespace

void add_search_keys(ModelKeys& keys, DecodeOptions& o) {
  keys.add("decode.cached", o.cached, -1, most,
           "tokens that each sequence has behind it; -1: those of a sequence less\nthe new ones");
  keys.add("decode.logits", o.logits, "whether the step gives logits instead of tokens");
  keys.add("decode.sampling", o.sampling,
           {{"greedy", Sampling::greedy}, {"top_k", Sampling::top_k}, {"top_p", Sampling::top_p}},
           "how a token follows from logits");
  keys.add("decode.top_k", o.top_k, 1, most, "most probable tokens that are drawn from");
  keys.add("decode.top_p", o.top_p, 0, 1, "share of the probability that is drawn from");
  keys.add("decode.beam", o.beam, 0, 1024, "hypotheses of a beam search for each sequence; 0: none");
  keys.add("decode.steps", o.steps, 1, most, "tokens that a loop on the device makes in one launch");
}

void add_decode_keys(ModelKeys& keys, DecodeOptions& o) {
  add_search_keys(keys, o);
  keys.add("decode.new_tokens", o.new_tokens, 1, most, "tokens that each sequence gets");
  keys.add("decode.all_next", o.all_next, "whether each new token gets a next one, not only the last");
  keys.add("decode.capacity", o.capacity, 0, most,
           "keys that a sequence's cache has room for; 0: cached and new ones,\nin whole 128s or pages");
  keys.add("decode.page", o.page, 0, most, "keys of a page of the cache; 0: contiguous");
  keys.add("decode.ragged", o.ragged, "whether sequences have numbers of cached tokens of their own");
  keys.add("decode.cache_type", o.cache_type,
           {{"activation", CacheType::activation}, {"bf16", CacheType::bf16}, {"int8", CacheType::int8}},
           "type of cached keys and values");
  keys.add("decode.prefill", o.prefill, 0, most, "tokens that one more sequence brings to the step; 0: there is none");
  keys.add("decode.prefill_cached", o.prefill_cached, 0, most, "tokens of that sequence in the cache");
}

void resolve(DecodeOptions& o, std::int64_t sequence, std::int64_t window) {
  if (o.cached < 0) {
    require(o.new_tokens <= sequence,
            fmt::format("{} new tokens are more than the {} of model.sequence", o.new_tokens, sequence),
            "decode.cached=0");
    o.cached = sequence - o.new_tokens;
  }
  require(o.beam == 0 || (o.new_tokens == 1 && o.cached > 0 && o.prefill == 0 && o.page == 0 && !o.logits &&
                          !o.all_next && o.sampling == Sampling::greedy),
          "a beam search adds one token to cached ones, without pages, a prefill, sampling or logits", "decode.beam=0");
  require(o.steps == 1 || (o.new_tokens == 1 && o.cached > 0 && o.prefill == 0 && !o.logits),
          "a loop on the device makes one token for each sequence in a trip: it has no prefill, and gives no logits",
          "decode.steps=1");
  const std::int64_t multiple = o.page > 0 ? o.page : lanes;
  const auto reached = [&](std::int64_t cached, std::int64_t fresh) {
    return window > 0 && cached > 0 ? std::min(cached + fresh, window + fresh - 1) : cached + fresh;
  };
  require(o.prefill > 0 || o.prefill_cached == 0, "decode.prefill_cached is of the sequence that a prefill brings",
          "decode.prefill");
  o.capacity = capacity_for(o.capacity, reached(o.cached + o.steps - 1, o.new_tokens), multiple);
  if (o.prefill > 0) {
    o.prefill_capacity = capacity_for(o.prefill_capacity, reached(o.prefill_cached, o.prefill), multiple);
  }
  require(o.page == 0 || o.capacity % o.page == 0,
          fmt::format("decode.capacity, {}, is not a multiple of decode.page, {}", o.capacity, o.page));
}

void check_decode_settings(const ModelSettings& settings, bool decode) {
  if (decode) {
    const auto sampling = settings.find("decode.sampling");
    for (const std::string name : {"top_k", "top_p"}) {
      require(!settings.contains("decode." + name) || (sampling != settings.end() && sampling->second == name),
              fmt::format("nothing reads decode.{}", name), fmt::format("decode.sampling={}", name));
    }
    return;
  }
  const auto found =
      std::ranges::find_if(settings, [](const auto& setting) { return setting.first.starts_with("decode."); });
  require(found == settings.end(),
          fmt::format("'{}' is of a step of a decoder", found == settings.end() ? "" : found->first), "add --decode");
}

}  // namespace podsim::workloads
