// SPDX-License-Identifier: Apache-2.0
#include "sw/hlo/attribute_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <string>

#include "base/diagnostic.h"

namespace podsim::sw::hlo {
namespace {

constexpr std::int64_t most_devices = 1 << 20;
constexpr int deepest_sharding = 64;

/// What a reader took from the text since `begin`.
std::string_view taken(const Scanner& scanner, std::size_t begin) {
  return scanner.text().substr(begin, scanner.offset() - begin);
}

/// Calls `read` for the entries between two brackets, separated by commas.
void read_list(Scanner& scanner, char open, char close, const std::function<void()>& read) {
  scanner.expect(open);
  if (scanner.accept(close)) return;
  do {
    read();
  } while (scanner.accept(','));
  if (!scanner.accept(close)) scanner.fail_expected(fmt::format("',' or '{}'", close));
}

Integers read_bracketed(Scanner& scanner, char open, char close) {
  Integers values;
  read_list(scanner, open, close, [&] { values.push_back(scanner.integer("a number")); });
  return values;
}

/// The parts of "3x3" or "1_1x0_0", each read by `read`.
void read_by_x(Scanner& scanner, const std::function<void()>& read) {
  do {
    read();
  } while (scanner.offset() < scanner.text().size() && scanner.text()[scanner.offset()] == 'x' && scanner.accept('x'));
}

std::int64_t read_positive(Scanner& scanner, std::string_view what) {
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  const std::int64_t value = scanner.integer(what);
  if (value < 1) scanner.fail_at(taken(scanner, begin), fmt::format("{} is at least 1", what));
  return value;
}

/// The product of sizes, each at least 1; SyntaxError above most_devices.
std::int64_t device_count(const Scanner& scanner, std::size_t begin, const Integers& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    if (size < 1) scanner.fail_at(taken(scanner, begin), "a number of devices is at least 1");
    if (count > most_devices / size) scanner.fail_at(taken(scanner, begin), "more than 2^20 devices");
    count *= size;
  }
  return count;
}

struct WindowField {
  std::string_view name;
  void (*read)(Scanner&, WindowDimension&);
};

constexpr std::array<WindowField, 6> window_fields{{
    {"size", [](Scanner& s, WindowDimension& d) { d.size = read_positive(s, "a window's size"); }},
    {"stride", [](Scanner& s, WindowDimension& d) { d.stride = read_positive(s, "a stride"); }},
    {"pad",
     [](Scanner& s, WindowDimension& d) {
       d.padding_low = s.integer("padding such as 1_1");
       s.expect('_', "between low and high padding");
       d.padding_high = s.integer("the high padding");
     }},
    {"lhs_dilate", [](Scanner& s, WindowDimension& d) { d.base_dilation = read_positive(s, "a dilation"); }},
    {"rhs_dilate", [](Scanner& s, WindowDimension& d) { d.window_dilation = read_positive(s, "a dilation"); }},
    {"rhs_reversal",
     [](Scanner& s, WindowDimension& d) { d.window_reversal = s.integer("0 or 1 per dimension") != 0; }},
}};

void read_window_field(Scanner& scanner, std::vector<WindowDimension>& window) {
  scanner.skip_space();
  const std::string_view name = scanner.name("a window's field");
  const auto* field = std::ranges::find(window_fields, name, &WindowField::name);
  if (field == window_fields.end()) {
    std::vector<std::string> names;
    for (const WindowField& known : window_fields) names.emplace_back(known.name);
    scanner.fail_at(name, fmt::format("a window has no '{}'", name), base::did_you_mean(name, names));
  }
  scanner.expect('=');
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  std::size_t count = 0;
  const bool first = window.empty();
  read_by_x(scanner, [&] {
    if (first) window.emplace_back();
    if (count == window.size()) scanner.fail_at(taken(scanner, begin), "more dimensions than the fields before");
    field->read(scanner, window[count++]);
  });
  if (count != window.size()) {
    scanner.fail_at(taken(scanner, begin),
                    fmt::format("{} dimensions, but {} in the fields before", count, window.size()));
  }
}

/// One of the three words of dim_labels. `first` and `second` are the letters of the dimensions without a number.
struct Labels {
  int first = -1, second = -1;
  std::vector<int> spatial;
};

Labels labels_of(const Scanner& scanner, std::string_view word, char first, char second) {
  Labels labels;
  std::array<int, 10> spatial{};
  spatial.fill(-1);
  std::size_t digits = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (c == '?') continue;  // a dimension that takes no part
    int* place = c == first ? &labels.first : c == second ? &labels.second : nullptr;
    if (c >= '0' && c <= '9') {
      place = &spatial[std::size_t(c - '0')];
      ++digits;
    }
    if (place == nullptr || *place >= 0) {
      scanner.fail_at(word.substr(i, 1), fmt::format("expected each of '{}', '{}' and 0, 1, ... once", first, second));
    }
    *place = int(i);
  }
  if (labels.first < 0 || labels.second < 0) {
    scanner.fail_at(word, fmt::format("expected a dimension '{}' and a dimension '{}'", first, second));
  }
  for (std::size_t i = 0; i < digits; ++i) {
    if (spatial[i] < 0) scanner.fail_at(word, fmt::format("spatial dimension {} is missing", i));
    labels.spatial.push_back(spatial[i]);
  }
  return labels;
}

