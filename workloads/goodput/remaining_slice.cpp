// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/remaining_slice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "noc/slice.h"

namespace podsim::workloads::goodput {
namespace {

std::int64_t chips_of(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t(1), std::multiplies<>());
}

/// Position along a dimension from the origin of the box; at least its size if it is not there.
std::int32_t position(const Site& site, const Box& box, const noc::Coordinates& at, int d) {
  const auto dimension = std::size_t(d);
  const std::int32_t length = site.slice().size(d);
  return (at[dimension] - box.origin[dimension] + length) % length;
}

/// Where boxes of a size may begin along a dimension.
std::vector<std::int32_t> origins(const Site& site, std::int64_t size, int d) {
  const noc::Topology& slice = site.slice();
  const std::int64_t length = slice.size(d);
  const std::int64_t pod = d == 0 && slice.pod_length() > 0 ? slice.pod_length() : length;
  std::vector<std::int32_t> all;
  for (std::int64_t begin = 0; begin < length; ++begin) {
    const bool whole_pods = size > pod && begin % pod == 0 && begin + size <= length;
    const bool in_pod = size <= pod && begin % pod + size <= pod;
    const bool across = slice.wraps(d) && size < length;
    if (whole_pods || in_pod || across) all.push_back(std::int32_t(begin));
  }
  return all;
}

bool is_free(const Site& site, const Box& box, std::span<const noc::NodeId> dead_chips,
             std::span<const noc::LinkId> dead_links) {
  return std::ranges::none_of(dead_chips, [&](noc::NodeId chip) { return has_chip(site, box, chip); }) &&
         std::ranges::none_of(dead_links, [&](noc::LinkId link) { return has_link(site, box, link); });
}

}  // namespace

bool has_chip(const Site& site, const Box& box, noc::NodeId chip) {
  const noc::Coordinates at = site.slice().coordinates(chip);
  for (int d = 0; d < site.slice().dimensions(); ++d) {
    if (position(site, box, at, d) >= box.sizes[std::size_t(d)]) return false;
  }
  return true;
}

bool has_link(const Site& site, const Box& box, noc::LinkId link) {
  const auto ends = site.slice().link(link);
  if (!ends || !has_chip(site, box, ends->from) || !has_chip(site, box, ends->to)) return false;
  const int d = ends->dimension;
  const std::int32_t begin = position(site, box, site.slice().coordinates(ends->from), d);
  const std::int32_t end = position(site, box, site.slice().coordinates(ends->to), d);
  return end == begin + ends->direction || box.wraps[std::size_t(d)];
}

Box whole(const Site& site) {
  Box box{{}, site.sizes(), {}};
  for (int d = 0; d < site.slice().dimensions(); ++d) box.wraps.push_back(site.slice().wraps(d));
  return box;
}

std::vector<Sizes> smaller_slices(const Site& site) {
  std::vector<Sizes> all;
  Sizes sizes(site.sizes().size(), 1);
  const std::function<void(std::size_t)> extend = [&](std::size_t d) {
    if (d == sizes.size()) {
      if (sizes != site.sizes() && noc::slice_problem(site.pod(), sizes).empty()) all.push_back(sizes);
      return;
    }
    for (sizes[d] = 1; sizes[d] <= site.sizes()[d]; ++sizes[d]) extend(d + 1);
    sizes[d] = 1;
  };
  extend(0);
  const auto rank = [&](const Sizes& of) {
    const std::vector<bool> wraps = noc::slice_wraps(site.pod(), of);
    return std::tuple(-chips_of(of), -std::ranges::count(wraps, true), std::ranges::max(of));
  };
  std::ranges::sort(all,
                    [&](const Sizes& a, const Sizes& b) { return rank(a) != rank(b) ? rank(a) < rank(b) : a > b; });
  return all;
}

std::optional<Box> free_box(const Site& site, const Sizes& sizes, std::span<const noc::NodeId> dead_chips,
                            std::span<const noc::LinkId> dead_links) {
  Box box{{}, sizes, noc::slice_wraps(site.pod(), sizes)};
  std::vector<std::vector<std::int32_t>> begins;
  std::int64_t boxes = 1;
  for (int d = 0; d < site.slice().dimensions(); ++d) {
    begins.push_back(origins(site, sizes[std::size_t(d)], d));
    boxes *= std::int64_t(begins.back().size());
  }
  for (std::int64_t number = 0; number < boxes; ++number) {
    std::int64_t rest = number;
    for (std::size_t d = 0; d < begins.size(); ++d) {
      box.origin[d] = begins[d][std::size_t(rest % std::int64_t(begins[d].size()))];
      rest /= std::int64_t(begins[d].size());
    }
    if (is_free(site, box, dead_chips, dead_links)) return box;
  }
  return std::nullopt;
}

std::optional<Box> largest_free_box(const Site& site, std::span<const noc::NodeId> dead_chips,
                                    std::span<const noc::LinkId> dead_links) {
  for (const Sizes& sizes : smaller_slices(site)) {
    if (auto box = free_box(site, sizes, dead_chips, dead_links)) return box;
  }
  return std::nullopt;
}

std::string to_string(const Box& box) {
  std::string wraps;
  for (std::size_t d = 0; d < box.wraps.size(); ++d) {
    if (box.wraps[d]) wraps += (wraps.empty() ? ", a torus along " : " and ") + noc::dimension_name(int(d));
  }
  const std::vector<std::int32_t> origin(box.origin.begin(), box.origin.begin() + std::ptrdiff_t(box.sizes.size()));
  return fmt::format("{} at ({}){}", fmt::join(box.sizes, "x"), fmt::join(origin, ","), wraps);
}

}  // namespace podsim::workloads::goodput
