// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hw/bundle/device_memory.h"
#include "hw/isa/dma_descriptor.h"
#include "hw/isa/program.h"
#include "hw/machine.h"
#include "hw/tile_op.h"
#include "sw/graph/graph.h"
#include "sw/graph/literal.h"

namespace podsim::sw {

/// An array of a kernel in HBM, in XLA's tiled layouts: the two most minor dimensions of `shape` (by its
/// minor_to_major) are cut into tiles of 8 x 128, stored one after the other, row of tiles by row of tiles; f32 and s32
/// a word each; bf16 T(8,128)(2,1): two rows share a word, the even row in the low half. Rank 1 is one row of lanes in
/// 8 x 128 tiles of 1024 elements. Dimensions are padded to the tile; what the padding holds is unspecified.
struct KernelArray {
  std::string name;
  Shape shape;
  std::uint32_t address = 0;  ///< HBM words
};
/// Words that an array takes in HBM.
std::uint64_t array_words(const Shape& shape);
/// Fills the padding with NaNs, so that a kernel that lets it through is found out.
void write_array(hw::DeviceMemory& hbm, const KernelArray& array, const Literal& value);
Literal read_array(const hw::DeviceMemory& hbm, const KernelArray& array);

/// A generated kernel with what is needed to run, check and compare it.
struct Kernel {
  std::string name;  ///< "matmul m=256 n=256 k=256 dtype=f32"
  hw::isa::Program program;
  std::vector<KernelArray> inputs, outputs;
  /// Of kernels whose arrays are in VMEM before they begin and stay there: what brings the inputs there and the outputs
  /// back, in no time (hw::BundleRunOptions).
  std::vector<hw::isa::DmaDescriptor> before, after;
  /// What it computes: its parameters are the inputs, its result is the output, or a tuple of them.
  Module reference;
  /// The largest error that `reference` (which accumulates in double precision) and the kernel may differ by: relative
  /// to the sum of the magnitudes that were added up, in units of f32 rounding (2^-24), beyond bf16 rounding of inputs
  /// that the reference does as well.
  double rounding_steps = 0;
  /// The same tiles as the tile level runs them.
  hw::TileOp tile_op;
  double flops = 0;    ///< multiply-adds of the unpadded problem, two each; 0 without matrix work
  std::string passes;  ///< which passes over HBM it makes, in words
};

/// One size or choice of a kernel family, a flag of `podsim kernel`.
struct KernelParameter {
  std::string name;  ///< "m", "dtype", "epilogue"
  std::string description;
  std::vector<std::string> choices;  ///< empty: a whole number
  std::int64_t least = 0, most = 0;
  std::string preset;  ///< the default, as text
};

/// Values of a family's parameters by name; every parameter has one.
struct KernelArguments {
  std::map<std::string, std::string> values;
  std::int64_t number(const std::string& name) const;
  const std::string& choice(const std::string& name) const;
};

struct KernelFamily {
  std::string name;  ///< "matmul"
  std::string description;
  std::vector<KernelParameter> parameters;
  /// base::InputError for values that do not go together, or sizes that do not fit.
  Kernel (*build)(const hw::Machine& machine, const KernelArguments& arguments);
};

/// matmul, conv2d, elementwise, reduce, softmax, layernorm, transpose, copy.
std::span<const KernelFamily> kernel_families();

}  // namespace podsim::sw
