// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hlo/pipeline/network.h"

/// Divisions of a network into chunks: successive parts of its activations in the order of the graph.
namespace podsim::hlo::pipeline {

struct Division {
  std::vector<InstructionId> begins;  ///< the first activation of every chunk; ascending

  std::size_t chunks() const { return begins.size(); }
  /// The chunk of an activation.
  std::size_t chunk_of(InstructionId activation) const;
};

/// The division into `chunks` whose most expensive chunk costs least; of those within a twentieth of it (assumed), the
/// one that sends the least bytes from chunk to chunk, the most balanced if several do. `costs` has a number for every
/// instruction of the graph, in any unit; those of the activations count. No boundary is within a gradient that is
/// given, nor where a tuple would be sent. InputError if the network has too few such boundaries.
Division balanced_division(const Network& network, std::int64_t chunks, std::span<const double> costs);

/// The division in which each chunk but the first begins at the first operation whose op_name begins with a prefix:
/// "layer6", "encoder/block2". InputError if there is none, if prefixes are not in the order of the network, or if a
/// chunk cannot begin there.
Division division_at(const Network& network, std::span<const std::string> prefixes);

/// The activations that chunks before a boundary make and chunks behind it read, for every chunk but the first, and
/// none for the first. A chunk passes on those that it does not read itself.
std::vector<std::vector<InstructionId>> sent_activations(const Network& network, const Origins& origins,
                                                         const Division& division);

}  // namespace podsim::hlo::pipeline
