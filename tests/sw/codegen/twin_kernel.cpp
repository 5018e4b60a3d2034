// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/codegen/twin_kernel.h"

#include <bit>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "hw/bundle/vector/vector_functions.h"

namespace podsim::sw::codegen {

using hw::bundle::vector::MaskRegister;
using hw::bundle::vector::VectorRegister;
using hw::isa::Opcode;

namespace {

constexpr int vmem_rows = 1024, smem_words = 256;

std::int32_t scalar_result(hw::isa::Opcode opcode, std::int32_t x, std::int32_t y) {
  const auto a = std::uint32_t(x), b = std::uint32_t(y);
  switch (opcode) {
    case hw::isa::Opcode::s_add:
      return std::int32_t(a + b);
    case hw::isa::Opcode::s_sub:
      return std::int32_t(a - b);
    case hw::isa::Opcode::s_mul:
      return std::int32_t(a * b);
    case hw::isa::Opcode::s_and:
      return std::int32_t(a & b);
    case hw::isa::Opcode::s_xor:
      return std::int32_t(a ^ b);
    case hw::isa::Opcode::s_mov:
      return y;
    default:
      throw std::logic_error("no plain meaning");
  }
}

bool compare_result(hw::isa::Opcode opcode, std::int32_t x, std::int32_t y) {
  switch (opcode) {
    case hw::isa::Opcode::s_eq:
      return x == y;
    case hw::isa::Opcode::s_lt:
      return x < y;
    default:
      throw std::logic_error("no plain meaning");
  }
}

bool lane_of(const hw::bundle::vector::MaskRegister& mask, std::size_t word) {
  return mask.bits[word / 64] >> (word % 64) & 1;
}

/// The row of each sublane.
std::array<std::int64_t, 8> rows_of(std::int64_t base, std::int64_t stride) {
  std::array<std::int64_t, 8> rows{};
  for (int s = 0; s < 8; ++s) rows[std::size_t(s)] = base + s * stride;
  return rows;
}
std::array<std::int64_t, 8> rows_of_nibbles(std::int64_t base, std::uint32_t nibbles) {
  std::array<std::int64_t, 8> rows{};
  for (int s = 0; s < 8; ++s) rows[std::size_t(s)] = base + (nibbles >> (4 * s) & 15);
  return rows;
}

hw::bundle::vector::VectorRegister load_rows(const PlainCore& core, const std::array<std::int64_t, 8>& rows,
                                             const hw::bundle::vector::MaskRegister& mask) {
  hw::bundle::vector::VectorRegister value;
  for (std::size_t w = 0; w < value.words.size(); ++w) {
    value.words[w] = lane_of(mask, w) ? core.vmem.at(std::size_t(rows[w / 128]))[w % 128] : 0;
  }
  return value;
}
void store_rows(PlainCore& core, const std::array<std::int64_t, 8>& rows,
                const hw::bundle::vector::VectorRegister& value, const hw::bundle::vector::MaskRegister& mask) {
  for (std::size_t w = 0; w < value.words.size(); ++w) {
    if (lane_of(mask, w)) core.vmem.at(std::size_t(rows[w / 128]))[w % 128] = value.words[w];
  }
}

/// Rounded to nearest even.
float bf16(std::uint32_t word) {
  const auto value = std::bit_cast<float>(word);
  if (std::isnan(value)) return value;
  return std::bit_cast<float>((word + 0x7fff + (word >> 16 & 1)) & 0xffff0000);
}

}  // namespace

PlainCore::PlainCore() : vmem(vmem_rows), smem(smem_words) {}

hw::bundle::vector::VectorRegister PlainCore::of(registers::VectorOperand operand) const {
  if (!operand.literal) return vector.at(operand.value);
  hw::bundle::vector::VectorRegister value;
  hw::bundle::vector::fill(value, std::uint32_t(operand.value));
  return value;
}

const hw::bundle::vector::MaskRegister& PlainCore::of(registers::MaskReg reg) const {
  static const hw::bundle::vector::MaskRegister all = hw::bundle::vector::MaskRegister::all();
  return reg.id == 0 ? all : mask.at(reg.id);
}

void TwinKernel::log(Step step) {
  if (condition_) {
    step = [condition = condition_, step](PlainCore& core) {
      if (condition(core)) step(core);
    };
  }
  open_->push_back(std::move(step));
}

void TwinKernel::perform(const Steps& steps, PlainCore& core) {
  for (const Step& step : steps) {
    step(core);
    ++core.steps;
  }
}
void TwinKernel::run(PlainCore& core) const { perform(steps_, core); }

registers::ScalarReg TwinKernel::op(hw::isa::Opcode opcode, registers::ScalarReg x, registers::ScalarOperand y) {
  const registers::ScalarReg d = builder_.op(opcode, x, y);
  log([=](PlainCore& core) { core.scalar[d.id] = scalar_result(opcode, core.of(x), core.of(y)); });
  return d;
}
void TwinKernel::assign(registers::ScalarReg d, hw::isa::Opcode opcode, registers::ScalarReg x,
                        registers::ScalarOperand y) {
  builder_.assign(d, opcode, x, y);
  log([=](PlainCore& core) { core.scalar[d.id] = scalar_result(opcode, core.of(x), core.of(y)); });
}
registers::PredicateReg TwinKernel::compare(hw::isa::Opcode opcode, registers::ScalarReg x,
                                            registers::ScalarOperand y) {
  const registers::PredicateReg d = builder_.compare(opcode, x, y);
  log([=](PlainCore& core) { core.predicate[d.id] = compare_result(opcode, core.of(x), core.of(y)); });
  return d;
}
registers::ScalarReg TwinKernel::load_smem(registers::ScalarReg base, std::int32_t offset) {
  const registers::ScalarReg d = builder_.load_smem(base, offset);
  log([=](PlainCore& core) { core.scalar[d.id] = core.smem.at(std::size_t(core.of(base) + offset)); });
  return d;
}
void TwinKernel::store_smem(registers::ScalarReg base, std::int32_t offset, registers::ScalarReg value) {
  builder_.store_smem(base, offset, value);
  log([=](PlainCore& core) { core.smem.at(std::size_t(core.of(base) + offset)) = core.of(value); });
}

registers::VectorReg TwinKernel::op(hw::isa::Opcode opcode, registers::VectorReg x, registers::VectorOperand y) {
  const registers::VectorReg d = builder_.op(opcode, x, y);
  log([=](PlainCore& core) {
    hw::bundle::vector::VectorRegister result;
    hw::bundle::vector::vector_operation(opcode, result, core.of(x), core.of(y),
                                         hw::bundle::vector::MaskRegister::all());
    core.vector[d.id] = result;
  });
  return d;
}
void TwinKernel::assign(registers::VectorReg d, hw::isa::Opcode opcode, registers::VectorReg x,
                        registers::VectorOperand y, registers::MaskReg m) {
  builder_.assign(d, opcode, x, y, m);
  log([=](PlainCore& core) {
    hw::bundle::vector::VectorRegister result = core.vector.at(d.id);
    hw::bundle::vector::vector_operation(opcode, result, core.of(x), core.of(y), core.of(m));
    core.vector[d.id] = result;
  });
}
registers::VectorReg TwinKernel::splat(registers::ScalarReg x) {
  const registers::VectorReg d = builder_.splat(x);
  log([=](PlainCore& core) { hw::bundle::vector::fill(core.vector[d.id], std::uint32_t(core.of(x))); });
  return d;
}
registers::MaskReg TwinKernel::compare(hw::isa::Opcode opcode, registers::VectorReg x, registers::VectorOperand y,
                                       registers::MaskReg m) {
  const registers::MaskReg d = builder_.compare(opcode, x, y, m);
  log([=](PlainCore& core) {
    hw::bundle::vector::MaskRegister result;
    hw::bundle::vector::vector_compare(opcode, result, core.of(x), core.of(y), core.of(m));
    core.mask[d.id] = result;
  });
  return d;
}

registers::VectorReg TwinKernel::load(registers::RowAddress address, registers::MaskReg m) {
  const registers::VectorReg d = builder_.load(address, m);
  log([=](PlainCore& core) {
    core.vector[d.id] = load_rows(core, rows_of(core.of(address.base) + address.offset, address.stride), core.of(m));
  });
  return d;
}
registers::VectorReg TwinKernel::load_shuffled(registers::RowAddress address, std::uint32_t nibbles) {
  const registers::VectorReg d = builder_.load_shuffled(address, nibbles);
  log([=](PlainCore& core) {
    const auto rows = rows_of_nibbles(core.of(address.base) + address.offset, nibbles);
    core.vector[d.id] = load_rows(core, rows, hw::bundle::vector::MaskRegister::all());
  });
  return d;
}
void TwinKernel::store(registers::RowAddress address, registers::VectorReg value, registers::MaskReg m) {
  builder_.store(address, value, m);
  log([=](PlainCore& core) {
    store_rows(core, rows_of(core.of(address.base) + address.offset, address.stride), core.of(value), core.of(m));
  });
}
void TwinKernel::store_shuffled(registers::RowAddress address, std::uint32_t nibbles, registers::VectorReg value) {
  builder_.store_shuffled(address, nibbles, value);
  log([=](PlainCore& core) {
    const auto rows = rows_of_nibbles(core.of(address.base) + address.offset, nibbles);
    store_rows(core, rows, core.of(value), hw::bundle::vector::MaskRegister::all());
  });
}

void TwinKernel::push_lhs(int unit, registers::VectorReg x) {
  builder_.push_lhs(unit, x);
  log([=](PlainCore& core) {
    const hw::bundle::vector::VectorRegister lhs = core.of(x);
    hw::bundle::vector::VectorRegister sums;
    for (std::size_t s = 0; s < hw::bundle::vector::sublanes; ++s) {
      std::array<float, hw::bundle::vector::lanes> row{};
      for (std::size_t k = 0; k < hw::bundle::vector::lanes; ++k) {
        const float factor = bf16(lhs.words[s * hw::bundle::vector::lanes + k]);
        for (std::size_t n = 0; n < hw::bundle::vector::lanes; ++n) row[n] += factor * core.matrix[unit].weights[k][n];
      }
      for (std::size_t n = 0; n < hw::bundle::vector::lanes; ++n) {
        sums.words[s * hw::bundle::vector::lanes + n] =
            std::isnan(row[n]) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(row[n]);
      }
    }
    core.results[unit].push_back(sums);
  });
}
void TwinKernel::push_weights(int unit, registers::VectorReg x, bool transposed) {
  transposed ? builder_.push_weights_transposed(unit, x) : builder_.push_weights(unit, x);
  log([=](PlainCore& core) {
    core.matrix[unit].pushed.push_back(core.of(x));
    core.matrix[unit].transposed = transposed;
  });
}
void TwinKernel::latch(int unit) {
  builder_.latch(unit);
  log([=](PlainCore& core) {
    PlainCore::Matrix& matrix = core.matrix[unit];
    if (matrix.pushed.size() != 16) throw std::logic_error("a tile is 16 registers");
    for (std::size_t i = 0; i < 16; ++i) {
      for (std::size_t w = 0; w < hw::bundle::vector::register_words; ++w) {
        const std::size_t sublane = w / hw::bundle::vector::lanes, lane = w % hw::bundle::vector::lanes;
        const float weight = bf16(matrix.pushed[i].words[w]);
        if (matrix.transposed) {
          matrix.weights[lane][8 * i + sublane] = weight;
        } else {
          matrix.weights[8 * (15 - i) + sublane][lane] = weight;
        }
      }
    }
    matrix.pushed.clear();
  });
}
void TwinKernel::push_cross_lane(hw::isa::Opcode opcode, registers::VectorReg x, registers::ScalarOperand amount) {
  builder_.push_cross_lane(opcode, x, amount);
  const bool transpose = opcode == hw::isa::Opcode::x_transpose || opcode == hw::isa::Opcode::x_transpose_end;
  log([=](PlainCore& core) {
    auto& results = core.results[hw::isa::cross_lane_unit];
    if (!transpose) {
      hw::bundle::vector::VectorRegister result;
      hw::bundle::vector::cross_lane_operation(opcode, result, core.of(x), core.of(amount));
      return results.push_back(result);
    }
    core.transposing.push_back(core.of(x));
    if (opcode == hw::isa::Opcode::x_transpose) return;
    core.transposing.resize(16, hw::bundle::vector::VectorRegister{});
    for (int r = 0; r < 16; ++r) {
      hw::bundle::vector::VectorRegister result;
      hw::bundle::vector::transpose(result, std::span<const hw::bundle::vector::VectorRegister, 16>(core.transposing),
                                    r);
      results.push_back(result);
    }
    core.transposing.clear();
  });
}
void TwinKernel::push_transcendental(hw::isa::Opcode opcode, registers::VectorReg x) {
  builder_.push_transcendental(opcode, x);
  log([=](PlainCore& core) {
    hw::bundle::vector::VectorRegister result;
    hw::bundle::vector::transcendental_operation(opcode, result, core.of(x));
    core.results[hw::isa::transcendental_unit].push_back(result);
  });
}
registers::VectorReg TwinKernel::pop(int unit) {
  const registers::VectorReg d = builder_.pop(unit);
  log([=](PlainCore& core) {
    core.vector[d.id] = core.results[unit].front();
    core.results[unit].pop_front();
  });
  return d;
}

void TwinKernel::push_scalar(registers::VectorReg x) {
  builder_.push_scalar(x);
  log([=](PlainCore& core) { core.results[hw::isa::scalar_path].push_back(core.of(x)); });
}
registers::ScalarReg TwinKernel::pop_scalar() {
  const registers::ScalarReg d = builder_.pop_scalar();
  log([=](PlainCore& core) {
    core.scalar[d.id] = std::int32_t(core.results[hw::isa::scalar_path].front().words[0]);
    core.results[hw::isa::scalar_path].pop_front();
  });
  return d;
}

void TwinKernel::loop(registers::ScalarOperand trips, const registers::LoopOptions& options,
                      const std::function<void()>& body) {
  auto steps = std::make_shared<Steps>();
  Steps* outer = open_;
  open_ = steps.get();
  builder_.loop(trips, options, body);
  open_ = outer;
  log([=](PlainCore& core) {
    const std::int32_t count = core.of(trips);
    for (std::int32_t i = 0; i < count; ++i) perform(*steps, core);
  });
}

void TwinKernel::when(registers::PredicateReg predicate, bool negated, const std::function<void()>& body) {
  builder_.when(predicate, negated, [&] {
    condition_ = [=](const PlainCore& core) { return core.of(predicate) != negated; };
    body();
    condition_ = nullptr;
  });
}

hw::isa::Program TwinKernel::finish(int rows, int words) && {
  using hw::isa::DmaRoute;
  const auto send = [&](hw::isa::DmaRoute route, std::uint32_t destination, int count, std::uint32_t flag) {
    hw::isa::DmaDescriptor descriptor;
    descriptor.route = route;
    descriptor.flag = flag;
    descriptor.destination = destination;
    descriptor.words = std::uint32_t(count);
    builder_.dma(builder_.descriptor(descriptor, "result"));
    builder_.sync_wait(std::int32_t(flag), 1);
  };
  send(hw::isa::DmaRoute::vmem_to_hbm, 0, rows * hw::bundle::vector::lanes, 0);
  if (words > 0) send(hw::isa::DmaRoute::smem_to_hbm, std::uint32_t(rows * hw::bundle::vector::lanes), words, 1);
  return std::move(builder_).finish();
}

}  // namespace podsim::sw::codegen
