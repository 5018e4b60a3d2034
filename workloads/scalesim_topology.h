// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// SCALE-Sim's topology files: the layers of a network, one a line, which that simulator of systolic arrays takes
/// (github.com/scalesim-project/SCALE-Sim). Two forms:
///
///   Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,
///   Layer, M, N, K,
///
/// A convolution is one image without padding. Where its stride does not divide the input, the last window hangs over
/// the edge and counts: outputs = ceil((input - filter) / stride) + 1.
namespace podsim::workloads {

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

/// [m, k] times [k, n], all at least 1. Of a convolution m is its output pixels, k the elements under a filter, n its
/// filters.
struct MatrixProduct {
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t macs() const { return m * n * k; }
};

struct ScaleSimLayer {
  std::string name;
  std::optional<ScaleSimConvolution> convolution;  ///< not of a matrix product
  MatrixProduct product;
};

struct ScaleSimTopology {
  std::vector<ScaleSimLayer> layers;  ///< one at least; all multiply-accumulates together are below 2^57
  std::vector<std::string> warnings;
};

/// Reads the text of a topology file; `file` names it in messages. Columns are found by their names where the first
/// line has names, whatever their order; one whose name is not known stands where SCALE-Sim has it. Further columns are
/// ignored, with a warning where they have a name. Without a header, eight cells and more are a convolution (the ninth,
/// if a whole number, the stride along the width) and four a product. A byte-order mark, blanks around cells, a comma
/// at the end of a line or none, and lines without anything are all the same. InputError with the places of up to 20
/// mistakes: a cell missing or no whole number from 1 to 2^30, a filter larger than its input.
ScaleSimTopology read_scalesim_topology(const std::string& file, std::string_view text);

}  // namespace podsim::workloads
