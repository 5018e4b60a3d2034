// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/array_layouts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text/percent.h"
#include "hlo/shape.h"
#include "validation/profile/op_text.h"

namespace podsim::validation::profile {
namespace {

using Layouts = std::map<std::vector<int>, double>;  ///< minor to major: time in s
using Arrays = std::map<std::string, Layouts>;       ///< by type and dimensions

/// The array without dimensions of one element.
hlo::Shape squeezed(const hlo::Shape& array) {
  hlo::Shape result = hlo::make_shape(array.element_type, {});
  std::vector<int> number(array.dimensions.size(), -1);
  for (std::size_t d = 0; d < array.dimensions.size(); ++d) {
    if (array.dimensions[d] == 1) continue;
    number[d] = result.rank();
    result.dimensions.push_back(array.dimensions[d]);
  }
  for (int i = 0; i < array.rank(); ++i) {
    const int dimension = number[std::size_t(array.minor_dimension(i))];
    if (dimension >= 0) result.minor_to_major.push_back(dimension);
  }
  return result;
}

Arrays arrays_in(const Profile& profile) {
  Arrays arrays;
  for (const ProfileOp& op : profile.ops) {
    const std::optional<OpText> text = read_op_text(op.hlo_text);
    if (!text) continue;
    std::vector<hlo::Shape> shapes = arrays_of(text->result);
    for (const OpText::Operand& operand : text->operands) {
      if (!operand.shape) continue;
      const std::vector<hlo::Shape> more = arrays_of(*operand.shape);
      shapes.insert(shapes.end(), more.begin(), more.end());
    }
    double bytes = 0;
    for (const hlo::Shape& shape : shapes) bytes += double(hlo::padded_bytes(shape).value());
    for (const hlo::Shape& shape : shapes) {
      hlo::Shape array = squeezed(shape);
      if (array.rank() < 2 || bytes == 0) continue;
      const std::vector<int> layout = std::exchange(array.minor_to_major, {});
      arrays[hlo::to_string(array)][layout] += op.total_self_time_s * double(hlo::padded_bytes(shape).value()) / bytes;
    }
  }
  return arrays;
}

double time_of(const Layouts& layouts) {
  double time = 0;
  for (const auto& [layout, part] : layouts) time += part;
  return time;
}

/// The layout with most time, and its share if it is not the only one.
std::string usual(const Layouts& layouts) {
  const auto most = std::ranges::max_element(layouts, {}, [](const auto& entry) { return entry.second; });
  std::string text = fmt::format("{{{}}}", fmt::join(most->first, ","));
  if (layouts.size() > 1) text += " " + base::text::percent(most->second / time_of(layouts), 0);
  return text;
}

/// Share of the time of `first` under layouts that `second` has too.
double agreement(const Layouts& first, const Layouts& second) {
  const double of_first = time_of(first), of_second = time_of(second);
  double both = 0;
  for (const auto& [layout, time] : first) {
    const auto found = second.find(layout);
    if (found != second.end()) both += std::min(time / of_first, found->second / of_second);
  }
  return both;
}

}  // namespace

LayoutComparison compare_layouts(const Profile& first, const Profile& second) {
  const Arrays measured = arrays_in(first), other = arrays_in(second);
  double whole = 0;
  for (const auto& [array, layouts] : measured) whole += time_of(layouts);
  LayoutComparison result;
  for (const auto& [array, layouts] : measured) {
    if (time_of(layouts) == 0) continue;
    LayoutRow row{.array = array, .share = time_of(layouts) / whole, .first = usual(layouts), .second = {}};
    const auto found = other.find(array);
    if (found != other.end() && time_of(found->second) > 0) {
      row.agreement = agreement(layouts, found->second);
      row.second = usual(found->second);
      result.compared += row.share;
      result.agreement += row.share * row.agreement;
    }
    result.rows.push_back(std::move(row));
  }
  if (result.compared > 0) result.agreement /= result.compared;
  std::ranges::stable_sort(result.rows, std::ranges::greater{}, [](const LayoutRow& row) {
    return std::pair{!row.second.empty(), row.share * (1 - row.agreement)};
  });
  return result;
}

}  // namespace podsim::validation::profile
