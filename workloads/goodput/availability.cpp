// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/availability.h"

#include <cmath>

namespace podsim::workloads::goodput {
namespace {

/// Probability that exactly k of n blocks work.
double binomial(std::int64_t n, std::int64_t k, double works) {
  if (works >= 1) return k == n ? 1 : 0;
  const double ways = std::lgamma(double(n) + 1) - std::lgamma(double(k) + 1) - std::lgamma(double(n - k) + 1);
  return std::exp(ways + double(k) * std::log(works) + double(n - k) * std::log1p(-works));
}

}  // namespace

double availability(base::Duration between_failures, base::Duration repair) {
  return between_failures.si() / (between_failures.si() + repair.si());
}

double BlockMachine::block_availability() const { return std::pow(host_availability, double(block_hosts)); }

double share_in_joined_slices(const BlockMachine& machine, std::int64_t slice_blocks) {
  double share = 0;
  for (std::int64_t working = slice_blocks; working <= machine.blocks; ++working) {
    const std::int64_t used = working - working % slice_blocks;
    share += binomial(machine.blocks, working, machine.block_availability()) * double(used) / double(machine.blocks);
  }
  return share;
}

double share_in_fixed_slices(const BlockMachine& machine, std::int64_t slice_blocks) {
  const std::int64_t used = machine.blocks - machine.blocks % slice_blocks;
  return std::pow(machine.block_availability(), double(slice_blocks)) * double(used) / double(machine.blocks);
}

}  // namespace podsim::workloads::goodput
