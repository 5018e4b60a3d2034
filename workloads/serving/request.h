// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/goodput/nanoseconds.h"

namespace podsim::workloads::serving {

using goodput::Nanoseconds;

/// A request to a server. A server of token models reads a prompt of `input` tokens and makes `output` ones; for other
/// workloads a request is one sample, and both are 0.
struct Request {
  Nanoseconds arrival;
  std::int64_t input = 0, output = 0;
  int priority = 0;       ///< the greater is served before
  std::int64_t seen = 0;  ///< tokens of the prompt that are drawn to be in the cache already
  std::vector<std::uint64_t> blocks =
      {};  ///< names of the prompt's blocks from its begin: equal ones have equal caches
};

}  // namespace podsim::workloads::serving
