// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/transfer_ports.h"

#include <utility>

namespace podsim::workloads::serving {

void TransferPorts::ask(const CacheTransfer& transfer) {
  waiting_.push_back(transfer);
  changed_ = true;
}

std::vector<CacheTransfer> TransferPorts::begin(Nanoseconds now) {
  std::vector<CacheTransfer> begun;
  if (!std::exchange(changed_, false)) return begun;
  std::vector<char> sends(sends_.size()), receives(receives_.size());  // wanted by an earlier transfer
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    const auto source = std::size_t(next->source), target = std::size_t(next->target);
    const bool first = sends[source] == 0 && receives[target] == 0;
    if (first && !sends_[source].taken && !receives_[target].taken) {
      sends_[source].take(now);
      receives_[target].take(now);
      begun.push_back(*next);
      running_.emplace(next->request, *next);
      next = waiting_.erase(next);
    } else {
      sends[source] = receives[target] = 1;
      ++next;
    }
  }
  return begun;
}

void TransferPorts::end(int request, Nanoseconds now) {
  const auto ended = running_.find(request);
  if (ended == running_.end()) return;
  sends_[std::size_t(ended->second.source)].release(now);
  receives_[std::size_t(ended->second.target)].release(now);
  running_.erase(ended);
  changed_ = true;
}

void TransferPorts::cancel(int request, Nanoseconds now) {
  end(request, now);
  if (std::erase_if(waiting_, [&](const CacheTransfer& of) { return of.request == request; }) > 0) changed_ = true;
}

}  // namespace podsim::workloads::serving
