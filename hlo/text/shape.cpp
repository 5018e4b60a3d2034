// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/diagnostic.h"

namespace podsim::hlo::text {
namespace {

constexpr int deepest_tuple = 64;
constexpr std::size_t max_dimensions = 64;
constexpr std::int64_t max_elements = std::int64_t(1) << 48;

hlo::ElementType read_type(Scanner& scanner) {
  const std::span<const hlo::ElementTypeRow> types = hlo::element_types().first(std::size_t(hlo::ElementType::tuple));
  const std::string_view name = scanner.name("a shape");
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].name == name) return hlo::ElementType(i);
  }
  std::vector<std::string> names;
  for (const hlo::ElementTypeRow& row : types) names.emplace_back(row.name);
  scanner.fail_at(name, fmt::format("'{}' is not an element type", name), base::did_you_mean(name, names));
}

void read_dimension(Scanner& scanner, Shape& shape) {
  if (scanner.accept('?')) {
    shape.dimensions.push_back(Shape::unbounded);
    shape.dynamic.push_back(true);
    return;
  }
  shape.dynamic.push_back(scanner.accept("<="));
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  const std::int64_t size = scanner.integer("a dimension");
  if (size < 0) {
    scanner.fail_at(scanner.text().substr(begin, scanner.offset() - begin), "a dimension cannot be negative");
  }
  shape.dimensions.push_back(size);
}

void read_dimensions(Scanner& scanner, Shape& shape) {
  scanner.expect('[', "after an element type");
  const std::size_t begin = scanner.offset() - 1;
  if (!scanner.accept(']')) {
    do {
      read_dimension(scanner, shape);
    } while (scanner.accept(','));
    scanner.expect(']', "after the dimensions");
  }
  if (shape.dimensions.size() > max_dimensions) {
    scanner.fail_at(scanner.text().substr(begin, scanner.offset() - begin),
                    fmt::format("more than {} dimensions", max_dimensions));
  }
  std::int64_t count = 1;
  for (const std::int64_t size : shape.dimensions) {
    if (size > 0 && count > max_elements / size) {
      scanner.fail_at(scanner.text().substr(begin, scanner.offset() - begin),
                      "an array of more than 2^48 elements is no array of this world");
    }
    count *= std::max<std::int64_t>(size, 1);
  }
  if (std::ranges::none_of(shape.dynamic, std::identity{})) shape.dynamic.clear();
}

int read_small(Scanner& scanner, std::string_view what) {
  scanner.expect('(');
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  const std::int64_t value = scanner.integer(what);
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
    scanner.fail_at(scanner.text().substr(begin, scanner.offset() - begin),
                    fmt::format("{} is a number from 0 to 2^31 - 1", what));
  }
  scanner.expect(')');
  return int(value);
}

/// No unit that tiles arrays comes near it; more would overflow the sizes of padded arrays.
constexpr std::int64_t max_tile_elements = std::int64_t(1) << 16;

std::vector<std::int64_t> read_tile(Scanner& scanner) {
  std::vector<std::int64_t> tile;
  std::int64_t elements = 1;
  scanner.expect('(', "of a tile");
  do {
    if (scanner.accept('*')) {
      tile.push_back(Layout::combined);
      continue;
    }
    scanner.skip_space();
    const std::size_t begin = scanner.offset();
    tile.push_back(scanner.integer("a tile's size"));
    const std::string_view text = scanner.text().substr(begin, scanner.offset() - begin);
    if (tile.back() < 1) scanner.fail_at(text, "a tile's size is at least 1");
    if (tile.back() > max_tile_elements / elements) scanner.fail_at(text, "a tile has at most 65536 elements");
    elements *= tile.back();
  } while (scanner.accept(','));
  scanner.expect(')', "after a tile");
  return tile;
}

void read_property(Scanner& scanner, Layout& layout) {
  if (scanner.accept("T")) {
    do {
      layout.tiles.push_back(read_tile(scanner));
    } while (scanner.peek() == '(');
    return;
  }
  if (scanner.peek() == '#' || scanner.peek() == '*') {
    const std::size_t begin = scanner.offset();
    scanner.move_to(begin + 1);
    scanner.expect('(');
    const std::string_view text = scanner.balanced("a type");
    scanner.expect(')');
    layout.other.push_back({scanner.text().substr(begin, 1), text});
    return;
  }
  const std::string_view name = scanner.name("a layout property");
  if (name == "S") {
    layout.memory_space = read_small(scanner, "a memory space");
  } else if (name == "E") {
    layout.element_bits = read_small(scanner, "an element's bits");
  } else {
    scanner.expect('(', "after a layout property");
    const std::size_t begin = scanner.offset();
    while (scanner.peek() != ')') {
      scanner.balanced("what the property says");
      scanner.accept(',');
    }
    const std::string_view text = scanner.text().substr(begin, scanner.offset() - begin);
    scanner.expect(')');
    layout.other.push_back({name, text});
  }
}

