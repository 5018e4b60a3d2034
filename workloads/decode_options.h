// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/model_options.h"

namespace podsim::workloads {

/// Element type of cached keys and values. int8: numbers of one byte, and one f32 for each token and head that they are
/// multiplied by.
enum class CacheType { activation, bf16, int8 };

/// How a decoder's next token follows from its logits: the most probable one; or one drawn from the top_k most probable
/// ones, or from as few as have the share top_p of all probability (layers/next_tokens.h).
enum class Sampling { greedy, top_k, top_p };

/// A step of a decoder: every sequence of the batch has `cached` tokens in the cache, gets `new_tokens` more, and the
/// step gives the token after them. One new token is a step of decoding; several with cached = 0 a prefill; several
/// with cached > 0 a part of a prefill, or the check of new_tokens - 1 drafted tokens (Leviathan et al. 2023).
struct DecodeOptions {
  std::int64_t cached = -1;  ///< tokens; -1: as many as make a sequence of the model with the new ones
  std::int64_t new_tokens = 1;
  std::int64_t capacity = 0;  ///< keys that a sequence's cache has room for; 0: cached + new_tokens, in whole 128s
  std::int64_t page = 0;      ///< keys of a page of the cache; 0: the cache of a sequence is contiguous
  bool ragged = false;        ///< sequences have numbers of cached tokens of their own
  CacheType cache_type = CacheType::activation;
  std::int64_t prefill = 0;           ///< tokens that one more sequence brings, which joins the batch; 0: there is none
  std::int64_t prefill_cached = 0;    ///< tokens of that sequence that are cached already
  std::int64_t prefill_capacity = 0;  ///< as capacity, of that sequence
  Sampling sampling = Sampling::greedy;
  std::int64_t top_k = 40;
  double top_p = 0.9;
  std::int64_t beam = 0;   ///< hypotheses of a beam search for each sequence; 0: none
  std::int64_t steps = 1;  ///< tokens that a loop on the device makes in one launch
  bool all_next = false;  ///< a next token after each of the new tokens, not only after the last; of a prefill the last
  bool logits = false;    ///< the step gives the logits instead of next tokens
};

/// Adds the keys "decode.*" that do not tell of a cache of keys and values, bound to the fields of `options`.
void add_search_keys(ModelKeys& keys, DecodeOptions& options);

/// Adds all keys "decode.*".
void add_decode_keys(ModelKeys& keys, DecodeOptions& options);

/// Sets `cached` and `capacity` where they follow from `sequence`, the tokens of a sequence of the model, and `window`,
/// the tokens that attention reaches back (0: all). A capacity is rounded up to whole 128s, the lanes of a vector
/// register along which scores have their keys, or to whole pages. Throws base::InputError for what does not go
/// together.
void resolve(DecodeOptions& options, std::int64_t sequence, std::int64_t window);

/// Throws base::InputError if a setting is of a decoding step and `decode`, whether there is one, is false.
void check_decode_settings(const ModelSettings& settings, bool decode);

}  // namespace podsim::workloads
