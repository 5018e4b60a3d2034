// SPDX-License-Identifier: Apache-2.0
// Host time of the matrix units of a core at bundle level: simulated cycles per second while both stream tiles of 512
// LHS rows without a bubble, in both views, with data and without; and one product of a register with a tile by every
// vector code that this host can run, of operands whose products are exact and of others.
#include <benchmark/benchmark.h>

#include <bit>
#include <memory>
#include <string>
#include <systemc>

#include "hw/bundle/matrix/matrix_unit.h"
#include "hw/bundle/matrix/systolic_product.h"
#include "workloads/machines/machines.h"

// libsystemc contains a main, which calls sc_main. This program's main comes first in the link, so sc_main is never
// called.
extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

using enum hw::isa::Opcode;

const hw::Machine& machine() {
  static const hw::Machine resolved = hw::read_machine(workloads::machines::machine_config("tpu-v3"));
  return resolved;
}

/// Unordered numbers between -1 and 1.
hw::bundle::vector::VectorRegister operand() {
  hw::bundle::vector::VectorRegister x;
  std::uint32_t state = 1;
  for (std::uint32_t& word : x.words) {
    state = state * 1664525U + 1013904223U;
    word = std::bit_cast<std::uint32_t>(float(std::int32_t(state)) * 0x1p-31F);
  }
  return x;
}

/// Two units and a core that does one thing to one of them per cycle.
class Core {
 public:
  Core(hw::bundle::matrix::MatrixUnitView view, bool data) : data_(data) {
    for (auto& unit : units_) {
      unit = hw::bundle::matrix::make_matrix_unit(view, sc_core::sc_gen_unique_name("mxu"), machine(), time_, {});
    }
    for (int i = 0; i < 16; ++i) push(mxu_weights);
    push(mxu_latch);
    for (int i = 0; i < behind; ++i) push(mxu_lhs);
  }

  /// Streams 64 registers through one tile. Between them the next tile's weights are pushed and results popped.
  void stream_tile() {
    for (int i = 0; i < 64; ++i) {
      push(mxu_lhs);
      pop();
      if (i % 4 == 0) push(mxu_weights);
    }
    push(mxu_latch);
  }
  base::Cycles now() const { return now_; }

 private:
  /// A result is popped this many registers after its push: longer than the results in flight need.
  static constexpr int behind = 20;

  void push(hw::isa::Opcode opcode) {
    const hw::bundle::vector::VectorRegister* x = data_ && opcode != mxu_latch ? &x_ : nullptr;
    for (const auto& unit : units_) {
      now_ = unit->ready_to_push(opcode, now_).cycle;
      unit->push(opcode, now_, x, 0, nullptr);
      now_ += base::Cycles(1);
    }
  }
  void pop() {
    for (const auto& unit : units_) {
      now_ = unit->ready_to_pop(now_).cycle;
      unit->pop(now_, data_ ? &result_ : nullptr);
      now_ += base::Cycles(1);
    }
  }

  hw::CoreTime time_{machine().clock};
  std::unique_ptr<hw::bundle::matrix::MatrixUnit> units_[2];
  bool data_;
  hw::bundle::vector::VectorRegister x_ = operand(), result_;
  base::Cycles now_;
};

void stream(benchmark::State& state, hw::bundle::matrix::MatrixUnitView view, bool data) {
  Core core(view, data);
  const base::Cycles begin = core.now();
  for (auto _ : state) core.stream_tile();
  state.counters["cycles"] = benchmark::Counter(double((core.now() - begin).value()), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(stream, event_timing, hw::bundle::matrix::MatrixUnitView::event, false);
BENCHMARK_CAPTURE(stream, event_functional, hw::bundle::matrix::MatrixUnitView::event, true);
BENCHMARK_CAPTURE(stream, rows_timing, hw::bundle::matrix::MatrixUnitView::rows, false);
BENCHMARK_CAPTURE(stream, rows_functional, hw::bundle::matrix::MatrixUnitView::rows, true);

void product(benchmark::State& state, const hw::bundle::matrix::ProductCode& code,
             hw::bundle::matrix::ExponentRange weights) {
  const hw::bundle::vector::VectorRegister x = operand();
  auto lhs = std::make_unique<hw::bundle::matrix::OperandRegister>();
  auto tile = std::make_unique<hw::bundle::matrix::WeightTile>();
  code.round(x, *lhs);
  for (int i = 0; i < 16; ++i) tile->put_rows(i, *lhs);
  tile->exponents.include(weights);
  hw::bundle::vector::VectorRegister result;
  for (auto _ : state) code.multiply(*lhs, *tile, result);
  benchmark::DoNotOptimize(result);
}

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) {
  using podsim::hw::bundle::matrix::ExponentRange;
  for (const podsim::hw::bundle::matrix::ProductCode& code : podsim::hw::bundle::matrix::product_codes()) {
    const std::string name = std::string("product/") + code.name;
    benchmark::RegisterBenchmark((name + "/exact").c_str(), podsim::product, code,
                                 podsim::hw::bundle::matrix::ExponentRange{});
    benchmark::RegisterBenchmark((name + "/rounded").c_str(), podsim::product, code,
                                 podsim::hw::bundle::matrix::ExponentRange{1, 254});
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
