// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/chakra/execution_trace.h"

namespace podsim::sw::chakra {

/// What is wrong with a trace, and where.
struct Finding {
  std::int32_t rank = -1;  ///< -1: of several ranks together
  std::string node;        ///< its name; empty: of the rank as a whole
  std::string message;
};

/// Checks a trace, first every rank by itself:
///
///  - ids are unique, nodes have a type and, if it is of no schema known here, a duration; numbers are not negative,
///    no time is longer than longest_time (node_time.h), no collective or transfer larger than 1 TiB; dependencies lead
///    to nodes of the trace and never in a circle;
///  - a value is read only after the node that makes it, which a path of dependencies joins to the reader;
///  - no node begins before the end of what it waits for, where the trace has times;
///  - collectives have a type, a size and a group that the rank is in; sends and receives have both ends and a size.
///
/// Then the ranks against each other:
///
///  - the members of a group have the same collectives in the same order, with the same type, size and element type;
///  - every send has its receive, with the same size;
///  - of three or more ranks with a node of one name, none lacks a dependency that most of the others have and that no
///    other path replaces, on a node that it has.
///
/// Findings come by rank; of what a member's collectives miss, the first difference. What ranks are compared with is
/// what most members of the group do.
std::vector<Finding> check(const ExecutionTrace& trace);

}  // namespace podsim::sw::chakra
