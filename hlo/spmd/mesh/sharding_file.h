// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/graph.h"
#include "hlo/spmd/mesh/mesh.h"

/// Annotations of a program from a separate file, so that one model can run with many shardings:
///
///   [mesh]
///   axes = "x=32,y=64"
///   [sharding]
///   "layer*/ffn/w_in" = ["x", "y"]   # dimension 0 along x, dimension 1 along y
///   "tokens" = ["x+y"]               # dimension 0 along x, then y; the others whole
///   "labels" = "manual"              # or "replicated": of all dimensions
///
/// A key is a glob on the names and op_names of the entry computation's instructions, or, if none of them matches, of
/// those in loops. The first key in the order of the file that matches a value applies to it.
namespace podsim::hlo::spmd::mesh {

struct ShardingRule {
  enum class Kind : std::uint8_t { axes, replicated, manual };
  std::string pattern;
  Kind kind = Kind::axes;
  std::vector<std::string> dimensions;  ///< of Kind::axes: the strings that parse_axes takes
  base::SourceLocation pattern_location;
  base::SourceLocation value_location;
  std::vector<base::SourceLocation> dimension_locations;
};

struct ShardingFile {
  std::optional<Mesh> mesh;
  std::vector<ShardingRule> rules;  ///< in the order of the file
};

/// What happens to tables other than [mesh] and [sharding] in a text: they are an error or are ignored.
enum class OtherParts : std::uint8_t { refused, ignored };

/// Reads `text`; messages name it `file`. Throws base::InputError with the locations of all errors.
ShardingFile read_sharding_file(std::string_view file, std::string_view text, OtherParts others = OtherParts::refused);

/// The file as text, which reads as the same file.
std::string to_string(const ShardingFile& file);

/// Gives the values of the entry computation that the file matches the file's shardings, replacing any they have. A
/// rule that matches none there applies to bodies of loops and whatever else the entry calls. An array that matches
/// only by its op_name, which it may share with scalars, is left alone if it has fewer dimensions than the rule. In a
/// tuple, every array gets the rule's sharding and HLO tokens are replicated; tuples match by name only. Throws
/// base::InputError with the locations of all patterns that match nothing (suggesting the nearest name), axes that the
/// mesh lacks, and rules with more dimensions than the value that they name.
void annotate(hlo::Module& module, const Mesh& mesh, const ShardingFile& file);

}  // namespace podsim::hlo::spmd::mesh
