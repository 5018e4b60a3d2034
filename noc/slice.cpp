// SPDX-License-Identifier: Apache-2.0
#include "noc/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>

#include "base/text/counted.h"
#include "base/text/utf8.h"

namespace podsim::noc {

namespace {

std::int64_t largest(const PodShape& pod, std::size_t dimension) {
  return pod.dimensions[dimension] * (dimension == 0 ? pod.pods : 1);
}

std::string dimension_problem(const PodShape& pod, std::int64_t size, std::size_t d) {
  if (size < 1) return fmt::format("a slice dimension must be at least 1, not {}", size);
  if (!std::has_single_bit(std::uint64_t(size)) && size != largest(pod, d) && size != pod.dimensions[d]) {
    return fmt::format("{} is not a power of two", size);
  }
  if (size > largest(pod, d)) {
    return fmt::format("the machine has {} along {}, the slice asks for {}",
                       base::text::counted(largest(pod, d), "chip"), dimension_name(int(d)), size);
  }
  if (size > pod.dimensions[d] && size % pod.dimensions[d] != 0) {
    return fmt::format("a slice of several pods takes whole pods of {} along {}, not {}",
                       base::text::counted(pod.dimensions[d], "chip"), dimension_name(int(d)), size);
  }
  return "";
}

}  // namespace

std::vector<std::int64_t> parse_slice_sizes(std::string_view text, const base::SourceLocation& where) {
  std::vector<std::int64_t> sizes;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    std::int64_t size = 0;
    const auto [rest, error] = std::from_chars(text.data() + begin, text.data() + end, size);
    if (error != std::errc() || rest != text.data() + end || size < 1) {
      base::SourceLocation place = where;
      place.column += int(base::text::utf8_characters(text.substr(0, begin)).size());
      place.length = std::max(int(base::text::utf8_characters(text.substr(begin, end - begin)).size()), 1);
      throw base::InputError(base::Diagnostic{base::Diagnostic::Severity::error,
                                              fmt::format("'{}' is not a slice", text), std::move(place),
                                              "chips per dimension joined by 'x', such as 4x4 or 128x32"});
    }
    sizes.push_back(size);
    if (end == text.size()) return sizes;
    begin = end + 1;
  }
}

std::string slice_problem(const PodShape& pod, const std::vector<std::int64_t>& sizes) {
  if (sizes.size() != pod.dimensions.size()) {
    return fmt::format("a slice of this machine has {}, not {}",
                       base::text::counted(std::int64_t(pod.dimensions.size()), "dimension"), sizes.size());
  }
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (std::string problem = dimension_problem(pod, sizes[d], d); !problem.empty()) return problem;
  }
  return "";
}

std::vector<bool> slice_wraps(const PodShape& pod, const std::vector<std::int64_t>& sizes) {
  std::vector<bool> wraps;
  for (std::size_t d = 0; d < sizes.size(); ++d) wraps.push_back(sizes[d] > 1 && sizes[d] == pod.dimensions[d]);
  return wraps;
}

Topology slice_topology(const PodShape& pod, const std::vector<std::int64_t>& sizes) {
  assert(slice_problem(pod, sizes).empty());
  return Topology(sizes, slice_wraps(pod, sizes), sizes[0] > pod.dimensions[0] ? pod.dimensions[0] : 0);
}

Topology hypothetical_topology(const PodShape& pod, const std::vector<std::int64_t>& sizes) {
  std::vector<bool> wraps;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    wraps.push_back(sizes[d] > 1 && d < pod.dimensions.size() && sizes[d] == pod.dimensions[d]);
  }
  return Topology(sizes, wraps, sizes[0] > pod.dimensions[0] ? pod.dimensions[0] : 0);
}

}  // namespace podsim::noc
