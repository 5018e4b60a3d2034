// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hw/bundle/result_unit.h"
#include "hw/core_time.h"
#include "hw/machine.h"
#include "hw/trace.h"

namespace podsim::hw {

/// A 128 x 128 weight-stationary array, by two models with the same results bit for bit and the same cycles:
/// EventMatrixUnit handles whole registers, RowMatrixUnit every row of the array in every cycle.
///
/// The array. Row k holds the 128 weights w[k][*] that meet element k of an LHS row. LHS rows, weights and the latch
/// all enter at row 0 and travel down one row per cycle, so what enters in order stays in order in every row. An LHS
/// row that enters in cycle c is met by row k in cycle c + k:
///
///   sum[n] after row k = sum[n] after row k - 1 + lhs[k] * w[k][n],   sum[n] before row 0 = +0
///
/// where lhs and w are bf16 (f32 rounded to nearest even on entry), the product is rounded to f32 and then added in f32
/// (both to nearest even; a bf16 product is exact unless it leaves f32's range). NaN results are 0x7fc00000.
///
/// In front of the array are an LHS FIFO and a weight FIFO of `operand_fifo` registers each, behind it a result FIFO. A
/// register pushed in cycle t starts into the array at the earliest in t + 1 and leaves its FIFO in the cycle in which
/// it starts; a push is accepted while its FIFO has room, in the very cycle in which room comes included. An LHS
/// register enters in 8 cycles, a row in each; a weight register in W = weight_load / 16 cycles: 8 on TPU v3.
///
///   LHS register:  start = max(push + 1, previous LHS start + 8, last latch, credit)
///   weight register: start = max(push + 1, previous weight start + W, last latch)
///   latch (waits in the LHS FIFO and takes a place there): cycle = max(push + 1, previous LHS start + 8, weights in)
///     weights in = start of the tile's 16th register + W, and 16 W more if they are transposed on the way
///   result: can be popped from start + first_result_latency on
///   credit: an LHS register starts only if fewer than result_fifo registers are in the array or wait behind it; a pop
///   in cycle p makes room from p + 1 on
///
/// "last" and "previous" in the order of the pushes. Illegal: a latch after other than 16 weight registers, a 17th
/// weight register, transposed and plain registers in one tile, an LHS push before the first latch.
///
/// Register number j = 0..15 of a tile, sublane s, lane l, is the weight of row 120 - 8 j + s in column l: the last
/// rows come first, as what enters shifts down. Of a transposed tile it is the weight of row l in column 8 j + s.
class MatrixUnit : public sc_core::sc_module, public ResultUnit {
 public:
  using sc_module::sc_module;
};

enum class MatrixUnitView { event, rows };

/// base::InputError unless the machine's array is 128 x 128 and takes 1, 2, 4 or 8 rows of weights per cycle.
std::unique_ptr<MatrixUnit> make_matrix_unit(MatrixUnitView view, sc_core::sc_module_name name, const Machine& machine,
                                             const CoreTime& time, const Trace& trace);

}  // namespace podsim::hw
