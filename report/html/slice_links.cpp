// SPDX-License-Identifier: Apache-2.0
#include "report/html/slice_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/diagnostic.h"

namespace podsim::report::html {
namespace {

std::vector<int> numbers_in(std::string_view text) {
  std::vector<int> numbers;
  for (std::size_t at = 0; at < text.size();) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error == std::errc{}) numbers.push_back(value);
    at = error == std::errc{} ? std::size_t(end - text.data()) : at + 1;
  }
  return numbers;
}

/// A page draws every node. The sizes come from a file.
void check_sizes(const std::vector<int>& sizes, const RunFiles& files) {
  constexpr std::int64_t max_nodes = 1 << 16;
  std::int64_t nodes = 1;
  for (const int size : sizes) {
    nodes *= size;
    if (size >= 1 && nodes <= max_nodes) continue;
    throw base::InputError(fmt::format("'{}' has a slice of no such size, '{}'",
                                       (files.folder.path / "stats.json").string(),
                                       files.stats().value("slice", std::string())));
  }
}

bool is_within(const std::vector<int>& node, const std::vector<int>& sizes) {
  return std::ranges::equal(node, sizes, [](int place, int size) { return place >= 0 && place < size; });
}

}  // namespace

SliceLinks read_links(const RunFiles& files) {
  SliceLinks slice;
  slice.sizes = numbers_in(files.stats().value("slice", std::string("1")));
  if (slice.sizes.empty()) slice.sizes = {1};
  check_sizes(slice.sizes, files);
  const std::string dimensions = "xyzw";
  for (std::size_t row = 0; row < files.links.rows(); ++row) {
    SliceLink link;
    link.from = numbers_in(files.links.text(row, "from"));
    link.to = numbers_in(files.links.text(row, "to"));
    const std::string& dimension = files.links.text(row, "dimension");
    link.dimension = dimension.empty() ? int(dimensions.size())
                                       : int(std::min(dimensions.find(dimension.front()), dimensions.size()));
    link.sign = files.links.text(row, "direction") == "-" ? -1 : 1;
    link.direction = dimension + files.links.text(row, "direction");
    link.bytes = files.links.number(row, "bytes");
    link.utilisation = files.links.number(row, "utilisation");
    slice.most = std::max(slice.most, link.bytes);
    if (is_within(link.from, slice.sizes)) slice.links.push_back(std::move(link));
  }
  slice.capacity = files.stats().at("machine_peaks").value("ici_bytes_per_s_per_link", 0.0) * files.step_s();
  return slice;
}

}  // namespace podsim::report::html
