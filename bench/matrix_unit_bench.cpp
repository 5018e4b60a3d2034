// SPDX-License-Identifier: Apache-2.0
// Host time of the matrix units of a core at bundle level: simulated cycles per second while both stream tiles of 512
// LHS rows without a bubble, in both views, with data and without; and one product of a register with a tile by every
// vector code that this host can run, of operands whose products are exact and of others.
#include <benchmark/benchmark.h>

#include <bit>
#include <memory>
#include <string>
#include <systemc>

#include "hw/bundle/matrix_unit.h"
#include "hw/bundle/systolic_product.h"
#include "workloads/machines.h"

// libsystemc brings its own main, which calls sc_main; this program's main comes first and sc_main is never called.
extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

using enum hw::isa::Opcode;

const hw::Machine& machine() {
  static const hw::Machine resolved = hw::read_machine(workloads::machine_config("tpu-v3"));
  return resolved;
}

/// Numbers between -1 and 1 in no order.
hw::VectorRegister operand() {
  hw::VectorRegister x;
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
  Core(hw::MatrixUnitView view, bool data) : data_(data) {
    for (auto& unit : units_) {
      unit = hw::make_matrix_unit(view, sc_core::sc_gen_unique_name("mxu"), machine(), time_, {});
    }
    for (int i = 0; i < 16; ++i) push(mxu_weights);
    push(mxu_latch);
    for (int i = 0; i < behind; ++i) push(mxu_lhs);
  }

  /// 64 registers with one tile; the next tile's weights and the results go by among them.
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
  /// Results are popped that many registers after they were asked for: all that are on their way, and some.
  static constexpr int behind = 20;

  void push(hw::isa::Opcode opcode) {
    const hw::VectorRegister* x = data_ && opcode != mxu_latch ? &x_ : nullptr;
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
  std::unique_ptr<hw::MatrixUnit> units_[2];
  bool data_;
  hw::VectorRegister x_ = operand(), result_;
  base::Cycles now_;
};

void stream(benchmark::State& state, hw::MatrixUnitView view, bool data) {
  Core core(view, data);
  const base::Cycles begin = core.now();
  for (auto _ : state) core.stream_tile();
  state.counters["cycles"] = benchmark::Counter(double((core.now() - begin).value()), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(stream, event_timing, hw::MatrixUnitView::event, false);
BENCHMARK_CAPTURE(stream, event_functional, hw::MatrixUnitView::event, true);
BENCHMARK_CAPTURE(stream, rows_timing, hw::MatrixUnitView::rows, false);
BENCHMARK_CAPTURE(stream, rows_functional, hw::MatrixUnitView::rows, true);

void product(benchmark::State& state, const hw::ProductCode& code, hw::ExponentRange weights) {
  const hw::VectorRegister x = operand();
  auto lhs = std::make_unique<hw::OperandRegister>();
  auto tile = std::make_unique<hw::WeightTile>();
  code.round(x, *lhs);
  for (int i = 0; i < 16; ++i) tile->put_rows(i, *lhs);
  tile->exponents.include(weights);
  hw::VectorRegister result;
  for (auto _ : state) code.multiply(*lhs, *tile, result);
  benchmark::DoNotOptimize(result);
}

}  // namespace
}  // namespace podsim

int main(int argc, char** argv) {
  using podsim::hw::ExponentRange;
  for (const podsim::hw::ProductCode& code : podsim::hw::product_codes()) {
    const std::string name = std::string("product/") + code.name;
    benchmark::RegisterBenchmark((name + "/exact").c_str(), podsim::product, code, ExponentRange{});
    benchmark::RegisterBenchmark((name + "/rounded").c_str(), podsim::product, code, ExponentRange{1, 254});
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
