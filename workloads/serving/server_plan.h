// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/serving/drafting.h"
#include "workloads/serving/outages.h"
#include "workloads/serving/step_times.h"

namespace podsim::workloads::serving {

/// Who gets a request.
enum class Router {
  round_robin,   ///< the replicas in turns
  least_loaded,  ///< the one with the fewest requests, waiting and running; the first of several
  shared,        ///< one queue: a replica takes a request when it has room for it
};

/// What a step's attention reads for each of its sequences.
enum class CachedTokens {
  mean,     ///< as many tokens as they have on average: a kernel that reads the pages of each
  longest,  ///< as many as the longest has: one dense array for all
};

/// A server: replicas of a model, each with a queue and a batch that changes from step to step.
struct ServerPlan {
  bool tokens = true;                ///< false: a step computes samples, which are done with it
  std::int64_t replicas = 1;         ///< with decode_replicas: those that read prompts
  std::int64_t decode_replicas = 0;  ///< that make tokens only; 0: replicas do both
  Router router = Router::least_loaded;
  std::int64_t max_batch = 1;  ///< sequences of a replica, or samples of a step, at most
  Nanoseconds batch_timeout;   ///< of samples: a step waits for a whole batch, its oldest sample no longer than this

  /// Tokens of prompts that a step reads at most, together with a token of each sequence; 0: a prompt has a step of its
  /// own, before the others go on.
  std::int64_t chunk = 0;
  std::int64_t page = 128;       ///< tokens of a page of the cache
  std::int64_t block = 512;      ///< tokens of a block of a prompt that sequences share, in whole pages
  std::int64_t cache_pages = 1;  ///< of a replica
  CachedTokens cached = CachedTokens::mean;
  Drafting drafting;  ///< of tokens that decode

  Nanoseconds transfer_latency;           ///< of a cache from one replica to another, behind its bytes
  double transfer_seconds_per_token = 0;  ///< in which it has the ports of both replicas

  double idle_watts = 0;  ///< that the chips of a replica draw in no step, away or not

  std::vector<Outage> outages;  ///< joined; replicas that decode come behind the others
  Buckets buckets;

  std::int64_t all_replicas() const { return replicas + decode_replicas; }
};

/// Share of the pages that stay free when a request is admitted to a batch, for the tokens that the others make: that
/// of vLLM (its parameter watermark).
inline constexpr double page_watermark = 0.01;

}  // namespace podsim::workloads::serving
