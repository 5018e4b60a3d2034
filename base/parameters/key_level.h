// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// Where the models read the keys of a machine. A test changes the keys that are said to act elsewhere than in a run,
/// and sees no run change.
namespace podsim::base::parameters {

enum class KeyLevel {
  ops,          ///< ops at tile and replay detail, feeds: podsim run, podsim ops
  collectives,  ///< collectives as messages: podsim run, podsim collective
  packets,      ///< routers between chips, packet by packet: podsim collective --network packet
  banks,        ///< the HBM bank by bank: podsim memory, podsim run --memory bank
  chip,         ///< a chip by its parts: podsim memory --through switch, podsim run --detail chip
  kernels,      ///< programs of bundles: podsim kernel
  inputs,       ///< hosts that feed a slice: podsim run --input on, podsim run --loop, podsim train
  jobs,         ///< loops of steps: podsim run --loop, podsim train
  starts,       ///< what a job does before its first step: podsim train
  checkpoints,  ///< what a job saves: podsim run --loop with checkpoint=N, podsim train --checkpoint, --restore
  failures,     ///< parts that fail over days: podsim goodput
  watts,        ///< joules, watts and areas: podsim run, podsim kernel
  frameworks,   ///< a host that traces every step anew: podsim validate
  limits        ///< no figure, but a value, program or slice that goes beyond it is refused
};
using KeyLevels = std::vector<KeyLevel>;

/// A key and the levels at which it has an effect.
struct KeyUse {
  std::string key;
  KeyLevels levels;
};

/// "ops", "collectives", ...
std::string name_of(KeyLevel level);
/// The level and the commands that simulate at it.
std::string to_string(KeyLevel level);

}  // namespace podsim::base::parameters
