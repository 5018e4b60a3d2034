// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "noc/topology.h"

/// Which slices of chips a machine can form, and which of their dimensions have wrap links.
///
/// A pod is a torus; a slice is a box of chips in it. A slice dimension wraps exactly when it takes the whole of that
/// dimension of a pod, for then both ends of the box are joined by the pod's wrap link. Several pods are joined in a
/// row along the first dimension, which is open across pods. Sources: MLPerf run flags of 128x32 (wrap = false,true)
/// and the Cloud TPU documentation. The shapes seen are powers of two, which is what the rule asks for.
namespace podsim::noc {

/// Chips of a full pod per dimension, and how many pods may be joined along the first.
struct PodShape {
  std::vector<std::int64_t> dimensions;
  std::int64_t pods = 1;
};

/// The sizes that "4x4" names. InputError at the part that is wrong, where `where` locates the first character.
std::vector<std::int64_t> parse_slice_sizes(std::string_view text, const base::SourceLocation& where);

/// Why the machine cannot form a slice of these sizes, as a sentence for a diagnostic; empty when it can.
std::string slice_problem(const PodShape& pod, const std::vector<std::int64_t>& sizes);

/// Per dimension, whether the slice wraps; the slice must be one the machine can form.
std::vector<bool> slice_wraps(const PodShape& pod, const std::vector<std::int64_t>& sizes);

/// The slice with the machine's wraps and pod boundaries.
Topology slice_topology(const PodShape& pod, const std::vector<std::int64_t>& sizes);

/// A slice of any sizes, which the machine need not be able to form, with wraps and pod boundaries by the same rule:
/// what is no full dimension of a pod is open.
Topology hypothetical_topology(const PodShape& pod, const std::vector<std::int64_t>& sizes);

}  // namespace podsim::noc
