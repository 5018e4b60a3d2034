// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/streams/interaction_seed.h"

namespace podsim::workloads::streams {

/// A twentieth of MovieLens-20M's users and items, and their interactions at the same number per user.
inline SeedOptions small_options() {
  SeedOptions options;
  options.users = 6400;
  options.items = 3200;
  options.interactions = 400'000;
  options.most_of_user = 1000;
  options.most_of_item = 3000;
  return options;
}

inline const InteractionSeed& small_seed() {
  static const InteractionSeed seed = interaction_seed(small_options());
  return seed;
}

}  // namespace podsim::workloads::streams