std::string_view read_label_word(Scanner& scanner, std::string_view what) {
  const std::string_view text = scanner.text();
  const std::size_t begin = scanner.offset();
  std::size_t end = begin;
  const auto is_label = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '?'; };
  while (end < text.size() && is_label(text[end])) ++end;
  if (end == begin) scanner.fail_expected(what);
  scanner.move_to(end);
  return text.substr(begin, end - begin);
}

SliceDimension read_slice_dimension(Scanner& scanner) {
  SliceDimension slice;
  scanner.expect('[');
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  slice.start = scanner.integer("where the slice starts");
  scanner.expect(':');
  slice.limit = scanner.integer("where the slice ends");
  if (scanner.accept(':')) slice.stride = read_positive(scanner, "a stride");
  if (slice.start < 0 || slice.limit < slice.start) {
    scanner.fail_at(taken(scanner, begin), "a slice starts at 0 or later and ends where it starts or later");
  }
  scanner.expect(']', "after a slice");
  return slice;
}

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

/// The devices along the axes of a mesh, and the axes along which a group runs.
struct MeshWalk {
  Integers sizes, strides;
  std::vector<bool> chosen;
};

/// Index of an axis in braces.
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

ReplicaGroups mesh_groups(const MeshWalk& walk, const std::vector<std::size_t>& order) {
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
  ReplicaGroups groups;
  for (const std::int64_t base : bases) {
    groups.push_back(members);
    for (std::int64_t& device : groups.back()) device += base;
  }
  return groups;
}

ReplicaGroups read_mesh_groups(Scanner& scanner) {
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

void read_tiles(Scanner& scanner, Sharding& sharding) {
  sharding.kind = Sharding::Kind::tiled;
  scanner.expect('=');
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  sharding.tiles = read_bracketed(scanner, '[', ']');
  const std::int64_t count = device_count(scanner, begin, sharding.tiles);
  if (scanner.peek() == '<') {
    scanner.move_to(begin);
    sharding.devices = expand(read_iota_devices(scanner));
    return;
  }
  scanner.skip_space();
  const std::size_t list = scanner.offset();
  do {
    sharding.devices.push_back(scanner.integer("a device"));
  } while (scanner.accept(','));
  if (std::int64_t(sharding.devices.size()) != count) {
    scanner.fail_at(taken(scanner, list),
                    fmt::format("{} tiles need {} devices, found {}", count, count, sharding.devices.size()));
  }
}

void read_sharding_part(Scanner& scanner, Sharding& sharding) {
  scanner.skip_space();
  const std::string_view word = scanner.name("a sharding such as replicated, maximal, manual or devices=");
  if (word == "replicated") {
    sharding.kind = Sharding::Kind::replicated;
  } else if (word == "manual") {
    sharding.kind = Sharding::Kind::manual;
  } else if (word == "unknown" || word == "unreduced") {
    sharding.kind = Sharding::Kind::unknown;
  } else if (word == "maximal") {
    sharding.kind = Sharding::Kind::maximal;
  } else if (word == "device") {
    scanner.expect('=');
    sharding.device = scanner.integer("a device");
  } else if (word == "devices") {
    read_tiles(scanner, sharding);
  } else if (word == "last_tile_dim_replicate") {
    sharding.last_tile_replicates = true;
  } else if (word == "last_tile_dims") {
    scanner.expect('=');
    read_list(scanner, '{', '}', [&] { sharding.last_tile_kinds.push_back(scanner.name("a kind of sharding")); });
  } else if (word == "metadata") {
    scanner.expect('=');
    scanner.balanced("metadata");
  } else if (word == "shard_as" || word == "shard_like") {
    scanner.integer("a group's number");
  } else {
    static const std::array<std::string, 9> words{"replicated", "manual",  "unknown",        "unreduced",
                                                  "maximal",    "devices", "last_tile_dims", "last_tile_dim_replicate",
                                                  "metadata"};
    scanner.fail_at(word, fmt::format("'{}' is no sharding", word), base::did_you_mean(word, words));
  }
}

Sharding read_nested_sharding(Scanner& scanner, int depth) {
  Sharding sharding;
  if (depth == deepest_sharding) scanner.fail_expected(fmt::format("at most {} nested shardings", deepest_sharding));
  scanner.expect('{', "of a sharding");
  const char next = scanner.peek();
  if (next == '{' || next == '}' || next == '/') {
    sharding.kind = Sharding::Kind::tuple;
    while (!scanner.accept('}')) {
      sharding.elements.push_back(read_nested_sharding(scanner, depth + 1));
      if (!scanner.accept(',') && scanner.peek() != '}') scanner.fail_expected("',' or '}'");
    }
  } else if (next == '@' || next == '[' || scanner.text().substr(scanner.offset()).starts_with("mesh[")) {
    sharding.kind = Sharding::Kind::other;
    while (!scanner.accept('}')) {
      scanner.balanced("a sharding");
      scanner.accept(',');
    }
  } else {
    while (!scanner.accept('}')) {
      read_sharding_part(scanner, sharding);
      scanner.accept(',');
    }
  }
  return sharding;
}

}  // namespace

