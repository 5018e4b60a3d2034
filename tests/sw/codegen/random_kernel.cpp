// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/codegen/random_kernel.h"

namespace podsim::sw::codegen {

using hw::isa::cross_lane_unit;
using hw::isa::Opcode;
using hw::isa::scalar_path;
using hw::isa::transcendental_unit;

namespace {
/// Rows of one of the two buffers.
constexpr int buffer_rows = RandomKernel::rows / 2;
constexpr int max_waiting[] = {32, 32, 0, 0, 32, 8, 16};
/// Distances by which a loop may move a base.
constexpr int max_trips_of_all = 200, max_step = 2;

enum Kind { scalar, vector, memory, fifo, matrix };
}  // namespace

RandomKernel::RandomKernel(const hw::Machine& machine, std::uint32_t seed)
    : random_(seed), twin_(machine), waiting_(hw::isa::result_units), latched_(2) {
  twin_.builder().smem_words(words);
  for (int i = 0; i < 4; ++i) scalars_.push_back(twin_.op(hw::isa::Opcode::s_mov, registers::ScalarReg{}, below(1000)));
  for (int i = 0; i < 3; ++i) bases_.push_back(twin_.op(hw::isa::Opcode::s_mov, registers::ScalarReg{}, below(16)));
  for (int i = 0; i < 6; ++i) {
    const registers::VectorReg x = twin_.splat(any(scalars_));
    vectors_.push_back(
        twin_.op(hw::isa::Opcode::v_add_s32, x, registers::VectorOperand(twin_.op(hw::isa::Opcode::v_lane, x, x))));
  }
  masks_.push_back(twin_.compare(hw::isa::Opcode::v_lt_s32, vectors_[0], registers::VectorOperand(vectors_[1])));
  predicates_.push_back(twin_.compare(hw::isa::Opcode::s_lt, scalars_[0], registers::ScalarOperand(scalars_[1])));
  for (int kind = scalar; kind <= fifo; ++kind) kinds_.insert(kinds_.end(), std::size_t(1 + below(3)), kind);
  if (one_in(3)) kinds_.push_back(matrix);
  if (one_in(4)) kinds_.insert(kinds_.end(), 10, fifo);
}

/// New values replace old ones when there are enough, so that registers suffice.
template <class Reg>
void RandomKernel::keep(std::vector<Reg>& registers, Reg reg, std::size_t most) {
  if (registers.size() < most) {
    registers.push_back(reg);
  } else {
    registers[std::size_t(below(int(most)))] = reg;
  }
}

void RandomKernel::write_code(int operations) {
  for (int i = 0; i < operations; ++i) {
    if (!one_in(8)) {
      write_operation();
    } else {
      twin_.when(any(predicates_), one_in(2), [&] { write_scalar(); });
    }
  }
}

void RandomKernel::write_operation() {
  switch (any(kinds_)) {
    case scalar:
      return write_scalar();
    case vector:
      return write_vector();
    case memory:
      return write_memory();
    case fifo:
      return write_fifo();
    default:
      return write_matrix();
  }
}

void RandomKernel::write_scalar() {
  constexpr hw::isa::Opcode opcodes[] = {hw::isa::Opcode::s_add, hw::isa::Opcode::s_sub, hw::isa::Opcode::s_mul,
                                         hw::isa::Opcode::s_xor, hw::isa::Opcode::s_and};
  const registers::ScalarReg x = any(scalars_);
  const registers::ScalarOperand y =
      one_in(2) ? registers::ScalarOperand(any(scalars_)) : registers::ScalarOperand(below(100'000));
  // Registers that are written under a condition only must have a value before.
  twin_.assign(any(scalars_), opcodes[below(5)], x, y);
}

void RandomKernel::write_vector() {
  constexpr hw::isa::Opcode opcodes[] = {hw::isa::Opcode::v_add_s32, hw::isa::Opcode::v_xor, hw::isa::Opcode::v_mul_s32,
                                         hw::isa::Opcode::v_max_s32, hw::isa::Opcode::v_sub_s32};
  const registers::VectorReg x = any(vectors_);
  const registers::VectorOperand y =
      one_in(3) ? registers::VectorOperand::bits(below(100'000)) : registers::VectorOperand(any(vectors_));
  const hw::isa::Opcode opcode = opcodes[below(5)];
  switch (below(8)) {
    case 0:
      return keep(vectors_, twin_.splat(any(scalars_)), 7);
    case 1:
      return keep(masks_,
                  twin_.compare(hw::isa::Opcode::v_lt_s32, x, y, one_in(2) ? any(masks_) : registers::MaskReg{}), 2);
    case 2:
      return keep(predicates_,
                  twin_.compare(one_in(2) ? hw::isa::Opcode::s_lt : hw::isa::Opcode::s_eq, any(scalars_), below(1000)),
                  2);
    case 3:
      return twin_.assign(any(vectors_), one_in(4) ? hw::isa::Opcode::v_select : opcode, x, y, any(masks_));
    case 4:
      return twin_.assign(any(vectors_), opcode, x, y);
    default:
      return keep(vectors_, twin_.op(opcode, x, y), 7);
  }
}

registers::RowAddress RandomKernel::address(int span) {
  const int buffer = below(2);
  const int stride = below(4);
  const int max_base = 15 + max_trips_of_all * max_step;
  const int offset = buffer * buffer_rows + below(buffer_rows - max_base - span * stride);
  return {one_in(4) ? registers::ScalarReg{} : any(bases_), offset, buffer, stride};
}

void RandomKernel::write_memory() {
  switch (below(8)) {
    case 0: {
      registers::RowAddress at = address(0);
      at.offset = at.buffer * buffer_rows + below(8);
      return keep(vectors_, twin_.load_shuffled(at, std::uint32_t(random_())), 7);
    }
    case 1: {
      registers::RowAddress at = address(0);
      at.offset = at.buffer * buffer_rows + below(8);
      return twin_.store_shuffled(at, std::uint32_t(random_()), any(vectors_));
    }
    case 2:
      return twin_.store_smem({}, below(words), any(scalars_));
    case 3:
      return keep(scalars_, twin_.load_smem({}, below(words)), 6);
    case 4:
    case 5:
      return keep(vectors_, twin_.load(address(7), one_in(3) ? any(masks_) : registers::MaskReg{}), 7);
    default:
      return twin_.store(address(7), any(vectors_), one_in(3) ? any(masks_) : registers::MaskReg{});
  }
}

void RandomKernel::pop(int unit) {
  --waiting_[std::size_t(unit)];
  if (unit == hw::isa::scalar_path) return keep(scalars_, twin_.pop_scalar(), 6);
  keep(vectors_, twin_.pop(unit), 7);
}

void RandomKernel::write_fifo() {
  const int unit = hw::isa::cross_lane_unit + below(3);
  int& waiting = waiting_[std::size_t(unit)];
  if (waiting > 0 && (one_in(2) || waiting >= max_waiting[unit])) return pop(unit);
  ++waiting;
  if (unit == hw::isa::scalar_path) return twin_.push_scalar(any(vectors_));
  if (unit == hw::isa::transcendental_unit) return twin_.push_transcendental(hw::isa::Opcode::e_recip, any(vectors_));
  if (one_in(20) && waiting + 15 <= max_waiting[unit]) {
    waiting += 15;
    for (int i = below(3); i > 0; --i) twin_.push_cross_lane(hw::isa::Opcode::x_transpose, any(vectors_));
    return twin_.push_cross_lane(hw::isa::Opcode::x_transpose_end, any(vectors_));
  }
  const registers::ScalarOperand amount =
      one_in(2) ? registers::ScalarOperand(any(scalars_)) : registers::ScalarOperand(below(8));
  twin_.push_cross_lane(one_in(2) ? hw::isa::Opcode::x_rotate_sublanes : hw::isa::Opcode::x_rotate_lanes, any(vectors_),
                        amount);
}

void RandomKernel::write_matrix() {
  const int unit = below(2);
  int& waiting = waiting_[std::size_t(unit)];
  if (!latched_[std::size_t(unit)] || one_in(15)) {
    const bool transposed = one_in(2);
    for (int i = 0; i < 16; ++i) twin_.push_weights(unit, any(vectors_), transposed);
    twin_.latch(unit);
    latched_[std::size_t(unit)] = true;
  } else if (waiting > 0 && (one_in(2) || waiting >= max_waiting[unit])) {
    pop(unit);
  } else {
    ++waiting;
    twin_.push_lhs(unit, any(vectors_));
  }
}

/// Back to as many results as there were.
void RandomKernel::settle_fifos(const std::vector<int>& waiting) {
  for (int unit = 0; unit < hw::isa::result_units; ++unit) {
    int& now = waiting_[std::size_t(unit)];
    while (now > waiting[std::size_t(unit)]) pop(unit);
    for (; now < waiting[std::size_t(unit)]; ++now) {
      if (unit == hw::isa::scalar_path) {
        twin_.push_scalar(any(vectors_));
      } else if (unit == hw::isa::transcendental_unit) {
        twin_.push_transcendental(hw::isa::Opcode::e_recip, any(vectors_));
      } else if (unit == hw::isa::cross_lane_unit) {
        twin_.push_cross_lane(hw::isa::Opcode::x_rotate_lanes, any(vectors_), 1);
      } else {
        twin_.push_lhs(unit, any(vectors_));
      }
    }
  }
}

void RandomKernel::write_loop(int operations, registers::LoopSchedule schedule, int max_trips) {
  const registers::ScalarOperand count = random_trips(max_trips);
  const std::vector<int> waiting = waiting_;
  twin_.loop(count, {schedule, {}}, [&] {
    const registers::ScalarReg moving = any(bases_);
    write_code(operations);
    settle_fifos(waiting);
    if (one_in(2)) twin_.assign(moving, hw::isa::Opcode::s_add, moving, 1 + below(max_step));
  });
  for (registers::ScalarReg base : bases_) twin_.assign(base, hw::isa::Opcode::s_and, base, 15);
}

registers::ScalarOperand RandomKernel::random_trips(int most) {
  const int trips = 1 + below(most);
  if (!one_in(3)) return trips;
  const registers::ScalarReg reg = twin_.op(hw::isa::Opcode::s_mov, registers::ScalarReg{}, 0);
  twin_.assign(reg, hw::isa::Opcode::s_add, reg, trips);  // written twice: not known ahead
  return reg;
}

registers::VectorReg RandomKernel::transform(registers::VectorReg x) {
  switch (below(6)) {
    case 5:
      twin_.push_scalar(x);
      return twin_.op(hw::isa::Opcode::v_add_s32, x, registers::VectorOperand(twin_.splat(twin_.pop_scalar())));
    case 0:
      twin_.push_cross_lane(hw::isa::Opcode::x_rotate_lanes, x, below(128));
      return twin_.pop(hw::isa::cross_lane_unit);
    case 1:
      twin_.push_transcendental(hw::isa::Opcode::e_recip, x);
      return twin_.pop(hw::isa::transcendental_unit);
    case 2:
      return twin_.op(hw::isa::Opcode::v_mul_s32, x, registers::VectorOperand::bits(below(100'000)));
    case 3:
      return twin_.op(hw::isa::Opcode::v_add_s32, x, registers::VectorOperand(x));
    default:
      return twin_.op(hw::isa::Opcode::v_xor, x, registers::VectorOperand(any(vectors_)));
  }
}

void RandomKernel::write_stream(int max_trips) {
  const registers::ScalarReg from = twin_.op(hw::isa::Opcode::s_add, any(bases_), 0),
                             to = twin_.op(hw::isa::Opcode::s_add, any(bases_), buffer_rows);
  const registers::ScalarReg number = twin_.op(hw::isa::Opcode::s_mov, registers::ScalarReg{}, 0);
  const registers::VectorReg sum = twin_.splat(any(scalars_));
  const int chains = 1 + below(4), step = 1 + below(max_step), first = below(3);
  twin_.loop(random_trips(max_trips), {registers::LoopSchedule::pipelined, {}}, [&] {
    for (int i = 0; i < chains; ++i) {
      registers::VectorReg x = twin_.load({from, first + i, 0, 1 + below(2)});
      for (int length = below(4); length > 0; --length) x = transform(x);
      if (one_in(3)) twin_.assign(sum, hw::isa::Opcode::v_add_s32, sum, registers::VectorOperand(x));
      if (one_in(4)) x = twin_.op(hw::isa::Opcode::v_add_s32, x, registers::VectorOperand(twin_.splat(number)));
      twin_.store({to, 2 * first + i, 1, 1}, x);
      if (one_in(6)) twin_.store_smem(registers::ScalarReg{}, below(words), number);
    }
    if (one_in(2)) twin_.assign(number, hw::isa::Opcode::s_sub, number, 3);
    twin_.assign(from, hw::isa::Opcode::s_add, from, step);
    twin_.assign(to, hw::isa::Opcode::s_add, to, max_step);
  });
  keep(vectors_, sum, 7);
  twin_.store_smem(registers::ScalarReg{}, 0, to);
  scalars_[0] = from;
}

void RandomKernel::write_nest(int operations, int depth) {
  for (int parts = 1 + below(3); parts > 0; --parts) {
    write_code(below(operations));
    if (depth == 0 || one_in(2)) {
      write_loop(operations, one_in(2) ? registers::LoopSchedule::plain : registers::LoopSchedule::pipelined);
    } else {
      const std::vector<int> waiting = waiting_;
      twin_.loop(1 + below(3), {}, [&] {
        write_nest(operations, depth - 1);
        settle_fifos(waiting);
      });
    }
  }
}

hw::isa::Program RandomKernel::finish() && {
  settle_fifos(std::vector<int>(hw::isa::result_units));
  for (std::size_t i = 0; i < vectors_.size(); ++i) {
    twin_.store({{}, int(i % 16) * 8, int(i % 16) * 8 / buffer_rows, 1}, vectors_[i]);
  }
  for (std::size_t i = 0; i < scalars_.size(); ++i) twin_.store_smem({}, int(i) % words, scalars_[i]);
  return std::move(twin_).finish(rows, words);
}

}  // namespace podsim::sw::codegen
