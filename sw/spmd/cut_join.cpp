// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <utility>

#include "sw/graph/index_space.h"
#include "sw/spmd/partitioner.h"

namespace podsim::sw {

namespace {

void fill(Literal& literal, double value) {
  for (double& element : literal.values) element = round_to(literal.shape.element_type, value);
  for (std::int64_t& element : literal.integers) element = std::int64_t(value);
}

/// Calls visit(index in the whole, index in the shard), both row-major, for every element that a partition holds.
template <typename Visit>
void for_each_held(const Mesh& mesh, const Shape& shape, const AxisSharding& sharding, std::int64_t partition,
                   Visit visit) {
  const std::vector<std::int64_t> local = local_shape(mesh, shape, sharding).dimensions;
  std::vector<std::int64_t> first, sizes;
  for (int d = 0; d < shape.rank(); ++d) {
    const auto [begin, end] = held_range(mesh, shape, sharding, d, partition);
    if (begin == end) return;
    first.push_back(begin);
    sizes.push_back(end - begin);
  }
  for_each_index(sizes, [&](const std::vector<std::int64_t>& index) {
    std::int64_t whole = 0, shard = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      whole = whole * shape.dimensions[d] + first[d] + index[d];
      shard = shard * local[d] + index[d];
    }
    visit(whole, shard);
  });
}

std::vector<Literal> cut_array(const Mesh& mesh, const Literal& whole, const AxisSharding& sharding, double beyond) {
  std::vector<Literal> shards;
  for (std::int64_t partition = 0; partition < mesh.partitions(); ++partition) {
    Literal shard = make_zeros(local_shape(mesh, whole.shape, sharding));
    fill(shard, beyond);
    for_each_held(mesh, whole.shape, sharding, partition,
                  [&](std::int64_t from, std::int64_t to) { copy_element(shard, to, whole, from); });
    shards.push_back(std::move(shard));
  }
  return shards;
}

Literal join_arrays(const Mesh& mesh, const Shape& shape, const std::vector<const Literal*>& shards,
                    const AxisSharding& sharding) {
  Literal whole = make_zeros(shape);
  for (std::int64_t partition = mesh.partitions() - 1; partition >= 0; --partition) {
    for_each_held(mesh, shape, sharding, partition, [&](std::int64_t to, std::int64_t from) {
      copy_element(whole, to, *shards[std::size_t(partition)], from);
    });
  }
  return whole;
}

/// As `cut`, of the arrays of a tuple from `next` on.
std::vector<Literal> cut_from(const Mesh& mesh, const Literal& whole, const ValueSharding& sharding, double beyond,
                              std::size_t& next) {
  if (!whole.shape.is_tuple()) return cut_array(mesh, whole, sharding.at(next++), beyond);
  std::vector<Literal> shards(std::size_t(mesh.partitions()), Literal{make_tuple_shape({}), {}, {}});
  for (const Literal& element : whole.elements) {
    std::vector<Literal> parts = cut_from(mesh, element, sharding, beyond, next);
    for (std::size_t p = 0; p < shards.size(); ++p) {
      shards[p].shape.tuple_shapes.push_back(parts[p].shape);
      shards[p].elements.push_back(std::move(parts[p]));
    }
  }
  return shards;
}

Literal join_from(const Mesh& mesh, const Shape& shape, const std::vector<const Literal*>& shards,
                  const ValueSharding& sharding, std::size_t& next) {
  if (!shape.is_tuple()) return join_arrays(mesh, shape, shards, sharding.at(next++));
  Literal whole{shape, {}, {}};
  for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
    std::vector<const Literal*> elements;
    for (const Literal* shard : shards) elements.push_back(&shard->elements.at(i));
    whole.elements.push_back(join_from(mesh, shape.tuple_shapes[i], elements, sharding, next));
  }
  return whole;
}

}  // namespace

std::vector<Literal> cut(const Mesh& mesh, const Literal& whole, const ValueSharding& sharding, double beyond) {
  std::size_t next = 0;
  return cut_from(mesh, whole, sharding, beyond, next);
}

Literal join(const Mesh& mesh, const Shape& shape, const std::vector<Literal>& shards, const ValueSharding& sharding) {
  if (std::int64_t(shards.size()) != mesh.partitions())
    throw std::logic_error("a shard for each partition makes a value");
  std::vector<const Literal*> parts;
  for (const Literal& shard : shards) parts.push_back(&shard);
  std::size_t next = 0;
  return join_from(mesh, shape, parts, sharding, next);
}

}  // namespace podsim::sw