Integers read_integers(Scanner& scanner) {
  if (scanner.peek() != '{') return {scanner.integer("a number or '{'")};
  return read_bracketed(scanner, '{', '}');
}

bool read_boolean(Scanner& scanner) {
  if (scanner.accept("true") || scanner.accept("1")) return true;
  if (!scanner.accept("false") && !scanner.accept("0")) scanner.fail_expected("true or false");
  return false;
}

double read_number(Scanner& scanner) {
  const std::string_view word = scanner.word("a number");
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || end != word.data() + word.size()) {
    scanner.fail_at(word, fmt::format("'{}' is not a number", word));
  }
  return value;
}

std::vector<std::string_view> read_names(Scanner& scanner) {
  if (scanner.peek() != '{') return {scanner.name("a name")};
  std::vector<std::string_view> names;
  read_list(scanner, '{', '}', [&] { names.push_back(scanner.name("a name")); });
  return names;
}

std::vector<WindowDimension> read_window(Scanner& scanner) {
  std::vector<WindowDimension> window;
  scanner.expect('{', "of a window");
  while (!scanner.accept('}')) {
    read_window_field(scanner, window);
    scanner.accept(',');
  }
  return window;
}

ConvolutionDimensions read_dimension_labels(Scanner& scanner) {
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  constexpr std::string_view form = "dimension labels such as b01f_01io->b01f";
  const Labels input = labels_of(scanner, read_label_word(scanner, form), 'b', 'f');
  scanner.expect('_', "between the labels of input and kernel");
  const Labels kernel = labels_of(scanner, read_label_word(scanner, form), 'i', 'o');
  scanner.expect("->", "before the labels of the result");
  const Labels output = labels_of(scanner, read_label_word(scanner, form), 'b', 'f');
  if (input.spatial.size() != kernel.spatial.size() || input.spatial.size() != output.spatial.size()) {
    scanner.fail_at(taken(scanner, begin), "input, kernel and result have as many spatial dimensions");
  }
  return {input.first,    input.second, input.spatial, kernel.first,  kernel.second,
          kernel.spatial, output.first, output.second, output.spatial};
}

std::vector<SliceDimension> read_slice(Scanner& scanner) {
  std::vector<SliceDimension> slice;
  read_list(scanner, '{', '}', [&] { slice.push_back(read_slice_dimension(scanner)); });
  return slice;
}

std::vector<PadDimension> read_padding(Scanner& scanner) {
  std::vector<PadDimension> padding;
  read_by_x(scanner, [&] {
    PadDimension dimension;
    dimension.low = scanner.integer("padding such as 0_0x1_1");
    scanner.expect('_', "between low and high padding");
    dimension.high = scanner.integer("the high padding");
    if (scanner.accept('_')) dimension.interior = scanner.integer("the interior padding");
    padding.push_back(dimension);
  });
  return padding;
}