void read_minor_to_major(Scanner& scanner, Shape& shape, std::size_t begin) {
  std::vector<std::int64_t>& order = shape.layout.minor_to_major;
  if (scanner.peek() != '}' && scanner.peek() != ':') {
    do {
      order.push_back(scanner.integer("a dimension's number"));
    } while (scanner.accept(','));
  }
  std::vector<std::int64_t> sorted = order;
  std::ranges::sort(sorted);
  bool permutation = order.size() == shape.dimensions.size();
  for (std::size_t i = 0; permutation && i < sorted.size(); ++i) permutation = sorted[i] == std::int64_t(i);
  if (!permutation) {
    scanner.fail_at(scanner.text().substr(begin, scanner.offset() - begin),
                    fmt::format("the layout of {} dimensions names each of them once", shape.dimensions.size()));
  }
}

/// True if a layout follows rather than the body of a computation, as in "-> f32[8] {".
bool layout_follows(const Scanner& scanner) {
  Scanner ahead = scanner;
  if (!ahead.accept('{')) return false;
  const char next = ahead.peek();
  return next == ':' || next == '}' || (next >= '0' && next <= '9');
}

void read_layout(Scanner& scanner, Shape& shape) {
  if (!layout_follows(scanner)) return;
  scanner.expect('{');
  shape.has_layout = true;
  scanner.skip_space();
  const std::size_t begin = scanner.offset();
  if (scanner.peek() == '}' && !shape.dimensions.empty()) {
    scanner.fail_expected("a dimension's number");
  }
  read_minor_to_major(scanner, shape, begin);
  if (scanner.accept(':')) {
    while (scanner.peek() != '}') read_property(scanner, shape.layout);
  }
  scanner.expect('}', "after the layout");
}

/// The text of the shape that begins at `offset`, found without reading it; empty if it has no end.
std::string_view extent(std::string_view text, std::size_t offset) {
  std::size_t end = offset;
  int depth = 0;
  if (text[offset] != '(') {
    while (end < text.size() && is_name_character(text[end])) ++end;
    if (end == text.size() || text[end] != '[') return {};
    end = text.find(']', end);
    if (end == std::string_view::npos) return {};
    ++end;
    if (end == text.size() || text[end] != '{') return text.substr(offset, end - offset);
  }
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '=' && depth > 0 && text[end - 1] != '<' && text[end - 1] != 'x') return {};
    if (c == '(' || c == '{') ++depth;
    if ((c == ')' || c == '}') && --depth == 0) return text.substr(offset, end + 1 - offset);
  }
  return {};
}

void append_integers(std::string& out, const std::vector<std::int64_t>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    out += values[i] == Layout::combined ? std::string("*") : std::to_string(values[i]);
  }
}

void append_other(std::string& out, const Layout& layout, bool first) {
  for (const LayoutProperty& property : layout.other) {
    if ((property.name == "D") != first) continue;
    out += fmt::format("{}({})", property.name, property.text);
  }
}

void append_layout(std::string& out, const Layout& layout) {
  out += '{';
  append_integers(out, layout.minor_to_major);
  std::string properties;
  append_other(properties, layout, true);
  if (!layout.tiles.empty()) properties += 'T';
  for (const std::vector<std::int64_t>& tile : layout.tiles) {
    properties += '(';
    append_integers(properties, tile);
    properties += ')';
  }
  append_other(properties, layout, false);
  if (layout.element_bits != 0) properties += fmt::format("E({})", layout.element_bits);
  if (layout.memory_space != 0) properties += fmt::format("S({})", layout.memory_space);
  if (!properties.empty()) out += ':' + properties;
  out += '}';
}

}  // namespace

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return a > most - b ? most : a + b;
}

bool shape_follows(Scanner& scanner) {
  if (scanner.peek() == '(') return true;
  const std::string_view text = scanner.text();
  std::size_t end = scanner.offset();
  while (end < text.size() && is_name_character(text[end])) ++end;
  return end < text.size() && end > scanner.offset() && text[end] == '[';
}

ShapeId ShapeTable::read(Scanner& scanner) { return read_nested(scanner, 0); }

ShapeId ShapeTable::read_nested(Scanner& scanner, int depth) {
  if (!scanner.skip_space()) scanner.fail_expected("a shape");
  const std::size_t begin = scanner.offset();
  const std::string_view key = extent(scanner.text(), begin);
  if (const auto known = by_text_.find(key); !key.empty() && known != by_text_.end()) {
    scanner.move_to(begin + key.size());
    return known->second;
  }
  Shape shape = scanner.peek() == '(' ? read_tuple(scanner, depth) : read_array(scanner);
  const ShapeId id = ShapeId(shapes_.size());
  shapes_.push_back(std::move(shape));
  if (key.size() == scanner.offset() - begin) by_text_.emplace(key, id);
  return id;
}

