// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "noc/topology.h"

/// The slices of chips that a machine can form, and which of their dimensions have wrap links.
///
/// A pod is a torus; a slice is a box of chips in it. A slice dimension wraps exactly if it takes the whole of that
/// dimension of a pod, since then the pod's wrap link joins both ends of the box. Several pods are joined in a row
/// along the first dimension, which is open across pods. Sources: MLPerf run flags of 128x32 (wrap = false,true) and
/// the Cloud TPU documentation. All shapes seen there are powers of two, so the rule requires powers of two or whole
/// pods.
namespace podsim::noc {

/// Chips of a full pod per dimension, and the number of pods that may be joined along the first.
struct PodShape {
  std::vector<std::int64_t> dimensions;
  std::int64_t pods = 1;
};

/// Parses sizes such as "4x4". InputError at the wrong part; `where` is the location of the first character.
std::vector<std::int64_t> parse_slice_sizes(std::string_view text, const base::SourceLocation& where);

/// Returns why the machine cannot form a slice of these sizes, as a sentence for a diagnostic; empty if it can.
std::string slice_problem(const PodShape& pod, const std::vector<std::int64_t>& sizes);

/// Returns for each dimension whether the slice wraps. The machine must be able to form the slice.
std::vector<bool> slice_wraps(const PodShape& pod, const std::vector<std::int64_t>& sizes);

/// The slice with the machine's wraps and pod boundaries.
Topology slice_topology(const PodShape& pod, const std::vector<std::int64_t>& sizes);

/// As slice_topology(), for sizes that the machine need not be able to form. A dimension that is not a full dimension
/// of a pod is open.
Topology hypothetical_topology(const PodShape& pod, const std::vector<std::int64_t>& sizes);

}  // namespace podsim::noc
