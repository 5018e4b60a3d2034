// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/assumed_slice.h"

#include <vector>

#include "noc/slice.h"

namespace podsim::sw::collectives::schedule {
namespace {

/// In descending order.
std::vector<std::int64_t> prime_factors(std::int64_t number) {
  std::vector<std::int64_t> factors;
  for (std::int64_t factor = 2; factor * factor <= number; ++factor) {
    for (; number % factor == 0; number /= factor) factors.insert(factors.begin(), factor);
  }
  if (number > 1) factors.insert(factors.begin(), number);
  return factors;
}

}  // namespace

noc::Topology assumed_slice(const TargetMachine& machine, std::int64_t cores) {
  const noc::PodShape pod{machine.pod.dimensions, machine.pod.pods};
  if (cores == 0) return noc::slice_topology(pod, pod.dimensions);
  std::vector<std::int64_t> sizes(pod.dimensions.size(), 1);
  for (const std::int64_t factor : prime_factors(base::divide_round_up(cores, machine.cores_per_chip))) {
    std::size_t shortest = 0;
    bool fits = false;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] * factor > pod.dimensions[d] || (fits && sizes[d] >= sizes[shortest])) continue;
      shortest = d;
      fits = true;
    }
    sizes[shortest] *= factor;
  }
  return noc::hypothetical_topology(pod, sizes);
}

}  // namespace podsim::sw::collectives::schedule
