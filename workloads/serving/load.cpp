// SPDX-License-Identifier: Apache-2.0
#include "workloads/serving/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"

namespace podsim::workloads::serving {
namespace {

enum Stream : std::uint64_t { gaps, inputs, outputs, priorities, reuses };

/// Pages of the prompt so that their mean is `share` of it; one token at least is computed.
std::int64_t tokens_seen(const Load& load, std::int64_t input, double uniform) {
  const auto pages = std::int64_t(std::floor(load.reuse * double(input) / double(load.page) + uniform));
  return std::min(pages * load.page, (input - 1) / load.page * load.page);
}

}  // namespace

std::vector<Request> requests_of(const Load& load) {
  Arrivals arrivals(load.arrivals, goodput::seed_of(load.seed, gaps));
  goodput::RandomTimes input(goodput::seed_of(load.seed, inputs)), output(goodput::seed_of(load.seed, outputs)),
      priority(goodput::seed_of(load.seed, priorities)), reuse(goodput::seed_of(load.seed, reuses));
  std::vector<Request> requests;
  while (!load.requests || std::int64_t(requests.size()) < *load.requests) {
    Request request{.arrival = arrivals.next()};
    if (load.until && request.arrival > *load.until) break;
    if (std::int64_t(requests.size()) == most_requests) {
      throw base::InputError(fmt::format("more than {} requests do not fit into memory", most_requests),
                             "a lower rate or less time");
    }
    if (load.input) request.input = load.input->draw(input);
    if (load.output) request.output = load.output->draw(output);
    if (priority.uniform() < load.urgent) request.priority = 1;
    if (load.reuse > 0 && request.input > 0) request.seen = tokens_seen(load, request.input, reuse.uniform());
    requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace podsim::workloads::serving
