// SPDX-License-Identifier: Apache-2.0
#include "sw/report/html/slice_links.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace podsim::sw::report::html {
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

}  // namespace

SliceLinks read_links(const RunFiles& files) {
  SliceLinks slice;
  slice.sizes = numbers_in(files.stats().value("slice", std::string("1")));
  if (slice.sizes.empty()) slice.sizes = {1};
  const std::string dimensions = "xyzw";
  for (std::size_t row = 0; row < files.links.rows(); ++row) {
    SliceLink link;
    link.from = numbers_in(files.links.text(row, "from"));
    link.to = numbers_in(files.links.text(row, "to"));
    const std::string& dimension = files.links.text(row, "dimension");
    link.dimension = int(std::min(dimensions.find(dimension.front()), dimensions.size()));
    link.sign = files.links.text(row, "direction") == "-" ? -1 : 1;
    link.direction = dimension + files.links.text(row, "direction");
    link.bytes = files.links.number(row, "bytes");
    link.utilisation = files.links.number(row, "utilisation");
    slice.most = std::max(slice.most, link.bytes);
    const bool inside = link.from.size() == slice.sizes.size() && slice.row_of(link.from) < slice.rows() &&
                        link.from.front() < slice.columns();
    if (inside) slice.links.push_back(std::move(link));
  }
  slice.capacity = files.stats().at("machine_peaks").value("ici_bytes_per_s_per_link", 0.0) * files.step_s();
  return slice;
}

}  // namespace podsim::sw::report::html
