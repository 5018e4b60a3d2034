// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/layers/attention.h"
#include "workloads/layers/decode_step.h"

namespace podsim::workloads::layers {

struct CacheOptions {
  std::int64_t sequences = 1;   ///< B
  std::int64_t new_tokens = 1;  ///< T, of each sequence in a step
  std::int64_t capacity = 128;  ///< L, keys of a sequence
  bool starts = false;          ///< nothing is cached: the new tokens are the first ones
  bool ragged = false;          ///< each sequence has a position of its own
  std::int64_t window = 0;      ///< a token attends to itself and the window - 1 before it; 0: to all before it
  std::int64_t page = 0;        ///< keys of a page; 0: the cache of a sequence is contiguous
  std::string prefix = {};      ///< of the names of parameters
  bool narrow = false;          ///< s8 with a scale for each token and head
  hlo::ElementType type = hlo::ElementType::bf16;  ///< of cached numbers that are not narrow
};

/// Keys and values of the tokens that a decoder has seen, and of those that a step adds. The step attends to all of
/// them; what it adds replaces a part of the cache in place.
///
/// Entry parameters, under the builder's scope when the cache is made: "position", the number of tokens that are cached
/// already, s32[1] for all sequences or, if ragged, s32[B]; none if the step starts. With pages, "block_table"
/// s32[B, L / page]: the pages of a sequence in the pool. For each attention, under its scope: "cache/k" and "cache/v"
/// [B, heads, L, D], or with pages [B L / page, heads, page, D]; if narrow, s8, with "cache/k_scale" and
/// "cache/v_scale" f32 [B, heads, L], or by page. Keys of a head follow each other in this order
/// of dimensions, which is also that of the memory, as of any array that one launch of a program hands to the next: a
/// token's numbers fill the lanes, and writing it moves little else.
///
/// An array that is written has the op_name of its parameter; what is read of it by pages has "cache/k/pages", [B, L /
/// page, heads, page, D].
///
/// A prefix stands before "position", "block_table" and "cache".
///
/// The token at position p is at index p mod L: with a window, L may be as little as window + T - 1.
class KeyValueCache {
 public:
  KeyValueCache(hlo::build::GraphBuilder& builder, const CacheOptions& options);

  const CacheOptions& options() const { return options_; }

  /// s32[R, T]: positions of the new tokens; R is B if ragged and not starting, else 1.
  hlo::InstructionId positions() const { return positions_; }
  /// s32[R, T, keys]: how far a key is before a new token.
  hlo::InstructionId distances() const { return distances_; }
  /// Rows of a table [positions, features] for the new tokens: [B, T, features] in the type of the activations.
  hlo::InstructionId rows_at_positions(TrainedTensors& tensors, hlo::InstructionId table) const;
  /// The keys that the new tokens may attend to, for `heads` heads of queries.
  AttentionMask mask(std::int64_t heads);

  /// What queries are multiplied with: numbers [B, heads, keys, D] or, by page, [B, pages, heads, page, D], s8 with
  /// scales or in the type of the cache.
  struct Side {
    hlo::InstructionId numbers = -1;
    hlo::InstructionId scale = -1;  ///< f32[B, heads, keys]; -1: none
  };

  /// Adds the keys or values `fresh` [B, T, heads, D] to the parameter `name`, and returns all that are attended to:
  /// the cache, or, if the step starts, the fresh ones themselves.
  Side append(std::string_view name, hlo::InstructionId fresh);

  /// A cached array that steps only read, such as keys of an encoder: the parameter "cache/NAME" [B, heads, keys, D];
  /// if the step starts, `computed` [B, keys, heads, D] turned, which becomes a result that replaces the parameter.
  hlo::InstructionId kept(std::string_view name, const hlo::Shape& shape, hlo::InstructionId computed);

  /// Cached arrays that the step replaces.
  const std::vector<ReplacedState>& replaced() const { return replaced_; }

 private:
  std::int64_t rows() const { return options_.ragged && !options_.starts ? options_.sequences : 1; }
  std::int64_t keys() const { return options_.starts ? options_.new_tokens : options_.capacity; }
  hlo::InstructionId slots();
  hlo::InstructionId parameter(std::string_view name, const hlo::Shape& shape);
  hlo::InstructionId written(std::string_view name, hlo::InstructionId cache, hlo::InstructionId fresh);
  hlo::InstructionId stored(std::string_view name, hlo::InstructionId fresh);

  hlo::build::GraphBuilder& b_;
  CacheOptions options_;
  hlo::InstructionId first_ = -1;  ///< s32[R, 1]: position of the first new token
  hlo::InstructionId positions_ = -1, distances_ = -1;
  hlo::InstructionId valid_ = -1;  ///< pred [R, T, keys]
  hlo::InstructionId table_ = -1;
  hlo::InstructionId slots_ = -1;
  std::vector<ReplacedState> replaced_;
};

}  // namespace podsim::workloads::layers
