// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/named_sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/iota_devices.h"
#include "hlo/stablehlo/cursor.h"
#include "hlo/stablehlo/device_mesh.h"
#include "hlo/text/value_list.h"

namespace podsim::hlo::text {
namespace {

using stablehlo::AxisPart;
using stablehlo::DeviceMesh;

std::string_view read_axis_name(Scanner& scanner) {
  scanner.expect('\'', "before an axis");
  const std::size_t begin = scanner.offset();
  const std::size_t end = scanner.text().find('\'', begin);
  if (end == std::string_view::npos) scanner.fail_at_end("the text ends inside an axis");
  scanner.move_to(end + 1);
  return scanner.text().substr(begin, end - begin);
}

/// Reads "0,2,1,3" or "[4,2]T(1,0)", the devices in the order of the mesh.
Integers read_device_ids(Scanner& scanner, std::int64_t count) {
  Integers devices;
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  scanner.expect('(', "before the devices");
  if (scanner.peek() == '[') {
    const Integers sizes = read_bracketed(scanner, '[', ']');
    if (device_count(scanner, begin, sizes) != count) {
      scanner.fail_at(taken(scanner, begin), fmt::format("the mesh has {} devices", count));
    }
    devices =
        hlo::expand_iota(sizes, scanner.accept("T") ? read_permutation(scanner, sizes.size()) : std::vector<int>{});
    scanner.expect(')', "after the devices");
  } else {
    scanner.move_to(begin);
    devices = read_bracketed(scanner, '(', ')');
  }
  Integers sorted = devices;
  std::ranges::sort(sorted);
  bool each_once = std::int64_t(sorted.size()) == count;
  for (std::size_t i = 0; each_once && i < sorted.size(); ++i) each_once = sorted[i] == std::int64_t(i);
  if (!each_once) {
    scanner.fail_at(taken(scanner, begin),
                    fmt::format("the mesh has {} devices: 0 to {}, each once", count, count - 1));
  }
  return devices;
}

/// Reads the mesh of devices at the scanner's position; one without axes is its device alone.
DeviceMesh read_mesh(Scanner& scanner) {
  DeviceMesh mesh;
  if (scanner.accept("maximal_mesh")) {
    scanner.expect('[');
    scanner.expect("device_id", "of a mesh of one device");
    scanner.expect('=');
    mesh.devices = {scanner.integer("a device")};
    scanner.expect(']');
    return mesh;
  }
  scanner.expect("mesh");
  const std::size_t begin = scanner.offset();
  Integers sizes;
  read_list(scanner, '[', ']', [&] {
    const std::string_view name = read_axis_name(scanner);
    if (std::ranges::find(mesh.axes, name, &std::pair<std::string_view, std::int64_t>::first) != mesh.axes.end()) {
      scanner.fail_at(name, fmt::format("a second axis '{}'", name));
    }
    scanner.expect('=');
    mesh.axes.emplace_back(name, sizes.emplace_back(read_positive(scanner, "an axis' size")));
  });
  const std::int64_t count = device_count(scanner, begin, sizes);
  Scanner ahead = scanner;
  if (ahead.accept(',') && ahead.accept("device_ids")) {
    scanner.move_to(ahead.offset());
    scanner.expect('=');
    mesh.devices = read_device_ids(scanner, count);
  }
  return mesh;
}

AxisPart read_axis_part(Scanner& scanner, const DeviceMesh& mesh) {
  const std::string_view name = read_axis_name(scanner);
  const auto axis = std::ranges::find(mesh.axes, name, &std::pair<std::string_view, std::int64_t>::first);
  if (axis == mesh.axes.end()) {
    std::vector<std::string> names;
    for (const auto& known : mesh.axes) names.emplace_back(known.first);
    scanner.fail_at(name, fmt::format("'{}' is no axis of the mesh", name), base::did_you_mean(name, names));
  }
  AxisPart part{std::size_t(axis - mesh.axes.begin()), 1, axis->second};
  const std::size_t begin = scanner.offset();
  if (!scanner.accept(':')) return part;
  scanner.expect('(', "in a part of an axis");
  part.before = scanner.integer("a size");
  scanner.expect(')', "in a part of an axis");
  part.size = scanner.integer("a size");
  try {
    stablehlo::check_part(part, mesh);
  } catch (const stablehlo::Fault& fault) {
    scanner.fail_at(taken(scanner, begin), fault.what());
  }
  return part;
}

std::vector<AxisPart> read_axes(Scanner& scanner, const DeviceMesh& mesh) {
  std::vector<AxisPart> axes;
  read_list(scanner, '{', '}', [&] { axes.push_back(read_axis_part(scanner, mesh)); });
  return axes;
}

/// What a sharding says after its mesh.
struct Body {
  bool has_dimensions = false, is_manual = false, is_unreduced = false, is_open = false, names_axes = false;
  std::vector<std::vector<AxisPart>> dimensions;
  std::vector<AxisPart> manual;
};

void read_divided_dimension(Scanner& scanner, const DeviceMesh& mesh, Body& body) {
  std::vector<AxisPart>& axes = body.dimensions.emplace_back();
  read_list(scanner, '{', '}', [&] {
    if (scanner.accept('?')) {
      body.is_open = true;
      return;
    }
    axes.push_back(read_axis_part(scanner, mesh));
    body.names_axes = true;
  });
}

void read_body_part(Scanner& scanner, const DeviceMesh& mesh, Body& body) {
  if (scanner.peek() == '[') {
    if (body.has_dimensions) scanner.fail_expected("one list of dimensions");
    body.has_dimensions = true;
    return read_list(scanner, '[', ']', [&] { read_divided_dimension(scanner, mesh, body); });
  }
  const std::string_view word = scanner.name("dimensions in brackets, replicated, manual or unreduced");
  const bool has_value = scanner.accept('=');
  if (word == "metadata" && has_value) {
    scanner.balanced("metadata");
  } else if (word == "replicated") {
    body.names_axes = true;
    if (has_value) read_axes(scanner, mesh);
  } else if (word == "manual") {
    body.is_manual = !has_value;
    if (has_value) body.manual = read_axes(scanner, mesh);
  } else if (word == "unreduced") {
    if (has_value && scanner.peek() != '{') scanner.name("sum, max or min");
    const bool has_axes = scanner.peek() == '{';
    if (has_axes) read_axes(scanner, mesh);
    body.is_unreduced = !has_axes && !body.has_dimensions;
    body.names_axes = true;
  } else {
    static const std::vector<std::string> words{"replicated", "manual", "unreduced", "metadata", "device_ids"};
    scanner.fail_at(word, fmt::format("'{}' is no part of a sharding", word), base::did_you_mean(word, words));
  }
}

hlo::Sharding of_kind(hlo::Sharding::Kind kind) {
  hlo::Sharding sharding;
  sharding.kind = kind;
  return sharding;
}

/// Dimensions that are whole on every device.
hlo::Sharding whole(std::size_t rank, std::int64_t devices) {
  hlo::Sharding sharding = of_kind(hlo::Sharding::Kind::tiled);
  sharding.tiles.assign(rank, 1);
  sharding.tiles.push_back(devices);
  sharding.subgroups = {hlo::Sharding::Subgroup::replicated};
  sharding.iota = {devices};
  return sharding;
}

}  // namespace

bool mesh_follows(Scanner& scanner) {
  Scanner ahead = scanner;
  return (ahead.accept("maximal_mesh") || ahead.accept("mesh")) && ahead.peek() == '[';
}

hlo::Sharding read_named_sharding(Scanner& scanner, bool states_rank) {
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  const DeviceMesh mesh = read_mesh(scanner);
  Body body;
  while (scanner.accept(',')) read_body_part(scanner, mesh, body);
  scanner.expect('}', "after a sharding");
  if (mesh.axes.empty() && !mesh.devices.empty()) {
    hlo::Sharding maximal = of_kind(hlo::Sharding::Kind::maximal);
    maximal.device = mesh.devices[0];
    return maximal;
  }
  if (body.is_manual) return of_kind(hlo::Sharding::Kind::manual);
  if (body.is_unreduced || (body.is_open && !body.names_axes && body.manual.empty())) {
    return of_kind(hlo::Sharding::Kind::unknown);
  }
  try {
    const std::string text = stablehlo::tiled_sharding(mesh, body.dimensions, body.manual);
    if (states_rank && text == "{replicated}" && body.has_dimensions) {
      std::int64_t devices = 1;
      for (const auto& axis : mesh.axes) devices *= axis.second;
      return whole(body.dimensions.size(), devices);
    }
    Scanner tiles(text);
    return read_sharding(tiles);
  } catch (const stablehlo::Fault& fault) {
    scanner.fail_at(taken(scanner, begin), fault.what());
  }
}

ReplicaGroups read_mesh_groups(Scanner& scanner) {
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  const DeviceMesh mesh = read_mesh(scanner);
  const std::vector<AxisPart> along = read_axes(scanner, mesh);
  if (mesh.axes.empty()) return {std::nullopt, {mesh.devices}};
  try {
    const std::string text = stablehlo::device_groups_along(mesh, along);
    Scanner groups(text);
    return read_replica_groups(groups);
  } catch (const stablehlo::Fault& fault) {
    scanner.fail_at(taken(scanner, begin), fault.what());
  }
}

}  // namespace podsim::hlo::text
