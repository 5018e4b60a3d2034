// SPDX-License-Identifier: Apache-2.0
#include "tests/sw/kernels/twin_kernel.h"

#include <bit>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "hw/bundle/vector_functions.h"

namespace podsim::sw {

using hw::MaskRegister;
using hw::VectorRegister;
using hw::isa::Opcode;

namespace {

constexpr int vmem_rows = 1024, smem_words = 256;

std::int32_t scalar_result(Opcode opcode, std::int32_t x, std::int32_t y) {
  const auto a = std::uint32_t(x), b = std::uint32_t(y);
  switch (opcode) {
    case Opcode::s_add:
      return std::int32_t(a + b);
    case Opcode::s_sub:
      return std::int32_t(a - b);
    case Opcode::s_mul:
      return std::int32_t(a * b);
    case Opcode::s_and:
      return std::int32_t(a & b);
    case Opcode::s_xor:
      return std::int32_t(a ^ b);
    case Opcode::s_mov:
      return y;
    default:
      throw std::logic_error("no plain meaning");
  }
}

bool compare_result(Opcode opcode, std::int32_t x, std::int32_t y) {
  switch (opcode) {
    case Opcode::s_eq:
      return x == y;
    case Opcode::s_lt:
      return x < y;
    default:
      throw std::logic_error("no plain meaning");
  }
}

bool lane_of(const MaskRegister& mask, std::size_t word) { return mask.bits[word / 64] >> (word % 64) & 1; }

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

VectorRegister load_rows(const PlainCore& core, const std::array<std::int64_t, 8>& rows, const MaskRegister& mask) {
  VectorRegister value;
  for (std::size_t w = 0; w < value.words.size(); ++w) {
    value.words[w] = lane_of(mask, w) ? core.vmem.at(std::size_t(rows[w / 128]))[w % 128] : 0;
  }
  return value;
}
void store_rows(PlainCore& core, const std::array<std::int64_t, 8>& rows, const VectorRegister& value,
                const MaskRegister& mask) {
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

VectorRegister PlainCore::of(VectorOperand operand) const {
  if (!operand.literal) return vector.at(operand.value);
  VectorRegister value;
  hw::fill(value, std::uint32_t(operand.value));
  return value;
}

const MaskRegister& PlainCore::of(MaskReg reg) const {
  static const MaskRegister all = MaskRegister::all();
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

ScalarReg TwinKernel::op(Opcode opcode, ScalarReg x, ScalarOperand y) {
  const ScalarReg d = builder_.op(opcode, x, y);
  log([=](PlainCore& core) { core.scalar[d.id] = scalar_result(opcode, core.of(x), core.of(y)); });
  return d;
}
void TwinKernel::assign(ScalarReg d, Opcode opcode, ScalarReg x, ScalarOperand y) {
  builder_.assign(d, opcode, x, y);
  log([=](PlainCore& core) { core.scalar[d.id] = scalar_result(opcode, core.of(x), core.of(y)); });
}
PredicateReg TwinKernel::compare(Opcode opcode, ScalarReg x, ScalarOperand y) {
  const PredicateReg d = builder_.compare(opcode, x, y);
  log([=](PlainCore& core) { core.predicate[d.id] = compare_result(opcode, core.of(x), core.of(y)); });
  return d;
}
ScalarReg TwinKernel::load_smem(ScalarReg base, std::int32_t offset) {
  const ScalarReg d = builder_.load_smem(base, offset);
  log([=](PlainCore& core) { core.scalar[d.id] = core.smem.at(std::size_t(core.of(base) + offset)); });
  return d;
}
void TwinKernel::store_smem(ScalarReg base, std::int32_t offset, ScalarReg value) {
  builder_.store_smem(base, offset, value);
  log([=](PlainCore& core) { core.smem.at(std::size_t(core.of(base) + offset)) = core.of(value); });
}

VectorReg TwinKernel::op(Opcode opcode, VectorReg x, VectorOperand y) {
  const VectorReg d = builder_.op(opcode, x, y);
  log([=](PlainCore& core) {
    VectorRegister result;
    hw::vector_operation(opcode, result, core.of(x), core.of(y), MaskRegister::all());
    core.vector[d.id] = result;
  });
  return d;
}
void TwinKernel::assign(VectorReg d, Opcode opcode, VectorReg x, VectorOperand y, MaskReg m) {
  builder_.assign(d, opcode, x, y, m);
  log([=](PlainCore& core) {
    VectorRegister result = core.vector.at(d.id);
    hw::vector_operation(opcode, result, core.of(x), core.of(y), core.of(m));
    core.vector[d.id] = result;
  });
}
VectorReg TwinKernel::splat(ScalarReg x) {
  const VectorReg d = builder_.splat(x);
  log([=](PlainCore& core) { hw::fill(core.vector[d.id], std::uint32_t(core.of(x))); });
  return d;
}
MaskReg TwinKernel::compare(Opcode opcode, VectorReg x, VectorOperand y, MaskReg m) {
  const MaskReg d = builder_.compare(opcode, x, y, m);
  log([=](PlainCore& core) {
    MaskRegister result;
    hw::vector_compare(opcode, result, core.of(x), core.of(y), core.of(m));
    core.mask[d.id] = result;
  });
  return d;
}

VectorReg TwinKernel::load(RowAddress address, MaskReg m) {
  const VectorReg d = builder_.load(address, m);
  log([=](PlainCore& core) {
    core.vector[d.id] = load_rows(core, rows_of(core.of(address.base) + address.offset, address.stride), core.of(m));
  });
  return d;
}
VectorReg TwinKernel::load_shuffled(RowAddress address, std::uint32_t nibbles) {
  const VectorReg d = builder_.load_shuffled(address, nibbles);
  log([=](PlainCore& core) {
    const auto rows = rows_of_nibbles(core.of(address.base) + address.offset, nibbles);
    core.vector[d.id] = load_rows(core, rows, MaskRegister::all());
  });
  return d;
}
void TwinKernel::store(RowAddress address, VectorReg value, MaskReg m) {
  builder_.store(address, value, m);
  log([=](PlainCore& core) {
    store_rows(core, rows_of(core.of(address.base) + address.offset, address.stride), core.of(value), core.of(m));
  });
}
void TwinKernel::store_shuffled(RowAddress address, std::uint32_t nibbles, VectorReg value) {
  builder_.store_shuffled(address, nibbles, value);
  log([=](PlainCore& core) {
    const auto rows = rows_of_nibbles(core.of(address.base) + address.offset, nibbles);
    store_rows(core, rows, core.of(value), MaskRegister::all());
  });
}

void TwinKernel::push_lhs(int unit, VectorReg x) {
  builder_.push_lhs(unit, x);
  log([=](PlainCore& core) {
    const VectorRegister lhs = core.of(x);
    VectorRegister sums;
    for (std::size_t s = 0; s < hw::sublanes; ++s) {
      std::array<float, hw::lanes> row{};
      for (std::size_t k = 0; k < hw::lanes; ++k) {
        const float factor = bf16(lhs.words[s * hw::lanes + k]);
        for (std::size_t n = 0; n < hw::lanes; ++n) row[n] += factor * core.matrix[unit].weights[k][n];
      }
      for (std::size_t n = 0; n < hw::lanes; ++n) {
        sums.words[s * hw::lanes + n] = std::isnan(row[n]) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(row[n]);
      }
    }
    core.results[unit].push_back(sums);
  });
}
void TwinKernel::push_weights(int unit, VectorReg x, bool transposed) {
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
      for (std::size_t w = 0; w < hw::register_words; ++w) {
        const std::size_t sublane = w / hw::lanes, lane = w % hw::lanes;
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
void TwinKernel::push_cross_lane(Opcode opcode, VectorReg x, ScalarOperand amount) {
  builder_.push_cross_lane(opcode, x, amount);
  const bool transpose = opcode == Opcode::x_transpose || opcode == Opcode::x_transpose_end;
  log([=](PlainCore& core) {
    auto& results = core.results[hw::isa::cross_lane_unit];
    if (!transpose) {
      VectorRegister result;
      hw::cross_lane_operation(opcode, result, core.of(x), core.of(amount));
      return results.push_back(result);
    }
    core.transposing.push_back(core.of(x));
    if (opcode == Opcode::x_transpose) return;
    core.transposing.resize(16, VectorRegister{});
    for (int r = 0; r < 16; ++r) {
      VectorRegister result;
      hw::transpose(result, std::span<const VectorRegister, 16>(core.transposing), r);
      results.push_back(result);
    }
    core.transposing.clear();
  });
}
void TwinKernel::push_transcendental(Opcode opcode, VectorReg x) {
  builder_.push_transcendental(opcode, x);
  log([=](PlainCore& core) {
    VectorRegister result;
    hw::transcendental_operation(opcode, result, core.of(x));
    core.results[hw::isa::transcendental_unit].push_back(result);
  });
}
VectorReg TwinKernel::pop(int unit) {
  const VectorReg d = builder_.pop(unit);
  log([=](PlainCore& core) {
    core.vector[d.id] = core.results[unit].front();
    core.results[unit].pop_front();
  });
  return d;
}

void TwinKernel::loop(ScalarOperand trips, const LoopOptions& options, const std::function<void()>& body) {
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

void TwinKernel::when(PredicateReg predicate, bool negated, const std::function<void()>& body) {
  builder_.when(predicate, negated, [&] {
    condition_ = [=](const PlainCore& core) { return core.of(predicate) != negated; };
    body();
    condition_ = nullptr;
  });
}

hw::isa::Program TwinKernel::finish(int rows, int words) && {
  using hw::isa::DmaRoute;
  const auto send = [&](DmaRoute route, std::uint32_t destination, int count, std::uint32_t flag) {
    hw::isa::DmaDescriptor descriptor;
    descriptor.route = route;
    descriptor.flag = flag;
    descriptor.destination = destination;
    descriptor.words = std::uint32_t(count);
    builder_.dma(builder_.descriptor(descriptor, "result"));
    builder_.sync_wait(std::int32_t(flag), 1);
  };
  send(DmaRoute::vmem_to_hbm, 0, rows * hw::lanes, 0);
  if (words > 0) send(DmaRoute::smem_to_hbm, std::uint32_t(rows * hw::lanes), words, 1);
  return std::move(builder_).finish();
}

}  // namespace podsim::sw
