// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/mesh/mesh.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostic.h"
#include "base/text/utf8.h"

namespace podsim::hlo::spmd::mesh {
namespace {

constexpr std::int64_t max_partitions = 1 << 20;
constexpr std::string_view letters = "xyzwvu";  ///< names for axes that the text does not name

bool is_name(std::string_view text) {
  const auto may_follow = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::ranges::all_of(text, may_follow);
}

/// The reason why `axes` are not valid; empty if they are.
std::string fault_of(const std::vector<MeshAxis>& axes) {
  std::int64_t partitions = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const MeshAxis& axis = axes[i];
    if (!is_name(axis.name)) return fmt::format("'{}' is no name of a mesh axis", axis.name);
    const auto same = [&](const MeshAxis& other) { return other.name == axis.name; };
    if (std::any_of(axes.begin(), axes.begin() + std::ptrdiff_t(i), same)) {
      return fmt::format("two mesh axes have the name '{}'", axis.name);
    }
    if (axis.size < 1) return fmt::format("the mesh axis '{}' has a size of at least 1, not {}", axis.name, axis.size);
    if (axis.size > max_partitions / partitions) return "a mesh has at most 2^20 partitions";
    partitions *= axis.size;
  }
  return "";
}

std::vector<std::int64_t> prime_factors(std::int64_t number) {
  std::vector<std::int64_t> factors;
  for (std::int64_t divisor = 2; divisor * divisor <= number; ++divisor) {
    for (; number % divisor == 0; number /= divisor) factors.push_back(divisor);
  }
  if (number > 1) factors.push_back(number);
  return factors;
}

/// Reads the text of a mesh, part by part between separators.
class AxesText {
 public:
  explicit AxesText(std::string_view text) : text_(text) {}

  std::vector<MeshAxis> axes() {
    if (text_.empty()) fail(text_, "an empty mesh");
    const bool named = text_.find('=') != std::string_view::npos || is_name(text_);
    std::string_view rest = text_;
    std::vector<MeshAxis> axes;
    for (bool more = true; more;) {
      const std::size_t end = rest.find(named ? ',' : 'x');
      const std::string_view part = rest.substr(0, end);
      axes.push_back(named ? named_axis(part) : MeshAxis{letter(part, axes.size()), size(part)});
      if (const std::string fault = fault_of(axes); !fault.empty()) fail(part, fault);
      more = end != std::string_view::npos;
      if (more) rest.remove_prefix(end + 1);
    }
    return axes;
  }

 private:
  [[noreturn]] void fail(std::string_view part, const std::string& message) const {
    const int length = std::max(int(base::text::utf8_characters(part).size()), 1);
    base::SourceLocation where = base::locate("mesh", text_, std::size_t(part.data() - text_.data()), length);
    where.line = 0;
    if (where.line_text.empty()) where.line_text = " ";  // so that the caret has something to point at
    throw base::InputError(
        {base::Diagnostic::Severity::error, message, where, "axes and their sizes, such as x=32,y=64 or 32x64"});
  }

  std::string letter(std::string_view part, std::size_t index) const {
    if (index == letters.size()) fail(part, fmt::format("more than {} axes need names", letters.size()));
    return std::string(1, letters[index]);
  }

  std::int64_t size(std::string_view part) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (end != part.data() + part.size() || error == std::errc::invalid_argument) {
      fail(part, fmt::format("'{}' is no size of a mesh axis", part));
    }
    if (error == std::errc::result_out_of_range) fail(part, "a mesh has at most 2^20 partitions");
    return value;
  }

  MeshAxis named_axis(std::string_view part) const {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) fail(part, fmt::format("'{}' has no size", part));
    std::string_view name = part.substr(0, equals);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    std::string_view value = part.substr(equals + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    while (value.ends_with(' ')) value.remove_suffix(1);
    return {std::string(name), size(value)};
  }

  std::string_view text_;
};

}  // namespace

Mesh::Mesh(std::vector<MeshAxis> axes) : axes_(std::move(axes)) {
  if (std::string fault = fault_of(axes_); !fault.empty()) throw base::InputError(std::move(fault));
  std::int64_t stride = partitions();
  for (int axis = 0; axis < int(axes_.size()); ++axis) {
    for (const std::int64_t size : prime_factors(axes_[std::size_t(axis)].size)) {
      stride /= size;
      sub_axes_.push_back({axis, size, stride});
    }
  }
}

Mesh Mesh::parse(std::string_view text) { return Mesh(AxesText(text).axes()); }

Mesh Mesh::refining(std::int64_t partitions, std::span<const std::vector<std::int64_t>> shapes) {
  std::set<std::int64_t> borders{1, partitions};
  for (const std::vector<std::int64_t>& shape : shapes) {
    std::int64_t border = 1;
    for (std::size_t i = shape.size(); i-- > 0;) borders.insert(border *= shape[i]);
    if (border != partitions) {
      throw base::InputError(
          fmt::format("a sharding over [{}] does not take all {} partitions", fmt::join(shape, ","), partitions));
    }
  }
  std::vector<MeshAxis> axes;
  for (auto high = borders.rbegin(), low = std::next(high); low != borders.rend(); high = low++) {
    if (*high % *low != 0) {
      throw base::InputError(
          fmt::format("no mesh of {} partitions has lines of {} and of {}", partitions, *low, *high));
    }
    axes.push_back({fmt::format("a{}", axes.size()), *high / *low});
  }
  return Mesh(std::move(axes));
}

std::int64_t Mesh::partitions() const {
  std::int64_t count = 1;
  for (const MeshAxis& axis : axes_) count *= axis.size;
  return count;
}

int Mesh::find(std::string_view name) const {
  const auto found = std::ranges::find(axes_, name, &MeshAxis::name);
  return found == axes_.end() ? -1 : int(found - axes_.begin());
}

std::int64_t Mesh::size(const SubAxes& sub_axes) const {
  std::int64_t count = 1;
  for (const SubAxis sub_axis : sub_axes) count *= size(sub_axis);
  return count;
}

SubAxes Mesh::sub_axes(int axis) const {
  SubAxes result;
  for (int i = 0; i < sub_axis_count(); ++i) {
    if (axis_of(SubAxis(i)) == axis) result.push_back(SubAxis(i));
  }
  return result;
}

SubAxes Mesh::all() const {
  SubAxes result;
  for (int i = 0; i < sub_axis_count(); ++i) result.push_back(SubAxis(i));
  return result;
}

std::int64_t Mesh::position(std::int64_t partition, const SubAxes& sub_axes) const {
  std::int64_t position = 0;
  for (const SubAxis sub_axis : sub_axes) {
    position = position * size(sub_axis) + partition / stride(sub_axis) % size(sub_axis);
  }
  return position;
}

std::string Mesh::to_string(const SubAxes& sub_axes, std::string_view separator) const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < sub_axes.size();) {
    const int axis = axis_of(sub_axes[i]);
    std::size_t end = i + 1;
    while (end < sub_axes.size() && sub_axes[end] == sub_axes[end - 1] + 1 && axis_of(sub_axes[end]) == axis) ++end;
    const SubAxes whole = this->sub_axes(axis);
    const std::string& name = axes_[std::size_t(axis)].name;
    const int first = sub_axes[i] - whole.front();
    parts.push_back(end - i == whole.size() ? name : fmt::format("{}[{}:{}]", name, first, first + int(end - i)));
    i = end;
  }
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string to_string(const Mesh& mesh) {
  std::vector<std::string> parts;
  for (const MeshAxis& axis : mesh.axes()) parts.push_back(fmt::format("{}={}", axis.name, axis.size));
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace podsim::hlo::spmd::mesh