ShapeId ShapeTable::add_tuple(std::vector<ShapeId> elements) {
  Shape shape;
  shape.is_tuple = true;
  shape.elements = std::move(elements);
  shapes_.push_back(std::move(shape));
  return ShapeId(shapes_.size()) - 1;
}

Shape ShapeTable::read_tuple(Scanner& scanner, int depth) {
  if (depth == deepest_tuple) {
    scanner.fail_at(scanner.text().substr(scanner.offset(), 1),
                    fmt::format("tuples nest deeper than {}", deepest_tuple));
  }
  Shape shape;
  shape.is_tuple = true;
  scanner.expect('(');
  if (scanner.accept(')')) return shape;
  do {
    shape.elements.push_back(read_nested(scanner, depth + 1));
  } while (scanner.accept(','));
  scanner.expect(')', "after a tuple's shapes");
  return shape;
}

Shape ShapeTable::read_array(Scanner& scanner) {
  Shape shape;
  const std::size_t begin = scanner.offset();
  shape.type = read_type(scanner);
  read_dimensions(scanner, shape);
  if (hlo::byte_width(shape.type) == 0 && !shape.dimensions.empty()) {
    scanner.fail_at(scanner.text().substr(begin, scanner.offset() - begin),
                    fmt::format("a shape of type {} has no dimensions", hlo::to_string(shape.type)));
  }
  read_layout(scanner, shape);
  return shape;
}

bool ShapeTable::compatible(ShapeId first, ShapeId second) const {
  if (first == second) return true;
  const Shape& a = (*this)[first];
  const Shape& b = (*this)[second];
  if (a.is_tuple || b.is_tuple) {
    return a.is_tuple && b.is_tuple &&
           std::ranges::equal(a.elements, b.elements, [this](ShapeId x, ShapeId y) { return compatible(x, y); });
  }
  if (a.type != b.type || a.dimensions.size() != b.dimensions.size()) return false;
  for (std::size_t i = 0; i < a.dimensions.size(); ++i) {
    const bool dynamic = (!a.dynamic.empty() && a.dynamic[i]) || (!b.dynamic.empty() && b.dynamic[i]);
    if (!dynamic && a.dimensions[i] != b.dimensions[i]) return false;
  }
  return true;
}

std::int64_t ShapeTable::element_count(ShapeId id) const {
  std::int64_t count = 1;
  for (const std::int64_t size : (*this)[id].dimensions) count *= size == Shape::unbounded ? 1 : size;
  return count;
}

std::int64_t ShapeTable::bytes(ShapeId id) const {
  const Shape& shape = (*this)[id];
  if (!shape.is_tuple) return (element_count(id) * hlo::element_types()[std::size_t(shape.type)].bits + 7) / 8;
  std::int64_t sum = 0;
  for (const ShapeId element : shape.elements) sum = saturating_add(sum, bytes(element));
  return sum;
}

std::size_t ShapeTable::memory_bytes() const {
  std::size_t bytes = shapes_.capacity() * sizeof(Shape) + by_text_.size() * 48 + by_text_.bucket_count() * 8;
  for (const Shape& shape : shapes_) {
    const Layout& layout = shape.layout;
    bytes += shape.dimensions.capacity() * 8 + shape.elements.capacity() * sizeof(ShapeId);
    bytes += layout.minor_to_major.capacity() * 8 + layout.other.capacity() * sizeof(LayoutProperty);
    for (const std::vector<std::int64_t>& tile : layout.tiles) bytes += sizeof(tile) + tile.capacity() * 8;
  }
  return bytes;
}

std::string ShapeTable::text(ShapeId id, bool with_layout) const {
  std::string out;
  append_text(out, id, with_layout);
  return out;
}

void ShapeTable::append_text(std::string& out, ShapeId id, bool with_layout) const {
  const Shape& shape = (*this)[id];
  if (shape.is_tuple) {
    out += '(';
    for (std::size_t i = 0; i < shape.elements.size(); ++i) {
      if (i > 0) out += ", ";
      append_text(out, shape.elements[i], with_layout);
    }
    out += ')';
    return;
  }
  out += hlo::to_string(shape.type);
  out += '[';
  for (std::size_t i = 0; i < shape.dimensions.size(); ++i) {
    if (i > 0) out += ',';
    if (shape.dimensions[i] == Shape::unbounded) {
      out += '?';
    } else {
      out += fmt::format("{}{}", !shape.dynamic.empty() && shape.dynamic[i] ? "<=" : "", shape.dimensions[i]);
    }
  }
  out += ']';
  if (with_layout && shape.has_layout) append_layout(out, shape.layout);
}

}  // namespace podsim::hlo::text
