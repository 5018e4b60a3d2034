// SPDX-License-Identifier: Apache-2.0
#include "noc/whole_part.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace podsim::noc {
namespace {

/// Tries a box; one that contains a dead chip is replaced by the boxes on both sides of that chip along each dimension.
class PartSearch {
 public:
  PartSearch(const Topology& slice, std::span<const NodeId> dead) : dimensions_(std::size_t(slice.dimensions())) {
    for (const NodeId chip : dead) dead_.push_back(slice.coordinates(chip));
    Coordinates sizes{};
    for (int d = 0; d < slice.dimensions(); ++d) sizes[std::size_t(d)] = slice.size(d);
    search({}, sizes);
  }

  SlicePart best() const { return {best_.first, best_.second, int(dimensions_)}; }

 private:
  using Box = std::pair<Coordinates, Coordinates>;  ///< first chip, sizes

  std::int64_t chips(const Coordinates& sizes) const {
    std::int64_t product = 1;
    for (std::size_t d = 0; d < dimensions_; ++d) product *= sizes[d];
    return product;
  }

  void search(const Coordinates& first, const Coordinates& sizes) {
    const std::int64_t size = chips(sizes), most = best_chips_;
    if (size < most || size == 0 || (size == most && first >= best_.first)) return;
    if (!tried_.emplace(first, sizes).second) return;
    const auto inside = [&](const Coordinates& at) {
      for (std::size_t d = 0; d < dimensions_; ++d) {
        if (at[d] < first[d] || at[d] >= first[d] + sizes[d]) return false;
      }
      return true;
    };
    const auto dead = std::ranges::find_if(dead_, inside);
    if (dead == dead_.end()) {
      best_ = {first, sizes};
      best_chips_ = size;
      return;
    }
    for (std::size_t d = 0; d < dimensions_; ++d) {
      Coordinates below = sizes, above = sizes, behind = first;
      below[d] = (*dead)[d] - first[d];
      behind[d] = (*dead)[d] + 1;
      above[d] = first[d] + sizes[d] - behind[d];
      search(first, below);
      search(behind, above);
    }
  }

  std::size_t dimensions_;
  std::vector<Coordinates> dead_;
  std::set<Box> tried_;
  Box best_{};
  std::int64_t best_chips_ = 0;
};

}  // namespace

SlicePart whole_part(const Topology& slice, std::span<const NodeId> dead) { return PartSearch(slice, dead).best(); }

std::string to_string(const SlicePart& part) {
  if (part.sizes[0] == 0) return "no chip";
  const auto dimensions = std::size_t(part.dimensions);
  return fmt::format("{} chips from ({}) on", fmt::join(part.sizes.begin(), part.sizes.begin() + dimensions, "x"),
                     fmt::join(part.first.begin(), part.first.begin() + dimensions, ","));
}

}  // namespace podsim::noc