IotaDevices read_iota_devices(Scanner& scanner) {
  IotaDevices devices;
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  devices.dimensions = read_bracketed(scanner, '[', ']');
  scanner.expect("<=", "before the devices' order");
  devices.reshape = read_bracketed(scanner, '[', ']');
  const std::int64_t count = device_count(scanner, begin, devices.dimensions);
  if (count != device_count(scanner, begin, devices.reshape)) {
    scanner.fail_at(taken(scanner, begin), "both sides of '<=' need as many devices");
  }
  if (!scanner.accept("T")) return devices;
  devices.permutation = read_bracketed(scanner, '(', ')');
  Integers sorted = devices.permutation;
  std::ranges::sort(sorted);
  bool permutes = sorted.size() == devices.reshape.size();
  for (std::size_t i = 0; permutes && i < sorted.size(); ++i) permutes = sorted[i] == std::int64_t(i);
  if (!permutes) scanner.fail_at(taken(scanner, begin), "T names each dimension right of '<=' once");
  return devices;
}

Integers expand(const IotaDevices& iota) {
  Integers strides(iota.reshape.size(), 1);
  for (std::size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * iota.reshape[i];
  Integers devices{0};
  for (std::size_t i = 0; i < iota.reshape.size(); ++i) {
    const std::size_t axis = iota.permutation.empty() ? i : std::size_t(iota.permutation[i]);
    Integers longer;
    longer.reserve(devices.size() * std::size_t(iota.reshape[axis]));
    for (const std::int64_t device : devices) {
      for (std::int64_t k = 0; k < iota.reshape[axis]; ++k) longer.push_back(device + k * strides[axis]);
    }
    devices = std::move(longer);
  }
  return devices;
}

ReplicaGroups read_replica_groups(Scanner& scanner) {
  if (scanner.accept("mesh")) return read_mesh_groups(scanner);
  if (scanner.peek() == '{') return read_pairs(scanner);
  if (scanner.peek() != '[') scanner.fail_expected("groups such as {{0,1},{2,3}} or [2,2]<=[4]");
  const std::size_t begin = scanner.offset();
  const IotaDevices iota = read_iota_devices(scanner);
  if (iota.dimensions.size() != 2) scanner.fail_at(taken(scanner, begin), "expected [groups,devices of a group]");
  const Integers devices = expand(iota);
  ReplicaGroups groups;
  for (auto next = devices.begin(); next != devices.end(); next += iota.dimensions[1]) {
    groups.emplace_back(next, next + iota.dimensions[1]);
  }
  return groups;
}

std::vector<Integers> read_pairs(Scanner& scanner) {
  std::vector<Integers> groups;
  read_list(scanner, '{', '}', [&] { groups.push_back(read_bracketed(scanner, '{', '}')); });
  return groups;
}

Sharding read_sharding(Scanner& scanner) { return read_nested_sharding(scanner, 0); }

std::vector<Field> read_fields(Scanner& scanner) {
  std::vector<Field> fields;
  scanner.expect('{');
  while (!scanner.accept('}')) {
    const std::string_view name = scanner.word("a field's name");
    scanner.expect('=', "after a field's name");
    const bool quoted = scanner.peek() == '"';
    fields.push_back({name, quoted ? scanner.quoted("a value") : scanner.balanced("a value")});
    scanner.accept(',');
  }
  return fields;
}

std::vector<Alias> read_aliases(Scanner& scanner) {
  std::vector<Alias> aliases;
  read_list(scanner, '{', '}', [&] {
    Alias alias;
    alias.output_index = read_bracketed(scanner, '{', '}');
    scanner.expect(':', "after an output's index");
    scanner.expect('(');
    alias.operand = scanner.integer("a number of a parameter or operand");
    scanner.expect(',');
    alias.operand_index = read_bracketed(scanner, '{', '}');
    if (scanner.accept(',')) {
      const std::string_view kind = scanner.name("may-alias or must-alias");
      if (kind != "may-alias" && kind != "must-alias") scanner.fail_at(kind, "expected may-alias or must-alias");
      alias.must = kind == "must-alias";
    }
    scanner.expect(')');
    aliases.push_back(std::move(alias));
  });
  return aliases;
}

}  // namespace podsim::sw::hlo
