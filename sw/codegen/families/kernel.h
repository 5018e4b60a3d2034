// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hlo/graph.h"
#include "hlo/literal.h"
#include "hw/isa/dma_descriptor.h"
#include "hw/isa/program.h"
#include "hw/machine.h"
#include "hw/memory/device_memory.h"
#include "hw/tile_op.h"
#include "sw/target_machine.h"

/// Generated kernels and the families that generate them. A kernel has its bundles, its arrays in HBM, the HLO module
/// that it must agree with, and its tiles for the tile level. Addresses and sizes in HBM are in words of 32 bits.
namespace podsim::sw::codegen::families {

/// An array of a kernel in HBM, in XLA's tiled layouts. The two most minor dimensions of `shape` (by its
/// minor_to_major) are divided into layout tiles of 8 x 128, stored consecutively, row of tiles by row of tiles. An
/// element of f32 or s32 takes a word. bf16 has the layout T(8,128)(2,1): two rows share a word, with the even row in
/// the low half. An array of rank 1 is stored in tiles of 1024 consecutive elements. Dimensions are padded to whole
/// tiles; the contents of the padding are unspecified.
struct KernelArray {
  std::string name;
  hlo::Shape shape;
  std::uint32_t address = 0;  ///< HBM word address
  /// Verification also tries infinities in an input. Not where rounding decides between an infinity and NaN: a weight
  /// that is 0, or almost, times an infinity.
  bool infinities = true;
};
/// Size of an array in HBM, in words.
std::uint64_t array_words(const hlo::Shape& shape);
/// Writes an array to HBM. Fills its padding with NaNs, to detect kernels that let padding affect their results.
void write_array(hw::memory::DeviceMemory& hbm, const KernelArray& array, const hlo::Literal& value);
hlo::Literal read_array(const hw::memory::DeviceMemory& hbm, const KernelArray& array);

/// A generated kernel, with all that is needed to run it, check it and compare it with the tile level.
struct Kernel {
  std::string name;  ///< "matmul m=256 n=256 k=256 dtype=f32"
  hw::isa::Program program;
  std::vector<KernelArray> inputs, outputs;
  /// Copies that take no time (hw::bundle::BundleRunOptions), for kernels with arrays that are in VMEM before the
  /// kernel begins and stay there: `before` moves the inputs to VMEM, `after` moves the outputs to HBM.
  std::vector<hw::isa::DmaDescriptor> before, after;
  /// The computation of the kernel. Its parameters are the inputs; its result is the output, or a tuple of the outputs.
  hlo::Module reference;
  /// The same computation as a program for the compiler: without the roundings that matrix units do by themselves.
  hlo::Module op;
  /// Permitted error of the kernel against `reference`, which accumulates in double precision: relative to the sum of
  /// the magnitudes that are added up, in units of f32 rounding (2^-24). The rounding of inputs to bf16 is not
  /// included, since the reference rounds them too.
  double rounding_steps = 0;
  /// The kernel's tiles, for the tile level.
  hw::TileOp tile_op;
  std::string passes;  ///< description of the kernel's passes over HBM
  /// FLOPs of `op`, counted as in a run (hlo/transform/flops.h).
  double flops() const;
};

/// A size or a choice of a kernel family; becomes a flag of `podsim kernel`.
struct KernelParameter {
  std::string name;  ///< "m", "dtype", "epilogue"
  std::string description;
  std::vector<std::string> choices;  ///< empty if the value is an integer
  std::int64_t least = 0, most = 0;
  std::string preset;  ///< default value, as text
  /// The value is a list of integers with commas between them; a preset that is no number stands for an empty list.
  bool list = false;
};

/// Values of a family's parameters by name; every parameter has one.
struct KernelArguments {
  std::map<std::string, std::string> values;
  std::int64_t number(const std::string& name) const;
  /// Elements of a list.
  std::vector<std::int64_t> numbers(const std::string& name) const;
  const std::string& choice(const std::string& name) const;
};

struct KernelFamily {
  std::string name;  ///< "matmul"
  std::string description;
  std::vector<KernelParameter> parameters;
  /// Builds a kernel. Throws base::InputError for values that do not go together, or sizes that do not fit.
  Kernel (*build)(const TargetMachine& machine, const KernelArguments& arguments);
};

}  // namespace podsim::sw::codegen::families
