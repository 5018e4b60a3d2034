// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace podsim::validation::profile {

/// The text of a row says what its op does, but it has no modelled time. what() says why, without the numbers of the
/// row, so that rows can be counted by reason.
class NotModelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace podsim::validation::profile
