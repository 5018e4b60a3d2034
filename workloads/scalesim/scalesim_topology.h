// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reads topology files of SCALE-Sim, a simulator of systolic arrays (github.com/scalesim-project/SCALE-Sim): the
/// layers of a network, one per line. There are two forms:
///
///   Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,
///   Layer, M, N, K,
///
/// A convolution has one image without padding. If the stride does not fit the input, the last window reaches beyond
/// the edge and counts: outputs = ceil((input - filter) / stride) + 1.
namespace podsim::workloads::scalesim {

/// Sizes in elements, all at least 1.
struct ScaleSimConvolution {
  std::int64_t input_height = 1, input_width = 1;
  std::int64_t filter_height = 1, filter_width = 1;
  std::int64_t channels = 1;
  std::int64_t filters = 1;
  std::int64_t stride_height = 1, stride_width = 1;

  std::int64_t output_height() const;
  std::int64_t output_width() const;
};

/// [m, k] times [k, n], all at least 1. For a convolution, m is the number of output pixels, k the number of elements
/// under a filter, and n the number of filters.
struct MatrixProduct {
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t macs() const { return m * n * k; }
};

struct ScaleSimLayer {
  std::string name;
  std::optional<ScaleSimConvolution> convolution;  ///< empty for a matrix product
  MatrixProduct product;
};

struct ScaleSimTopology {
  std::vector<ScaleSimLayer> layers;  ///< at least one; their multiply-accumulates sum to less than 2^57
  std::vector<std::string> warnings;
};

/// Reads the text of a topology file; `file` names it in messages. If the first line has names, columns are found by
/// their names in any order; a column whose name is not known is taken to be at SCALE-Sim's position. Other columns are
/// ignored, with a warning if they have a name. Without a header, eight or more cells are a convolution (the ninth, if
/// an integer, is the stride along the width), and four are a product. A byte-order mark, blanks around cells, a comma
/// at the end of a line, and empty lines are ignored. Throws base::InputError with the locations of up to 20 errors: a
/// cell that is missing or not an integer from 1 to 2^30, a filter larger than its input.
ScaleSimTopology read_scalesim_topology(const std::string& file, std::string_view text);

/// True if the name of a workload is that of a topology file: it ends in ".csv", in upper or lower case.
bool is_topology_file(const std::string& workload);

}  // namespace podsim::workloads::scalesim
