// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/matrix_pass.h"

#include <algorithm>
#include <optional>

#include "sw/kernels/odometer.h"
#include "sw/kernels/packed_tile.h"

namespace podsim::sw {

using hw::isa::Opcode;

namespace {

constexpr int weight_registers = 16;
/// A result is popped this many registers behind its push, which is more than are in the array at a time; fewer if
/// there is no room for so many.
constexpr std::int64_t registers_in_flight = 18;
/// More iterations of the pipelined loop than can be under way at a time: its weights, LHS and results are of steps
/// that follow each other.
constexpr std::int64_t steps_in_flight = 6;
/// Groups of the odometer's dimensions.
constexpr int output_group = 0, contraction_group = 1;

class PassWriter {
 public:
  PassWriter(KernelBuilder& builder, const MatrixPass& pass)
      : builder_(builder),
        pass_(pass),
        lhs_base_(copy(pass.lhs.base)),
        weights_base_(copy(pass.weights.base)),
        sums_base_(copy(pass.sums.base)),
        table_(pass.lhs_table ? builder.constant(*pass.lhs_table) : ScalarReg{}),
        steps_(builder, dimensions(), bases()) {}

  void write() {
    for (int j = 0; j < weight_registers; ++j) push_weights(weights_base_, j);
    latch();
    builder_.loop(steps_.trips(), {LoopSchedule::pipelined, independent_buffers()}, [&] { write_step(); });
  }

 private:
  ScalarReg copy(ScalarReg x) { return builder_.op(Opcode::s_add, x, 0); }

  std::vector<OdometerDimension> dimensions() const {
    std::vector<OdometerDimension> dimensions;
    for (const MatrixPassDimension& d : pass_.dimensions) {
      const int group = d.contraction ? contraction_group : output_group;
      dimensions.push_back({d.trips, {d.lhs_step, d.weights_step, d.sums_step}, group});
      if (pass_.lhs_table) dimensions.back().steps.push_back(d.contraction ? 1 : 0);
    }
    return dimensions;
  }
  std::vector<Odometer::Base> bases() const {
    std::vector<Odometer::Base> bases{{lhs_base_}, {weights_base_, true}, {sums_base_}};
    if (pass_.lhs_table) bases.push_back({table_});
    return bases;
  }
  /// Of the step at hand.
  ScalarReg lhs_base() {
    if (!pass_.lhs_table) return copy(lhs_base_);
    return builder_.op(Opcode::s_add, lhs_base_, builder_.load_smem(table_, 0));
  }

  /// Sums that come again only after more steps than are under way need no order between iterations.
  std::vector<int> independent_buffers() const {
    std::int64_t steps_between = 1;
    for (std::size_t d = pass_.dimensions.size(); d-- > 0;) {
      const MatrixPassDimension& dimension = pass_.dimensions[d];
      const bool once = dimension.trips.literal && dimension.trips.value == 1;
      if (dimension.contraction && !once && steps_between < steps_in_flight) return {};
      steps_between *= dimension.trips.literal ? dimension.trips.value : dimension.least_trips;
    }
    return {pass_.sums.buffer};
  }

  /// The sums are loaded in the lanes of this mask; nothing where they are never added to.
  std::optional<MaskReg> sums_mask() {
    const bool steps = steps_.has(contraction_group);
    if (pass_.sums_before.literal && pass_.sums_before.value != 0) return MaskReg{};
    if (pass_.sums_before.literal && !steps) return std::nullopt;
    ScalarReg any = steps ? steps_.begun(contraction_group) : ScalarReg{};
    if (!pass_.sums_before.literal) any = builder_.op(Opcode::s_or, any, pass_.sums_before);
    const MaskReg mask = builder_.mask();
    builder_.assign_splat(mask, any);
    return mask;
  }

  /// LHS registers of a step, the weights of the next one among them, and the results as they come. The bases are
  /// copied, so that stepping them waits for nothing that is read from them.
  void write_step() {
    const ScalarReg lhs = lhs_base(), sums = copy(sums_base_);
    const std::optional<MaskReg> mask = sums_mask();
    steps_.advance();
    const ScalarReg weights = copy(weights_base_);
    const int registers = pass_.registers();
    const int in_flight = int(std::min(registers_in_flight, builder_.machine().mxu.result_fifo - 1));
    for (int j = 0; j < std::max(registers + in_flight, weight_registers); ++j) {
      if (j < registers) push_lhs(lhs, j);
      if (j < weight_registers) push_weights(weights, j);
      if (j == std::max(registers, weight_registers) - 1) latch();
      const int popped = j - in_flight;
      if (popped >= 0 && popped < registers) pop_sums(sums, popped, mask);
    }
  }

  int unit(int row, int column) const { return column * pass_.grid.row_units + row; }

  void push_lhs(ScalarReg base, int j) {
    for (int row = 0; row < pass_.grid.row_units; ++row) {
      const VectorReg x = load(pass_.lhs, base, pass_.lhs_offsets[std::size_t(row * pass_.registers() + j)]);
      for (int column = 0; column < pass_.grid.column_units; ++column) builder_.push_lhs(unit(row, column), x);
    }
  }

  /// The j-th weight register of the tile: the array takes its last rows first, but transposed its first columns.
  void push_weights(ScalarReg base, int j) {
    const int number = pass_.transposed_weights ? j : weight_registers - 1 - j;
    for (int column = 0; column < pass_.grid.column_units; ++column) {
      const VectorReg w =
          load(pass_.weights, base, column * pass_.weights_column_offset + number * pass_.weights_register_offset);
      for (int row = 0; row < pass_.grid.row_units; ++row) {
        pass_.transposed_weights ? builder_.push_weights_transposed(unit(row, column), w)
                                 : builder_.push_weights(unit(row, column), w);
      }
    }
  }

  void latch() {
    for (int unit = 0; unit < pass_.grid.units(); ++unit) builder_.latch(unit);
  }

  void pop_sums(ScalarReg base, int j, std::optional<MaskReg> mask) {
    for (int row = 0; row < pass_.grid.row_units; ++row) {
      for (int column = 0; column < pass_.grid.column_units; ++column) {
        const RowAddress address{
            base, pass_.sums_offsets[std::size_t(row * pass_.registers() + j)] + column * pass_.sums_column_offset,
            pass_.sums.buffer, pass_.sums.stride};
        const VectorReg result = builder_.pop(unit(row, column));
        builder_.store(address, mask ? builder_.op(Opcode::v_add_f32, builder_.load(address, *mask), result) : result);
      }
    }
  }

  VectorReg load(const MatrixOperand& operand, ScalarReg base, std::int32_t offset) {
    return load_tile(builder_, {base, offset, operand.buffer, operand.stride}, operand.packed);
  }

  KernelBuilder& builder_;
  const MatrixPass& pass_;
  ScalarReg lhs_base_, weights_base_, sums_base_, table_;
  Odometer steps_;
};

}  // namespace

void write_matrix_pass(KernelBuilder& builder, const MatrixPass& pass) { PassWriter(builder, pass).write(); }

}  // namespace podsim::sw
