// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/matrix_pass.h"

#include <algorithm>
#include <optional>

#include "sw/codegen/builder/odometer.h"
#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::builder {

using hw::isa::Opcode;

namespace {

/// A result is popped this many registers after its push, which is more than the array holds at a time. If the result
/// FIFO is smaller, it is popped earlier.
constexpr std::int64_t registers_in_flight = 18;
/// Upper bound of the iterations of the pipelined loop in flight at a time. Weights, LHS registers and results in
/// flight belong to consecutive steps.
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
        table_(pass.lhs_table ? builder.constant(*pass.lhs_table) : registers::ScalarReg{}),
        steps_(builder, dimensions(), bases()) {}

  void write() {
    for (int j = 0; j < weight_registers; ++j) push_weights(weights_base_, j);
    latch();
    builder_.loop(steps_.trips(), {registers::LoopSchedule::pipelined, independent_buffers()}, [&] { write_step(); });
  }

 private:
  registers::ScalarReg copy(registers::ScalarReg x) { return builder_.op(hw::isa::Opcode::s_add, x, 0); }

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
  /// Returns the LHS base of the current step.
  registers::ScalarReg lhs_base() {
    if (!pass_.lhs_table) return copy(lhs_base_);
    return builder_.op(hw::isa::Opcode::s_add, lhs_base_, builder_.load_smem(table_, 0));
  }

  /// Returns the sums' buffer if accesses to the same sums are far enough apart that no two of them are in flight at
  /// the same time. Then they need no order between iterations.
  std::vector<int> independent_buffers() const {
    std::int64_t steps_between = 1;
    for (std::size_t d = pass_.dimensions.size(); d-- > 0;) {
      const MatrixPassDimension& dimension = pass_.dimensions[d];
      const bool once = dimension.trips.literal && dimension.trips.value == 1;
      if (dimension.contraction && !once && steps_between < steps_in_flight) return {};
      steps_between *= dimension.trips.literal ? dimension.trips.value : dimension.min_trips;
    }
    return {pass_.sums.buffer};
  }

  /// Returns the mask of lanes in which the sums are loaded, or std::nullopt if they are never added to.
  std::optional<registers::MaskReg> sums_mask() {
    const bool steps = steps_.has(contraction_group);
    if (pass_.sums_before.literal && pass_.sums_before.value != 0) return registers::MaskReg{};
    if (pass_.sums_before.literal && !steps) return std::nullopt;
    registers::ScalarReg any = steps ? steps_.begun(contraction_group) : registers::ScalarReg{};
    if (!pass_.sums_before.literal) any = builder_.op(hw::isa::Opcode::s_or, any, pass_.sums_before);
    const registers::MaskReg mask = builder_.mask();
    builder_.assign_splat(mask, any);
    return mask;
  }

  /// Writes the pushes of a step's LHS registers, interleaved with the weights of the next step and the pops of the
  /// results. The bases are copied, so that stepping them does not wait for reads that use them.
  void write_step() {
    const registers::ScalarReg lhs = lhs_base(), sums = copy(sums_base_);
    const std::optional<registers::MaskReg> mask = sums_mask();
    steps_.advance();
    const registers::ScalarReg weights = copy(weights_base_);
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

  void push_lhs(registers::ScalarReg base, int j) {
    for (int row = 0; row < pass_.grid.row_units; ++row) {
      const registers::VectorReg x = load(pass_.lhs, base, pass_.lhs_offsets[std::size_t(row * pass_.registers() + j)]);
      for (int column = 0; column < pass_.grid.column_units; ++column) builder_.push_lhs(unit(row, column), x);
    }
  }

  /// Pushes the j-th weight register of the tile. The array takes the last rows of a plain tile first, and the first
  /// columns of a transposed tile first.
  void push_weights(registers::ScalarReg base, int j) {
    const int number = pass_.transposed_weights ? j : weight_registers - 1 - j;
    for (int column = 0; column < pass_.grid.column_units; ++column) {
      const registers::VectorReg w =
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

  void pop_sums(registers::ScalarReg base, int j, std::optional<registers::MaskReg> mask) {
    for (int row = 0; row < pass_.grid.row_units; ++row) {
      for (int column = 0; column < pass_.grid.column_units; ++column) {
        const registers::RowAddress address{
            base, pass_.sums_offsets[std::size_t(row * pass_.registers() + j)] + column * pass_.sums_column_offset,
            pass_.sums.buffer, pass_.sums.stride};
        const registers::VectorReg result = builder_.pop(unit(row, column));
        builder_.store(address,
                       mask ? builder_.op(hw::isa::Opcode::v_add_f32, builder_.load(address, *mask), result) : result);
      }
    }
  }

  registers::VectorReg load(const MatrixOperand& operand, registers::ScalarReg base, std::int32_t offset) {
    return load_tile(builder_, {base, offset, operand.buffer, operand.stride}, operand.packed);
  }

  KernelBuilder& builder_;
  const MatrixPass& pass_;
  registers::ScalarReg lhs_base_, weights_base_, sums_base_, table_;
  Odometer steps_;
};

}  // namespace

void write_matrix_pass(KernelBuilder& builder, const MatrixPass& pass) { PassWriter(builder, pass).write(); }

}  // namespace podsim::sw::codegen::builder
