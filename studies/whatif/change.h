// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/config.h"

/// Changes of one resource of a machine, or of one choice of a run, whose gains `podsim whatif` compares.
namespace podsim::studies::whatif {

struct Change {
  enum class Kind : std::uint8_t { twice, half, choice };
  std::string subject;  ///< "matrix units", "rate of links", "--overlap collectives"
  Kind kind = Kind::choice;
  std::vector<std::string> arguments;  ///< that it adds to the words of a command line: "--set", "mxu.count=4"
};

/// Twice and half of every resource that a machine's keys describe, in the order of the machine. The values of a
/// resource's keys are scaled together: a memory of twice the rate has twice the channels, and a port of the switch of
/// twice the width. A change that is no whole number where the key wants one is left out.
std::vector<Change> resource_changes(const base::Config& machine);

/// What a run may choose that its words do not choose yet: overlap, sharded updates, rematerialisation, and twice and
/// half of the batch, if `batch_per_core` is not 0.
std::vector<Change> choice_changes(const std::vector<std::string>& words, std::int64_t batch_per_core);

}  // namespace podsim::studies::whatif
