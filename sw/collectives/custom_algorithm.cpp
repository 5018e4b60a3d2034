// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/custom_algorithm.h"

#include <numeric>
#include <utility>

#include "base/registry.h"

namespace podsim::sw::collectives {
namespace {

base::Registry<CustomAlgorithm>& custom_algorithms() {
  static base::Registry<CustomAlgorithm> registry;
  return registry;
}

}  // namespace

CustomAlgorithm::~CustomAlgorithm() = default;

int CustomAlgorithm::orders(int) const { return 1; }

std::vector<int> CustomAlgorithm::dimension_order(int, int dimensions) const {
  std::vector<int> order(std::size_t(dimensions), 0);
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

std::shared_ptr<const patterns::Pattern> CustomAlgorithm::reduce_scatter(const LogicalDimension&, std::int64_t,
                                                                         const SegmentLengths&) const {
  return nullptr;
}

std::shared_ptr<const patterns::Pattern> CustomAlgorithm::all_gather(const LogicalDimension&, std::int64_t,
                                                                     const SegmentLengths&) const {
  return nullptr;
}

std::shared_ptr<const patterns::Pattern> CustomAlgorithm::broadcast(const LogicalDimension&, std::int64_t,
                                                                    const SegmentLengths&) const {
  return nullptr;
}

void register_algorithm(std::shared_ptr<const CustomAlgorithm> algorithm) {
  std::vector<std::string_view> taken{"auto"};
  for (const Algorithm own : built_in_algorithms) taken.push_back(to_string(own));
  custom_algorithms().add(std::move(algorithm), std::move(taken));
}

std::shared_ptr<const CustomAlgorithm> custom(Algorithm algorithm) {
  const std::size_t index = std::size_t(algorithm);
  return index < built_in_algorithms.size() ? nullptr
                                            : custom_algorithms().objects().at(index - built_in_algorithms.size());
}

std::vector<Algorithm> algorithms() {
  std::vector<Algorithm> all(built_in_algorithms.begin(), built_in_algorithms.end());
  for (std::size_t i = 0; i < custom_algorithms().objects().size(); ++i) all.push_back(Algorithm(all.size()));
  return all;
}

}  // namespace podsim::sw::collectives
