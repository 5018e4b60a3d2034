// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

/// Keeps what a resource serves in an order that was fixed in advance.
///
/// First come, first served, is not monotone: a delay changes the order in which jobs reach a resource, and with
/// another order everything may end earlier (R. L. Graham, Bounds on multiprocessing timing anomalies, SIAM J. Appl.
/// Math. 17(2), 1969). Where the order is the same whatever the times, a job begins at the maximum of the ends of the
/// jobs before it and of those that it waits for, and no end is earlier because a duration or a start has grown.
namespace podsim::noc::ici {

/// The jobs of one resource in the order in which it served them, each by a key. Jobs with equal keys are exchangeable.
using ServiceOrder = std::vector<std::uint64_t>;

/// A key of several numbers: that of all but the last, or the first, with the last. The order of the numbers counts,
/// and numbers that differ in a few bits do not make up for each other.
inline std::uint64_t service_key(std::uint64_t key, std::uint64_t number) {
  key *= 0x9e3779b97f4a7c15ULL;
  return (key ^ key >> 32) * 0x9e3779b97f4a7c15ULL + number;
}

/// One resource that serves jobs in a given order. Jobs that come before their turn wait here.
template <class Job>
class OrderedService {
 public:
  /// `order` outlives this.
  explicit OrderedService(const ServiceOrder& order) : order_(&order) {}

  /// Takes a job that has come, and serves all whose turn it is now.
  template <class Serve>
  void come(std::uint64_t key, const Job& job, Serve serve) {
    waiting_.emplace(key, job);
    while (next_ < order_->size()) {
      const auto found = waiting_.find((*order_)[next_]);
      if (found == waiting_.end()) return;
      const Job turn = std::move(found->second);
      waiting_.erase(found);
      ++next_;
      serve(turn);
    }
  }

 private:
  const ServiceOrder* order_;
  std::size_t next_ = 0;
  std::unordered_multimap<std::uint64_t, Job> waiting_;
};

}  // namespace podsim::noc::ici
