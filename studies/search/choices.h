// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace podsim::studies::search {

/// A way that a choice can be made.
struct Alternative {
  std::string name;                ///< "--overlap collectives"
  std::vector<std::string> words;  ///< that it adds to a command line; none for what is done without them
};

/// Something that a run may choose apart from its sharding.
struct Choice {
  std::string name;             ///< "--overlap"
  std::vector<Alternative> of;  ///< the first is what a run does without a flag
  bool divides = false;         ///< it divides arrays as well, so that it is chosen again for another sharding
};

/// The choices of flags that the words of `podsim run` do not make themselves.
std::vector<Choice> flag_choices(const std::vector<std::string>& words);

}  // namespace podsim::studies::search
