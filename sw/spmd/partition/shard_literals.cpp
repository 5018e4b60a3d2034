// SPDX-License-Identifier: Apache-2.0
// Part of sw/spmd/partition/partitioner.h.
#include <stdexcept>
#include <utility>

#include "sw/ir/eval/index_space.h"
#include "sw/spmd/partition/partitioner.h"

namespace podsim::sw::spmd::partition {

namespace {

void fill(ir::Literal& literal, double value) {
  for (double& element : literal.values) element = ir::round_to(literal.shape.element_type, value);
  for (std::int64_t& element : literal.integers) element = std::int64_t(value);
}

/// Calls visit(index in the whole array, index in the shard), both row-major, for every element that a partition holds.
template <typename Visit>
void for_each_held(const mesh::Mesh& mesh, const ir::Shape& shape, const mesh::AxisSharding& sharding,
                   std::int64_t partition, Visit visit) {
  const std::vector<std::int64_t> local = mesh::local_shape(mesh, shape, sharding).dimensions;
  std::vector<std::int64_t> first, sizes;
  for (int d = 0; d < shape.rank(); ++d) {
    const auto [begin, end] = mesh::held_range(mesh, shape, sharding, d, partition);
    if (begin == end) return;
    first.push_back(begin);
    sizes.push_back(end - begin);
  }
  ir::eval::for_each_index(sizes, [&](const std::vector<std::int64_t>& index) {
    std::int64_t whole = 0, shard = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      whole = whole * shape.dimensions[d] + first[d] + index[d];
      shard = shard * local[d] + index[d];
    }
    visit(whole, shard);
  });
}

std::vector<ir::Literal> shard_array(const mesh::Mesh& mesh, const ir::Literal& whole,
                                     const mesh::AxisSharding& sharding, double beyond) {
  std::vector<ir::Literal> shards;
  for (std::int64_t partition = 0; partition < mesh.partitions(); ++partition) {
    ir::Literal shard = ir::make_zeros(mesh::local_shape(mesh, whole.shape, sharding));
    fill(shard, beyond);
    for_each_held(mesh, whole.shape, sharding, partition,
                  [&](std::int64_t from, std::int64_t to) { ir::copy_element(shard, to, whole, from); });
    shards.push_back(std::move(shard));
  }
  return shards;
}

ir::Literal join_arrays(const mesh::Mesh& mesh, const ir::Shape& shape, const std::vector<const ir::Literal*>& shards,
                        const mesh::AxisSharding& sharding) {
  ir::Literal whole = ir::make_zeros(shape);
  for (std::int64_t partition = mesh.partitions() - 1; partition >= 0; --partition) {
    for_each_held(mesh, shape, sharding, partition, [&](std::int64_t to, std::int64_t from) {
      ir::copy_element(whole, to, *shards[std::size_t(partition)], from);
    });
  }
  return whole;
}

/// As split_into_shards. `next` is the index of the next array's sharding and is advanced past the arrays of `whole`.
std::vector<ir::Literal> shard_from(const mesh::Mesh& mesh, const ir::Literal& whole,
                                    const mesh::ValueSharding& sharding, double beyond, std::size_t& next) {
  if (!whole.shape.is_tuple()) return shard_array(mesh, whole, sharding.at(next++), beyond);
  std::vector<ir::Literal> shards(std::size_t(mesh.partitions()), ir::Literal{ir::make_tuple_shape({}), {}, {}});
  for (const ir::Literal& element : whole.elements) {
    std::vector<ir::Literal> parts = shard_from(mesh, element, sharding, beyond, next);
    for (std::size_t p = 0; p < shards.size(); ++p) {
      shards[p].shape.tuple_shapes.push_back(parts[p].shape);
      shards[p].elements.push_back(std::move(parts[p]));
    }
  }
  return shards;
}

ir::Literal join_from(const mesh::Mesh& mesh, const ir::Shape& shape, const std::vector<const ir::Literal*>& shards,
                      const mesh::ValueSharding& sharding, std::size_t& next) {
  if (!shape.is_tuple()) return join_arrays(mesh, shape, shards, sharding.at(next++));
  ir::Literal whole{shape, {}, {}};
  for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
    std::vector<const ir::Literal*> elements;
    for (const ir::Literal* shard : shards) elements.push_back(&shard->elements.at(i));
    whole.elements.push_back(join_from(mesh, shape.tuple_shapes[i], elements, sharding, next));
  }
  return whole;
}

}  // namespace

std::vector<ir::Literal> split_into_shards(const mesh::Mesh& mesh, const ir::Literal& whole,
                                           const mesh::ValueSharding& sharding, double beyond) {
  std::size_t next = 0;
  return shard_from(mesh, whole, sharding, beyond, next);
}

ir::Literal join(const mesh::Mesh& mesh, const ir::Shape& shape, const std::vector<ir::Literal>& shards,
                 const mesh::ValueSharding& sharding) {
  if (std::int64_t(shards.size()) != mesh.partitions())
    throw std::logic_error("a shard for each partition makes a value");
  std::vector<const ir::Literal*> parts;
  for (const ir::Literal& shard : shards) parts.push_back(&shard);
  std::size_t next = 0;
  return join_from(mesh, shape, parts, sharding, next);
}

}  // namespace podsim::sw::spmd::partition
