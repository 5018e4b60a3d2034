// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sw/graph/graph.h"
#include "sw/hlo/scanner.h"

/// The values of attributes. A module keeps a value as its text, which the reader has checked with these functions;
/// who needs the value reads it with the same one: `Scanner text(attribute.value); read_window(text)`.
/// All throw SyntaxError.
namespace podsim::sw::hlo {

using Integers = std::vector<std::int64_t>;

/// "{0,2,1}"; also without braces a single number.
Integers read_integers(Scanner& scanner);
/// "true" or "false".
bool read_boolean(Scanner& scanner);
/// "1e-05".
double read_number(Scanner& scanner);
/// "%add", or "{%a, %b}": names without '%'.
std::vector<std::string_view> read_names(Scanner& scanner);
/// "{size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x0}".
std::vector<WindowDimension> read_window(Scanner& scanner);
/// "b01f_01io->b01f".
ConvolutionDimensions read_dimension_labels(Scanner& scanner);
/// "{[0:8], [2:10:2]}".
std::vector<SliceDimension> read_slice(Scanner& scanner);
/// "0_0x1_1_2": low, high and interior of every dimension.
std::vector<PadDimension> read_padding(Scanner& scanner);

/// Devices in an order: "[8,2]<=[2,8]T(1,0)" are 0..15 as [2,8], transposed, read as [8,2].
struct IotaDevices {
  Integers dimensions, iota;
  std::vector<int> permutation;  ///< may be empty: as they are
};
IotaDevices read_iota_devices(Scanner& scanner);

/// Groups of devices or replicas; none means all of them in one group. "{{0,1},{2,3}}", "{}", "[2,4]<=[8]" and
/// "mesh['x'=4,'y'=2] {'x'}" (devices numbered with the last axis fastest; a group runs over the axes in braces).
struct ReplicaGroups {
  std::optional<IotaGroups> iota;  ///< instead of lists, where the text has this form
  std::vector<Integers> lists;
};
ReplicaGroups read_replica_groups(Scanner& scanner);
/// Written out as lists.
std::vector<Integers> expand(const ReplicaGroups& groups);
/// "{{0,1},{1,2}}".
std::vector<Integers> read_pairs(Scanner& scanner);

/// "{devices=[2,1,2]<=[4] last_tile_dim_replicate}" and the other forms; of kind unknown where the graph has none for
/// it.
Sharding read_sharding(Scanner& scanner);

struct Field {
  std::string_view name, value;  ///< of a quoted value what stands between the quotes
};
/// Metadata and frontend attributes: "{op_name="a/b" source_line=3}", with or without commas.
std::vector<Field> read_fields(Scanner& scanner);

/// What of an output lies in an operand's memory: "{ {0}: (2, {}, may-alias) }".
struct Alias {
  Integers output_index;
  std::int64_t operand = 0;
  Integers operand_index;
  bool must = false;
};
std::vector<Alias> read_aliases(Scanner& scanner);

}  // namespace podsim::sw::hlo
