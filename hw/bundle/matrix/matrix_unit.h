// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "hw/bundle/results/result_unit.h"
#include "hw/core_time.h"
#include "hw/machine.h"
#include "hw/trace.h"

namespace podsim::hw::bundle::matrix {

/// A 128 x 128 weight-stationary array. Two models give the same results, bit for bit, and the same cycles:
/// EventMatrixUnit handles whole registers, RowMatrixUnit every row of the array in every cycle.
///
/// The array. Row k holds the 128 weights w[k][*] that are multiplied by element k of an LHS row. LHS rows, weights and
/// the latch all enter at row 0 and travel down one row per cycle, so they keep their order in every row. An LHS row
/// that enters in cycle c reaches row k in cycle c + k:
///
///   sum[n] after row k = sum[n] after row k - 1 + lhs[k] * w[k][n],   sum[n] before row 0 = +0
///
/// where lhs and w are bf16 (f32 rounded to nearest even on entry). The product is rounded to f32 and then added in
/// f32, both to nearest even; a bf16 product is exact unless it leaves f32's range. NaN results are 0x7fc00000.
///
/// At the array's input are an LHS FIFO and a weight FIFO of `operand_fifo` registers each, at its output a result
/// FIFO. A register pushed in cycle t starts to enter the array in t + 1 at the earliest, and leaves its FIFO in the
/// cycle in which it starts. A push is accepted while its FIFO has room; a register that starts makes room in the same
/// cycle. An LHS register takes 8 cycles to enter, a row in each; a weight register takes W = weight_load / 16 cycles,
/// 8 on TPU v3.
///
///   LHS register:    start = max(push + 1, previous LHS start + 8, last latch, credit)
///   weight register: start = max(push + 1, previous weight start + W, last latch)
///   latch (waits in the LHS FIFO and takes a slot there): cycle = max(push + 1, previous LHS start + 8, weights in)
///     weights in = start of the tile's 16th register + W, and 16 W more for a transposed tile
///   result: can be popped from cycle start + first_result_latency
///   credit: an LHS register starts only if fewer than result_fifo registers are in the array or the result FIFO; a pop
///     in cycle p makes room from p + 1
///
/// "last" and "previous" refer to the order of the pushes. Illegal: a latch after other than 16 weight registers, a
/// 17th weight register, transposed and plain registers in one tile, an LHS push before the first latch.
///
/// Sublane s, lane l of a tile's register j = 0..15 is the weight of row 120 - 8 j + s in column l: the last rows come
/// first, since weights shift down as they enter. In a transposed tile it is the weight of row l in column 8 j + s.
class MatrixUnit : public sc_core::sc_module, public results::ResultUnit {
 public:
  using sc_module::sc_module;
};

enum class MatrixUnitView { event, rows };

/// Makes a matrix unit of the given view. Throws base::InputError unless the machine's array is 128 x 128 and takes 1,
/// 2, 4 or 8 rows of weights per cycle.
std::unique_ptr<MatrixUnit> make_matrix_unit(MatrixUnitView view, sc_core::sc_module_name name, const Machine& machine,
                                             const CoreTime& time, const Trace& trace);

}  // namespace podsim::hw::bundle::matrix
