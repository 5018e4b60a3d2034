// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/partitioner.h.
#include <stdexcept>
#include <utility>

#include "hlo/eval/index_space.h"
#include "hlo/spmd/partition/partitioner.h"

namespace podsim::hlo::spmd::partition {

namespace {

void fill(hlo::Literal& literal, double value) {
  for (double& element : literal.values) element = hlo::round_to(literal.shape.element_type, value);
  for (std::int64_t& element : literal.integers) element = std::int64_t(value);
}

/// Calls visit(index in the whole array, index in the shard), both row-major, for every element that a partition holds.
template <typename Visit>
void for_each_held(const mesh::Mesh& mesh, const hlo::Shape& shape, const mesh::AxisSharding& sharding,
                   std::int64_t partition, Visit visit) {
  const std::vector<std::int64_t> local = mesh::local_shape(mesh, shape, sharding).dimensions;
  std::vector<std::int64_t> first, sizes;
  for (int d = 0; d < shape.rank(); ++d) {
    const auto [begin, end] = mesh::held_range(mesh, shape, sharding, d, partition);
    if (begin == end) return;
    first.push_back(begin);
    sizes.push_back(end - begin);
  }
  eval::for_each_index(sizes, [&](const std::vector<std::int64_t>& index) {
    std::int64_t whole = 0, shard = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      whole = whole * shape.dimensions[d] + first[d] + index[d];
      shard = shard * local[d] + index[d];
    }
    visit(whole, shard);
  });
}

std::vector<hlo::Literal> shard_array(const mesh::Mesh& mesh, const hlo::Literal& whole,
                                      const mesh::AxisSharding& sharding, double beyond) {
  std::vector<hlo::Literal> shards;
  for (std::int64_t partition = 0; partition < mesh.partitions(); ++partition) {
    hlo::Literal shard = hlo::make_zeros(mesh::local_shape(mesh, whole.shape, sharding));
    fill(shard, beyond);
    for_each_held(mesh, whole.shape, sharding, partition,
                  [&](std::int64_t from, std::int64_t to) { hlo::copy_element(shard, to, whole, from); });
    shards.push_back(std::move(shard));
  }
  return shards;
}

hlo::Literal join_arrays(const mesh::Mesh& mesh, const hlo::Shape& shape,
                         const std::vector<const hlo::Literal*>& shards, const mesh::AxisSharding& sharding) {
  hlo::Literal whole = hlo::make_zeros(shape);
  for (std::int64_t partition = mesh.partitions() - 1; partition >= 0; --partition) {
    for_each_held(mesh, shape, sharding, partition, [&](std::int64_t to, std::int64_t from) {
      hlo::copy_element(whole, to, *shards[std::size_t(partition)], from);
    });
  }
  return whole;
}

/// As split_into_shards. `next` is the index of the next array's sharding and is advanced past the arrays of `whole`.
std::vector<hlo::Literal> shard_from(const mesh::Mesh& mesh, const hlo::Literal& whole,
                                     const mesh::ValueSharding& sharding, double beyond, std::size_t& next) {
  if (!whole.shape.is_tuple()) return shard_array(mesh, whole, sharding.at(next++), beyond);
  std::vector<hlo::Literal> shards(std::size_t(mesh.partitions()), hlo::Literal{hlo::make_tuple_shape({}), {}, {}});
  for (const hlo::Literal& element : whole.elements) {
    std::vector<hlo::Literal> parts = shard_from(mesh, element, sharding, beyond, next);
    for (std::size_t p = 0; p < shards.size(); ++p) {
      shards[p].shape.tuple_shapes.push_back(parts[p].shape);
      shards[p].elements.push_back(std::move(parts[p]));
    }
  }
  return shards;
}

hlo::Literal join_from(const mesh::Mesh& mesh, const hlo::Shape& shape, const std::vector<const hlo::Literal*>& shards,
                       const mesh::ValueSharding& sharding, std::size_t& next) {
  if (!shape.is_tuple()) return join_arrays(mesh, shape, shards, sharding.at(next++));
  hlo::Literal whole{shape, {}, {}};
  for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
    std::vector<const hlo::Literal*> elements;
    for (const hlo::Literal* shard : shards) elements.push_back(&shard->elements.at(i));
    whole.elements.push_back(join_from(mesh, shape.tuple_shapes[i], elements, sharding, next));
  }
  return whole;
}

}  // namespace

std::vector<hlo::Literal> split_into_shards(const mesh::Mesh& mesh, const hlo::Literal& whole,
                                            const mesh::ValueSharding& sharding, double beyond) {
  std::size_t next = 0;
  return shard_from(mesh, whole, sharding, beyond, next);
}

hlo::Literal join(const mesh::Mesh& mesh, const hlo::Shape& shape, const std::vector<hlo::Literal>& shards,
                  const mesh::ValueSharding& sharding) {
  if (std::int64_t(shards.size()) != mesh.partitions())
    throw std::logic_error("a shard for each partition makes a value");
  std::vector<const hlo::Literal*> parts;
  for (const hlo::Literal& shard : shards) parts.push_back(&shard);
  std::size_t next = 0;
  return join_from(mesh, shape, parts, sharding, next);
}

}  // namespace podsim::hlo::spmd::partition
