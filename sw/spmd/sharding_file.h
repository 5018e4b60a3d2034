// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "sw/graph/graph.h"
#include "sw/spmd/mesh.h"

/// Annotations of a program from a file of its own, so that one model runs with many shardings:
///
///   [mesh]
///   axes = "x=32,y=64"
///   [sharding]
///   "layer*/ffn/w_in" = ["x", "y"]   # dimension 0 along x, dimension 1 along y
///   "tokens" = ["x+y"]               # dimension 0 along x, then y; the others whole
///   "labels" = "manual"              # or "replicated": of all dimensions
///
/// A key is a glob on the names and op_names of the entry's instructions. The first that matches a value, in the order
/// of the file, is the one that counts.
namespace podsim::sw {

struct ShardingRule {
  enum class Kind : std::uint8_t { axes, replicated, manual };
  std::string pattern;
  Kind kind = Kind::axes;
  std::vector<std::string> dimensions;  ///< axes: as parse_axes takes them
  base::SourceLocation pattern_place;
  base::SourceLocation value_place;
  std::vector<base::SourceLocation> dimension_places;
};

struct ShardingFile {
  std::optional<Mesh> mesh;
  std::vector<ShardingRule> rules;  ///< in the order of the file
};

/// `file` is what messages call the text. base::InputError at the place of what is no such file.
ShardingFile read_sharding_file(std::string_view file, std::string_view text);

/// Gives the values of the entry that the file names their shardings, in place of what they have. An array that is
/// matched by its op_name alone, which it may share with scalars, is left as it is where it has fewer dimensions than
/// the rule. In a tuple every array gets the rule's, tokens nothing.
/// base::InputError with all places where a pattern matches nothing (with the nearest name), where an axis is none of
/// the mesh, or where a value that a pattern names has too few dimensions.
void annotate(Module& module, const Mesh& mesh, const ShardingFile& file);

}  // namespace podsim::sw
