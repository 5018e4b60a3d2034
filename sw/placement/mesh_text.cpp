// SPDX-License-Identifier: Apache-2.0
// Part of sw/placement/mesh_placement.h.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/diagnostic.h"
#include "sw/placement/mesh_placement.h"

namespace podsim::sw::placement {
namespace {

[[noreturn]] void fail(std::string_view text, std::size_t offset, std::size_t length, std::string message,
                       std::string hint) {
  base::SourceLocation at = base::locate("mesh", text, offset, std::max(1, int(length)));
  at.line = 0;
  throw base::InputError(base::Diagnostic{base::Diagnostic::Severity::error, std::move(message), at, std::move(hint)});
}

constexpr const char* forms = "a place is such as X, Y+core or X[4], joined by '+'";

/// Reads a part such as "X[4]" at an offset of the text.
MeshText::Part parse_part(std::string_view text, std::size_t offset, std::size_t length) {
  const std::string_view word = text.substr(offset, length);
  const std::size_t bracket = word.find('[');
  MeshText::Part part{std::string(word.substr(0, bracket)), 0, offset, length};
  std::ranges::transform(part.name, part.name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  const bool is_word =
      !part.name.empty() && std::ranges::all_of(part.name, [](unsigned char c) { return std::isalnum(c) != 0; });
  if (!is_word) fail(text, offset, length, fmt::format("'{}' is not a place", word), forms);
  if (bracket == std::string_view::npos) return part;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data() + bracket + 1, end, part.block);
  if (error != std::errc() || part.block < 1 || rest + 1 != end || *rest != ']') {
    fail(text, offset, length, fmt::format("'{}' is not a place", word), forms);
  }
  return part;
}

std::vector<MeshText::Part> parse_place(std::string_view text, std::size_t begin, std::size_t end) {
  std::vector<MeshText::Part> parts;
  while (begin <= end) {
    const std::size_t plus = std::min(text.substr(0, end).find('+', begin), end);
    parts.push_back(parse_part(text, begin, plus - begin));
    begin = plus + 1;
  }
  return parts;
}

/// Index of the dimension that a part names; slice.dimensions() for "core".
int dimension_of(const MeshText& text, const MeshText::Part& part, const noc::Topology& slice) {
  if (part.name == "core") return slice.dimensions();
  std::string all;
  for (int d = 0; d < slice.dimensions(); ++d) {
    if (noc::dimension_name(d) == part.name) return d;
    std::string name = noc::dimension_name(d);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    all += name + ", ";
  }
  fail(text.text, part.offset, part.length,
       fmt::format("a slice of {} has no dimension '{}'", noc::to_string(slice), part.name),
       "it has " + all + "and core");
}

class PlacementResolver {
 public:
  PlacementResolver(const MeshText& text, const noc::Topology& slice, int cores_per_chip)
      : text_(text), slice_(slice), taken_(std::size_t(slice.dimensions()) + 1, 1) {
    for (int d = 0; d < slice.dimensions(); ++d) sizes_.push_back(slice.size(d));
    sizes_.push_back(cores_per_chip);
  }

  std::vector<std::optional<AxisPlacement>> run() {
    std::vector<std::optional<AxisPlacement>> places(text_.places.size());
    for (const bool blocks : {true, false}) {
      for (std::size_t axis = 0; axis < places.size(); ++axis) {
        if (text_.places[axis].empty()) continue;
        if (!places[axis]) places[axis] = AxisPlacement(text_.places[axis].size());
        for (std::size_t i = 0; i < text_.places[axis].size(); ++i) {
          const MeshText::Part& part = text_.places[axis][i];
          if ((part.block > 0) == blocks) (*places[axis])[i] = take(part);
        }
      }
    }
    for (std::size_t axis = 0; axis < places.size(); ++axis) {
      if (places[axis]) check_size(axis, *places[axis]);
    }
    return places;
  }

 private:
  SliceFactor take(const MeshText::Part& part) {
    const int d = dimension_of(text_, part, slice_);
    const std::int64_t size = sizes_[std::size_t(d)];
    std::int64_t& taken = taken_[std::size_t(d)];
    const std::int64_t left = size / taken;
    const std::string_view word = std::string_view(text_.text).substr(part.offset, part.length);
    if (left == 1 && size > 1) fail(text_.text, part.offset, part.length, fmt::format("'{}' is taken", word), "");
    const std::int64_t wanted = part.block > 0 ? part.block : left;
    if (left % wanted != 0) {
      fail(text_.text, part.offset, part.length,
           fmt::format("blocks of {} do not divide the {} positions there", wanted, left), "");
    }
    const SliceFactor factor{d, wanted, taken};
    taken *= wanted;
    return factor;
  }

  void check_size(std::size_t axis, const AxisPlacement& place) {
    std::int64_t positions = 1;
    for (const SliceFactor& factor : place) positions *= factor.size;
    const hlo::spmd::mesh::MeshAxis& of = text_.mesh.axes()[axis];
    if (positions == of.size) return;
    const auto& parts = text_.places[axis];
    const std::size_t end = parts.back().offset + parts.back().length;
    fail(text_.text, parts.front().offset, end - parts.front().offset,
         fmt::format("axis {} has {} positions, its place in a slice of {} has {}", of.name, of.size,
                     noc::to_string(slice_), positions),
         "X[4] is a part of a dimension, X+Y more than one");
  }

  const MeshText& text_;
  const noc::Topology& slice_;
  std::vector<std::int64_t> sizes_, taken_;
};

}  // namespace

bool MeshText::has_placements() const {
  return std::ranges::any_of(places, [](const auto& place) { return !place.empty(); });
}

MeshText parse_mesh(std::string_view text) {
  MeshText result;
  result.text = text;
  std::string plain;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::size_t at = std::min(text.substr(0, end).find('@', begin), end);
    plain += (begin == 0 ? "" : ",") + std::string(text.substr(begin, at - begin));
    result.places.emplace_back();
    if (at < end) result.places.back() = parse_place(text, at + 1, end);
    begin = end + 1;
  }
  result.mesh = hlo::spmd::mesh::Mesh::parse(plain);
  result.places.resize(result.mesh.axes().size());
  return result;
}

std::vector<std::optional<AxisPlacement>> resolve_placements(const MeshText& text, const noc::Topology& slice,
                                                             int cores_per_chip) {
  return PlacementResolver(text, slice, cores_per_chip).run();
}

}  // namespace podsim::sw::placement
