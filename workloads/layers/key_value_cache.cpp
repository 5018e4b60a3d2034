// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/key_value_cache.h"

#include <utility>

#include "workloads/layers/embedding.h"

namespace podsim::workloads::layers {

using hlo::ComparisonDirection;
using hlo::ElementType;
using hlo::InstructionId;
using hlo::build::GraphBuilder;
using Sizes = std::vector<std::int64_t>;

namespace {

hlo::Shape whole_numbers(Sizes sizes) { return hlo::make_shape(ElementType::s32, std::move(sizes)); }

/// Numbers of one byte with the greatest absolute value of each row, [..., D], as 127: the numbers and their scales.
std::pair<InstructionId, InstructionId> quantised(GraphBuilder& b, InstructionId x) {
  constexpr double most = 127, least = 1e-30;
  const InstructionId wide = b.convert(x, ElementType::f32);
  const Sizes sizes = b.shape(x).dimensions;
  const std::int64_t last = std::int64_t(sizes.size()) - 1;
  Sizes rows(std::size_t(last), 0);
  for (std::int64_t i = 0; i < last; ++i) rows[std::size_t(i)] = i;
  const InstructionId highest = b.reduce_max(b.abs(wide), {last});
  const InstructionId scale =
      b.multiply(b.maximum(highest, b.full_like(highest, least)), b.full_like(highest, 1 / most));
  const InstructionId steps = b.divide(wide, b.broadcast(scale, sizes, rows));
  return {b.convert(b.unary(hlo::Opcode::round_nearest_even, steps), ElementType::s8), scale};
}

/// Index vectors, along the last dimension of indices of this rank, index `indexed` dimensions of an array of `rank`.
hlo::GatherDimensions rows_at(int rank, std::vector<int> indexed, int index_rank) {
  hlo::GatherDimensions dimensions;
  for (int i = 0; i < rank - int(indexed.size()); ++i) dimensions.offset.push_back(index_rank - 1 + i);
  dimensions.collapsed = indexed;
  dimensions.index_map = std::move(indexed);
  dimensions.index_vector = index_rank - 1;
  return dimensions;
}

/// [B, T, heads, ...] -> [B, heads, T, ...]
InstructionId turned(GraphBuilder& b, InstructionId x) {
  return b.transpose(x, b.shape(x).rank() == 4 ? Sizes{0, 2, 1, 3} : Sizes{0, 2, 1});
}

}  // namespace

KeyValueCache::KeyValueCache(GraphBuilder& builder, const CacheOptions& options) : b_(builder), options_(options) {
  const std::int64_t new_tokens = options_.new_tokens, capacity = options_.capacity;
  first_ = options_.starts ? b_.full(whole_numbers({1, 1}), 0)
                           : b_.reshape(parameter(options_.prefix + "position", whole_numbers({rows()})), {rows(), 1});
  if (options_.page > 0) {
    table_ = parameter(options_.prefix + "block_table", whole_numbers({options_.sequences, capacity / options_.page}));
  }
  const GraphBuilder::Scope scope(b_, "mask");
  const Sizes sizes{rows(), new_tokens, keys()};
  const auto over_all = [&](InstructionId value, Sizes dimensions) {
    return b_.broadcast(value, sizes, std::move(dimensions));
  };
  const InstructionId first = b_.reshape(first_, {rows()});
  positions_ = b_.add(b_.broadcast(first, {rows(), new_tokens}, {0}), b_.iota(whole_numbers({rows(), new_tokens}), 1));
  const InstructionId query = over_all(positions_, {0, 1});
  InstructionId key = b_.iota(whole_numbers(sizes), 2);
  const bool wraps = options_.window > 0 && !options_.starts;
  if (wraps) {
    const InstructionId end = over_all(b_.add(first, b_.full_like(first, double(new_tokens - 1))), {0});
    const InstructionId ahead = b_.add(b_.subtract(end, key), b_.full_like(key, double(capacity)));
    key = b_.subtract(end, b_.binary(hlo::Opcode::remainder, ahead, b_.full_like(ahead, double(capacity))));
  }
  distances_ = b_.subtract(query, key);
  valid_ = b_.compare(distances_, b_.full_like(distances_, 0), ComparisonDirection::ge);
  if (options_.window > 0) {
    const InstructionId near =
        b_.compare(distances_, b_.full_like(distances_, double(options_.window)), ComparisonDirection::lt);
    valid_ = b_.logical_and(valid_, near);
  }
  if (wraps) valid_ = b_.logical_and(valid_, b_.compare(key, b_.full_like(key, 0), ComparisonDirection::ge));
}

InstructionId KeyValueCache::parameter(std::string_view name, const hlo::Shape& shape) {
  const GraphBuilder::Scope scope(b_, name);
  return b_.parameter(shape, b_.scope());
}

InstructionId KeyValueCache::rows_at_positions(TrainedTensors& tensors, InstructionId table) const {
  const GraphBuilder::Scope scope(b_, "positions");
  const InstructionId rows = embedded(tensors, table, positions_, EmbeddingLookup::gather);
  const std::int64_t features = b_.shape(table).dimensions[1];
  if (b_.shape(rows).dimensions[0] == options_.sequences) return rows;
  return b_.broadcast(b_.reshape(rows, {options_.new_tokens, features}),
                      {options_.sequences, options_.new_tokens, features}, {1, 2});
}

AttentionMask KeyValueCache::mask(std::int64_t heads) {
  const GraphBuilder::Scope scope(b_, "mask");
  const Sizes sizes{options_.sequences, heads, options_.new_tokens, keys()};
  if (options_.ragged && !options_.starts) return {b_.broadcast(valid_, sizes, {0, 2, 3})};
  return {b_.broadcast(b_.reshape(valid_, {options_.new_tokens, keys()}), sizes, {2, 3})};
}

/// Where the new tokens are in an array of the cache: s32[B, T, 1], the key of the sequence, or with pages s32[B, T,
/// 2], page and key.
InstructionId KeyValueCache::slots() {
  if (slots_ >= 0) return slots_;
  const GraphBuilder::Scope scope(b_, "slots");
  const std::int64_t batch = options_.sequences, tokens = options_.new_tokens;
  const Sizes sizes{batch, tokens};
  InstructionId key = rows() == batch ? positions_ : b_.broadcast(b_.reshape(positions_, {tokens}), sizes, {1});
  if (options_.window > 0) {
    key = b_.binary(hlo::Opcode::remainder, key, b_.full_like(key, double(options_.capacity)));
  }
  const Sizes with_index{batch, tokens, 1};
  if (options_.page == 0) return slots_ = b_.reshape(key, with_index);
  const InstructionId page = b_.full_like(key, double(options_.page));
  const InstructionId row = b_.iota(whole_numbers(sizes), 0), entry = b_.divide(key, page);
  const InstructionId index = b_.concatenate({b_.reshape(row, with_index), b_.reshape(entry, with_index)}, 2);
  const InstructionId number = b_.gather(table_, index, rows_at(2, {0, 1}, 3), {1, 1});
  key = b_.binary(hlo::Opcode::remainder, key, page);
  slots_ = b_.concatenate({b_.reshape(number, with_index), b_.reshape(key, with_index)}, 2);
  return slots_;
}

/// The cache with `fresh` [B, T, heads, ...] in it, under the name of its parameter.
InstructionId KeyValueCache::written(std::string_view name, InstructionId cache, InstructionId fresh) {
  const bool follows = options_.window == 0 || options_.new_tokens == 1 || options_.starts;
  const int rank = b_.shape(cache).rank();
  if ((!options_.ragged || options_.starts) && options_.page == 0 && follows) {
    const InstructionId zero = b_.constant(ElementType::s32, 0);
    InstructionId first = b_.reshape(first_, {});
    if (options_.window > 0) {
      first = b_.binary(hlo::Opcode::remainder, first, b_.full_like(first, double(options_.capacity)));
    }
    std::vector<InstructionId> starts(std::size_t(rank), zero);
    starts[2] = first;
    const InstructionId update = turned(b_, fresh);
    const GraphBuilder::Scope scope(b_, name);
    return b_.dynamic_update_slice(cache, update, starts);
  }
  const hlo::ComputationId latest = [&] {
    GraphBuilder body("latest");
    const hlo::Shape scalar = hlo::make_shape(b_.type(cache), {});
    body.parameter(scalar, "old");
    const InstructionId value = body.parameter(scalar, "new");
    return b_.computation(std::move(body), value);
  }();
  const InstructionId indices = slots();
  const GraphBuilder::Scope scope(b_, name);
  hlo::GatherDimensions dimensions = rows_at(rank, {0, 2}, 3);
  if (options_.page == 0) {  // every sequence has its own part of the cache
    dimensions.collapsed = dimensions.index_map = {2};
    dimensions.operand_batching = dimensions.indices_batching = {0};
  }
  return b_.scatter(cache, indices, fresh, std::move(dimensions), latest);
}

/// Writes `fresh` [B, T, heads, ...] into the parameter, and returns the whole cache: [B, heads, keys, ...] or, by
/// page, [B, pages, heads, page, ...].
InstructionId KeyValueCache::stored(std::string_view name, InstructionId fresh) {
  const Sizes given = b_.shape(fresh).dimensions;
  const std::int64_t batch = options_.sequences, capacity = options_.capacity, page = options_.page;
  Sizes sizes = page > 0 ? Sizes{batch * capacity / page, given[2], page} : Sizes{batch, given[2], capacity};
  sizes.insert(sizes.end(), given.begin() + 3, given.end());
  hlo::Shape shape = hlo::make_shape(b_.type(fresh), sizes);
  if (shape.rank() == 4) shape.minor_to_major = {3, 2, 1, 0};
  const InstructionId old = parameter(name, shape);
  const InstructionId value = written(name, old, fresh);
  replaced_.push_back({old, value});
  if (page == 0 || options_.starts) return value;
  Sizes slice = sizes;
  slice[0] = 1;
  const InstructionId index = b_.reshape(table_, {batch, capacity / page, 1});
  const GraphBuilder::Scope scope(b_, std::string(name) + "/pages");
  return b_.gather(value, index, rows_at(int(sizes.size()), {0}, 3), slice);
}

KeyValueCache::Side KeyValueCache::append(std::string_view name, InstructionId fresh) {
  const GraphBuilder::Scope scope(b_, options_.prefix + "cache");
  if (!options_.narrow) {
    const InstructionId all = stored(name, b_.convert(fresh, options_.type));
    return {options_.starts ? turned(b_, fresh) : all};
  }
  const auto [numbers, scale] = quantised(b_, fresh);
  const InstructionId all = stored(name, numbers);
  InstructionId scales = stored(std::string(name) + "_scale", scale);
  if (options_.starts) return {turned(b_, fresh)};
  if (options_.page > 0) {
    scales = b_.reshape(b_.transpose(scales, {0, 2, 1, 3}),
                        {options_.sequences, b_.shape(fresh).dimensions[2], options_.capacity});
  }
  return {all, scales};
}

InstructionId KeyValueCache::kept(std::string_view name, const hlo::Shape& shape, InstructionId computed) {
  const GraphBuilder::Scope scope(b_, options_.prefix + "cache");
  const InstructionId old = parameter(name, shape);
  if (!options_.starts) return old;
  const InstructionId value = turned(b_, computed);
  replaced_.push_back({old, value});
  return value;
}

}  // namespace podsim::workloads::layers
