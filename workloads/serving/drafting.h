// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace podsim::workloads::serving {

/// Tokens that a small model drafts and the large one checks in one step (Leviathan et al. 2023, Fast inference from
/// Transformers via speculative decoding). Each drafted token is accepted with the same probability P, independent of
/// the others; a step makes those before the first that is not, and one of the large model itself: on average
///
///   (1 - P^(K + 1)) / (1 - P)   of K drafted tokens, their equation 1
struct Drafting {
  std::int64_t tokens = 0;  ///< K; 0: there is no draft
  double accept = 0;        ///< P
  std::uint64_t seed = 1;

  /// Tokens that a step makes for a request whose answer has `made` tokens: 1 to K + 1. They do not depend on what the
  /// server does meanwhile, nor on other requests.
  std::int64_t tokens_after(int request, std::int64_t made) const;
};

}  // namespace podsim::workloads::serving
