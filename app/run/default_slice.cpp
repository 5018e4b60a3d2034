// SPDX-License-Identifier: Apache-2.0
#include "app/run/default_slice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/text/counted.h"
#include "noc/slice.h"

namespace podsim::app::run {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Finds the best factorization of a number of chips, with one factor for each dimension.
class SliceSearch {
 public:
  explicit SliceSearch(const sw::TargetMachine& machine) : pod_{machine.pod.dimensions, machine.pod.pods} {}

  std::optional<Sizes> find(std::int64_t chips) {
    extend({}, chips);
    return best_;
  }

 private:
  void extend(Sizes sizes, std::int64_t rest) {
    if (sizes.size() + 1 == pod_.dimensions.size()) {
      sizes.push_back(rest);
      return consider(sizes);
    }
    const std::int64_t most = pod_.dimensions[sizes.size()] * (sizes.empty() ? pod_.pods : 1);
    for (std::int64_t size = 1; size <= std::min(most, rest); ++size) {
      if (rest % size != 0) continue;
      sizes.push_back(size);
      extend(sizes, rest / size);
      sizes.pop_back();
    }
  }

  void consider(const Sizes& sizes) {
    if (!noc::slice_problem(pod_, sizes).empty()) return;
    if (!best_ || is_before(sizes, *best_)) best_ = sizes;
  }

  static bool is_before(const Sizes& a, const Sizes& b) {
    const std::int64_t longest_a = std::ranges::max(a), longest_b = std::ranges::max(b);
    return longest_a != longest_b ? longest_a < longest_b : a > b;
  }

  noc::PodShape pod_;
  std::optional<Sizes> best_;
};

}  // namespace

std::optional<std::string> slice_for(std::int64_t cores, const sw::TargetMachine& machine) {
  if (cores % machine.cores_per_chip != 0) return std::nullopt;
  const std::optional<Sizes> sizes = SliceSearch(machine).find(cores / machine.cores_per_chip);
  return sizes ? std::optional(fmt::format("{}", fmt::join(*sizes, "x"))) : std::nullopt;
}

std::string slice_hint(std::int64_t cores, const sw::TargetMachine& machine) {
  if (const auto slice = slice_for(cores, machine)) return fmt::format("'--slice {}' has as many", *slice);
  if (cores % machine.cores_per_chip != 0) {
    sw::TargetMachine bare = machine;
    bare.cores_per_chip = 1;
    if (const auto slice = slice_for(cores, bare)) {
      return fmt::format("chips have {}; with '--set core.cores_per_chip=1' they have one, and '--slice {}' has {}",
                         base::text::counted(machine.cores_per_chip, "core"), *slice, cores);
    }
  }
  Sizes most = machine.pod.dimensions;
  most.front() *= machine.pod.pods;
  return fmt::format("no slice of {} has {}: sizes are powers of two or a whole pod, up to {}, and a chip has {}",
                     machine.name, base::text::counted(cores, "core"), fmt::join(most, "x"), machine.cores_per_chip);
}

}  // namespace podsim::app::run
