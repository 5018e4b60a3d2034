// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hlo/graph.h"
#include "hlo/text/scanner.h"

/// The values of attributes. A module keeps a value as text that the reader has checked with these functions. To use a
/// value, read it with the same function: `Scanner text(attribute.value); read_window(text)`. All throw SyntaxError.
namespace podsim::hlo::text {

using Integers = std::vector<std::int64_t>;

/// "{0,2,1}", or a single number without braces.
Integers read_integers(Scanner& scanner);
/// "true" or "false".
bool read_boolean(Scanner& scanner);
/// "1e-05".
double read_number(Scanner& scanner);
/// "%add" or "{%a, %b}"; returns names without '%'.
std::vector<std::string_view> read_names(Scanner& scanner);
/// "{size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x0}".
std::vector<hlo::WindowDimension> read_window(Scanner& scanner);
/// "b01f_01io->b01f".
hlo::ConvolutionDimensions read_dimension_labels(Scanner& scanner);
/// "{[0:8], [2:10:2]}".
std::vector<hlo::SliceDimension> read_slice(Scanner& scanner);
/// "0_0x1_1_2": low, high and interior padding of every dimension.
std::vector<hlo::PadDimension> read_padding(Scanner& scanner);

/// A list of devices in iota form: "[8,2]<=[2,8]T(1,0)" is 0..15 as an array [2,8], transposed, and read as [8,2].
struct IotaDevices {
  Integers dimensions, iota;
  std::vector<int> permutation;  ///< empty: no permutation
};
IotaDevices read_iota_devices(Scanner& scanner);

/// Groups of devices or replicas; no groups means one group of all. Forms: "{{0,1},{2,3}}", "{}", "[2,4]<=[8]" and
/// "mesh['x'=4,'y'=2] {'x'}" (named_sharding.h).
struct ReplicaGroups {
  std::optional<hlo::IotaGroups> iota;  ///< instead of `lists` if the text has this form
  std::vector<Integers> lists;
};
ReplicaGroups read_replica_groups(Scanner& scanner);
/// Expands groups to lists.
std::vector<Integers> expand(const ReplicaGroups& groups);
/// "{1,8}", or "{{1,8},{2,8}}" for the slices of a collective-permute, one after the other.
Integers read_slice_sizes(Scanner& scanner);
/// "{{0,1},{1,2}}".
std::vector<Integers> read_pairs(Scanner& scanner);

/// "{devices=[2,1,2]<=[4] last_tile_dim_replicate}" and the other forms, and those of named axes (named_sharding.h); of
/// kind `unknown` if it says nothing of the value. Unreduced devices count as replicated.
hlo::Sharding read_sharding(Scanner& scanner);
/// The same, but dimensions of named shardings that are all whole are kept: a tiled sharding of ones, for checks of the
/// rank.
hlo::Sharding read_written_sharding(Scanner& scanner);

struct Field {
  std::string_view name, value;  ///< a quoted value without its quotes
};
/// Metadata and frontend attributes: "{op_name="a/b" source_line=3}", with or without commas.
std::vector<Field> read_fields(Scanner& scanner);

/// An output, or a part of it, that uses the memory of an operand: "{ {0}: (2, {}, may-alias) }".
struct Alias {
  Integers output_index;
  std::int64_t operand = 0;
  Integers operand_index;
  bool must = false;
};
std::vector<Alias> read_aliases(Scanner& scanner);

}  // namespace podsim::hlo::text
