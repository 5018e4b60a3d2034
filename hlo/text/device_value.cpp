// SPDX-License-Identifier: Apache-2.0
// Part of hlo/text/attribute_value.h.
#include <fmt/format.h>

#include <utility>

#include "hlo/device_groups.h"
#include "hlo/text/named_sharding.h"
#include "hlo/text/value_list.h"

namespace podsim::hlo::text {
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
  devices.permutation = read_permutation(scanner, devices.iota.size());
  return devices;
}

ReplicaGroups read_replica_groups(Scanner& scanner) {
  if (mesh_follows(scanner)) return read_mesh_groups(scanner);
  if (scanner.peek() == '{') return {std::nullopt, read_pairs(scanner)};
  if (scanner.peek() != '[') scanner.fail_expected("groups such as {{0,1},{2,3}} or [2,2]<=[4]");
  const std::size_t begin = scanner.offset();
  IotaDevices devices = read_iota_devices(scanner);
  if (devices.dimensions.size() != 2) scanner.fail_at(taken(scanner, begin), "expected [groups,devices of a group]");
  return {hlo::IotaGroups{devices.dimensions[0], devices.dimensions[1], std::move(devices.iota),
                          std::move(devices.permutation)},
          {}};
}

std::vector<Integers> expand(const ReplicaGroups& groups) {
  return groups.iota ? hlo::expand(*groups.iota) : groups.lists;
}

std::vector<Integers> read_pairs(Scanner& scanner) {
  std::vector<Integers> groups;
  read_list(scanner, '{', '}', [&] { groups.push_back(read_bracketed(scanner, '{', '}')); });
  return groups;
}

}  // namespace podsim::hlo::text
