// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "sw/compiler/fuse/fusion_plan.h"

namespace podsim::sw::driver {

/// What the compiler of a year does in its passes, where measured programs of different years differ. A record has only
/// those differences that a measurement shows; all else is as in the profiles of 2020.
struct CompilerYear {
  int year = 2020;
  compiler::fuse::LoopOutputs loop_outputs = compiler::fuse::LoopOutputs::several;
  /// Upper bound of combined collectives; 0: one for every array; std::nullopt: the machine's key
  /// compiler.combine_all_reduce.
  std::optional<base::Bytes> combine_all_reduce = std::nullopt;

  bool is_default() const { return year == CompilerYear().year; }
};

/// In order of time:
///   - 2018, TensorFlow 1.x. Traces of ParaDnn on TPU v2 count 28 bytes and 9 FLOPs per parameter in loop fusions, 12
///     bytes and 1 FLOP in elementwise ops: an update by RMSProp with momentum takes a pass for each of its three
///     results. Every variable has an all-reduce of its own. Gradients of biases have no op of their own, in no
///     category, and output fusions move the bytes of products alone: reductions share fusions as in 2020.
///   - 2020, the profiles of MLPerf v0.7: loop fusions with several results, gradients in collectives of up to 120 MiB.
std::span<const CompilerYear> compiler_years();
/// "2018", "2020".
std::vector<std::string> compiler_names();

/// The record that a name is of. InputError without a location for another text.
const CompilerYear& compiler_of(std::string_view name);
/// The record of that year or of the next one that has a record, else the last: compilers of 2019 combine gradients.
const CompilerYear& compiler_in(int year);

/// "2018, one elementwise result in a fusion, no combined collectives"
std::string to_string(const CompilerYear& compiler);

}  // namespace podsim::sw::driver
