// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/serving/request.h"
#include "workloads/serving/server_plan.h"

namespace podsim::test {

constexpr workloads::serving::Nanoseconds milliseconds(std::int64_t count) {
  return workloads::serving::Nanoseconds(count * 1'000'000);
}

/// A server of one replica whose prompts are read as a whole.
inline workloads::serving::ServerPlan one_replica() {
  workloads::serving::ServerPlan plan;
  plan.max_batch = 8;
  plan.page = 16;
  plan.block = 32;
  plan.cache_pages = 1000;
  plan.buckets.page = 1;
  return plan;
}

/// One sample a step.
inline workloads::serving::ServerPlan queue_of_samples(std::int64_t replicas) {
  workloads::serving::ServerPlan plan;
  plan.tokens = false;
  plan.replicas = replicas;
  plan.router = workloads::serving::Router::shared;
  plan.buckets.page = 0;
  return plan;
}

/// Requests for samples at these times.
inline std::vector<workloads::serving::Request> samples_at(const std::vector<std::int64_t>& arrivals) {
  std::vector<workloads::serving::Request> requests;
  for (const std::int64_t at : arrivals) requests.push_back({.arrival = milliseconds(at)});
  return requests;
}

}  // namespace podsim::test
