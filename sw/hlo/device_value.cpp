// SPDX-License-Identifier: Apache-2.0
// Part of sw/hlo/attribute_value.h.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/diagnostic.h"
#include "sw/hlo/value_list.h"
#include "sw/ir/device_groups.h"

namespace podsim::sw::hlo {
namespace {

struct MeshAxis {
  std::string_view name;
  std::int64_t size = 1;
};

std::string_view read_axis_name(Scanner& scanner) {
  scanner.expect('\'', "before an axis");
  const std::size_t begin = scanner.offset();
  const std::size_t end = scanner.text().find('\'', begin);
  if (end == std::string_view::npos) scanner.fail_at_end("the text ends inside an axis");
  scanner.move_to(end + 1);
  return scanner.text().substr(begin, end - begin);
}

/// The axes of a mesh of devices, and which of them a group extends along.
struct MeshWalk {
  Integers sizes, strides;
  std::vector<bool> chosen;
};

/// Reads the name of an axis in braces and returns its index.
std::size_t choose_axis(Scanner& scanner, const std::vector<MeshAxis>& axes, MeshWalk& walk) {
  const std::string_view name = read_axis_name(scanner);
  const auto axis = std::ranges::find(axes, name, &MeshAxis::name);
  if (axis == axes.end()) {
    std::vector<std::string> names;
    for (const MeshAxis& known : axes) names.emplace_back(known.name);
    scanner.fail_at(name, fmt::format("'{}' is no axis of the mesh", name), base::did_you_mean(name, names));
  }
  const std::size_t index = std::size_t(axis - axes.begin());
  if (walk.chosen[index]) scanner.fail_at(name, fmt::format("'{}' is named twice", name));
  walk.chosen[index] = true;
  return index;
}

std::vector<Integers> mesh_groups(const MeshWalk& walk, const std::vector<std::size_t>& order) {
  Integers bases{0}, members{0};
  const auto extend = [&walk](Integers& list, std::size_t axis) {
    Integers longer;
    for (const std::int64_t device : list) {
      for (std::int64_t i = 0; i < walk.sizes[axis]; ++i) longer.push_back(device + i * walk.strides[axis]);
    }
    list = std::move(longer);
  };
  for (std::size_t axis = 0; axis < walk.sizes.size(); ++axis) {
    if (!walk.chosen[axis]) extend(bases, axis);
  }
  for (const std::size_t axis : order) extend(members, axis);
  std::vector<Integers> groups;
  for (const std::int64_t base : bases) {
    groups.push_back(members);
    for (std::int64_t& device : groups.back()) device += base;
  }
  return groups;
}

std::vector<Integers> read_mesh_groups(Scanner& scanner) {
  std::vector<MeshAxis> axes;
  MeshWalk walk;
  const std::size_t begin = scanner.offset();
  read_list(scanner, '[', ']', [&] {
    const std::string_view name = read_axis_name(scanner);
    scanner.expect('=');
    axes.push_back({name, read_positive(scanner, "an axis' size")});
    walk.sizes.push_back(axes.back().size);
  });
  std::int64_t stride = device_count(scanner, begin, walk.sizes);
  for (const std::int64_t size : walk.sizes) walk.strides.push_back(stride /= size);
  walk.chosen.resize(axes.size());
  std::vector<std::size_t> order;
  read_list(scanner, '{', '}', [&] { order.push_back(choose_axis(scanner, axes, walk)); });
  return mesh_groups(walk, order);
}

}  // namespace

IotaDevices read_iota_devices(Scanner& scanner) {
  IotaDevices devices;
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  devices.dimensions = read_bracketed(scanner, '[', ']');
  scanner.expect("<=", "before the devices' order");
  devices.iota = read_bracketed(scanner, '[', ']');
  const std::int64_t count = device_count(scanner, begin, devices.dimensions);
  if (count != device_count(scanner, begin, devices.iota)) {
    scanner.fail_at(taken(scanner, begin), "both sides of '<=' need as many devices");
  }
  if (!scanner.accept("T")) return devices;
  const Integers permutation = read_bracketed(scanner, '(', ')');
  Integers sorted = permutation;
  std::ranges::sort(sorted);
  bool permutes = sorted.size() == devices.iota.size();
  for (std::size_t i = 0; permutes && i < sorted.size(); ++i) permutes = sorted[i] == std::int64_t(i);
  if (!permutes) scanner.fail_at(taken(scanner, begin), "T names each dimension right of '<=' once");
  devices.permutation.assign(permutation.begin(), permutation.end());
  return devices;
}

ReplicaGroups read_replica_groups(Scanner& scanner) {
  if (scanner.accept("mesh")) return {std::nullopt, read_mesh_groups(scanner)};
  if (scanner.peek() == '{') return {std::nullopt, read_pairs(scanner)};
  if (scanner.peek() != '[') scanner.fail_expected("groups such as {{0,1},{2,3}} or [2,2]<=[4]");
  const std::size_t begin = scanner.offset();
  IotaDevices devices = read_iota_devices(scanner);
  if (devices.dimensions.size() != 2) scanner.fail_at(taken(scanner, begin), "expected [groups,devices of a group]");
  return {ir::IotaGroups{devices.dimensions[0], devices.dimensions[1], std::move(devices.iota),
                         std::move(devices.permutation)},
          {}};
}

std::vector<Integers> expand(const ReplicaGroups& groups) {
  return groups.iota ? ir::expand(*groups.iota) : groups.lists;
}

std::vector<Integers> read_pairs(Scanner& scanner) {
  std::vector<Integers> groups;
  read_list(scanner, '{', '}', [&] { groups.push_back(read_bracketed(scanner, '{', '}')); });
  return groups;
}

}  // namespace podsim::sw::hlo
