// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/serving/latency_histogram.h"
#include "workloads/serving/request.h"
#include "workloads/serving/step_cost.h"
#include "workloads/serving/time_series.h"

namespace podsim::workloads::serving {

/// What became of a request.
struct Served {
  Nanoseconds admitted{-1};  ///< its first step began, or was waited for by its cache
  Nanoseconds first_token;   ///< end of the step that made it; of samples: their end
  Nanoseconds finish;
  int replica = -1;                 ///< that finished it; -1: it was refused, since its cache does not fit any replica
  int preempted = 0, requeued = 0;  ///< times that its cache was dropped for others' memory, that its replica stopped
  std::int64_t reused = 0;          ///< tokens of the prompt found in the cache when it was last admitted

  bool refused() const { return replica < 0; }
};

/// Tokens and steps of all replicas, which add up: see balances().
struct ServingCounts {
  std::int64_t arrived = 0, finished = 0, refused = 0;
  std::int64_t steps = 0;
  std::int64_t lost_steps = 0;          ///< of replicas that stopped
  std::int64_t padded = 0, filled = 0;  ///< sequences that steps have room for, and that they have
  std::int64_t prefilled = 0;           ///< tokens of prompts, and of answers after a loss, that steps read
  std::int64_t reused = 0;              ///< tokens that were in the cache already
  std::int64_t decoded = 0;             ///< tokens that decoding added to the cache
  std::int64_t turns = 0;               ///< in which a sequence got these: one for each of a step's
  std::int64_t made = 0;                ///< tokens of answers
  std::int64_t dropped = 0;             ///< tokens of the cache, by preemptions and stops
  std::int64_t retired = 0;             ///< tokens of the cache when their requests were finished
  std::int64_t preemptions = 0, requeued = 0, transfers = 0;
  std::int64_t asked = 0;  ///< tokens of answers that finished requests asked for

  /// Nothing is lost or made: every request is finished or refused, every token in a cache was dropped or retired, and
  /// answers are as long as they were asked for.
  bool balances() const {
    return arrived == finished + refused && prefilled + reused + decoded == dropped + retired && made == asked;
  }
};

/// What a replica did.
struct ReplicaOutcome {
  Nanoseconds busy, away;
  std::int64_t steps = 0, finished = 0;
  Nanoseconds sending, receiving;  ///< in which its network port sends caches, and receives them
  StepCost work;                   ///< of its steps; the part that ran of those that were lost
  TimeSeries running;              ///< sequences of its batch
  TimeSeries present;              ///< 1, or 0 while it is away
};

struct ServingOutcome {
  std::vector<Served> served;  ///< in the order of the requests
  ServingCounts counts;
  Nanoseconds end;                     ///< the last request is finished
  Nanoseconds transfer_wait;           ///< of all caches together, for network ports
  Nanoseconds requests_in_time;        ///< integral of the requests in the system over the time
  LatencyHistogram gaps;               ///< between the tokens of an answer
  TimeSeries waiting, running, pages;  ///< requests in queues and in batches; share of all pages in use
  TimeSeries watts;                    ///< of all replicas together
  TimeSeries mxu, hbm;                 ///< shares of their peaks, the mean of all replicas
  std::vector<ReplicaOutcome> replicas;
};

}  // namespace podsim::workloads::serving
