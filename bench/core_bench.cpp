// SPDX-License-Identifier: Apache-2.0
// Host time of a simulated core: ops and tiles per second at tile detail, at replay detail, and through the recurrence
// that the tile compiler's search calls.
#include <benchmark/benchmark.h>

#include <systemc>

#include "hw/chip/replay_chip.h"
#include "hw/chip/tile_chip.h"
#include "hw/timing/tile_pipeline.h"
#include "sw/target_machine.h"
#include "workloads/machines/machines.h"

// libsystemc contains a main, which calls sc_main. This program's main comes first in the link, so sc_main is never
// called.
extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

constexpr std::int64_t tiles_per_op = 64;

const sw::TargetMachine& machine() {
  static const sw::TargetMachine resolved = sw::read_target(workloads::machines::machine_config("tpu-v3"));
  return resolved;
}

/// A matmul fusion: 1 MiB in, a matmul phase and a vector phase, 512 KiB out per tile.
const hw::TileOp& op() {
  static const hw::TileOp matmul{
      "matmul fusion",
      {{tiles_per_op,
        {{{base::Bytes(1 << 19)}, {base::Bytes(1 << 19)}},
         {hw::TilePhase(hw::MxuWork{8, 512}), hw::TilePhase(hw::VectorWork{512, 512, 2048, 0})},
         {{base::Bytes(1 << 19)}}}}},
      base::Bytes(8 << 20)};
  return matmul;
}

/// Gives every core one command per round, then stops the simulation until the next round.
class Rounds : public hw::core::CoreRuntime {
 public:
  explicit Rounds(hw::Command command) : command_(std::move(command)) {}
  std::optional<hw::Command> next_command(hw::core::Core&) override {
    pause_next_ = !pause_next_;
    return pause_next_ ? hw::Command(hw::External{}) : command_;
  }
  void completed(hw::core::Core&, const hw::CommandRecord&) override {}
  void start_external(hw::core::Core& core, const hw::External&) override {
    paused_ = &core;
    sc_core::sc_pause();
  }
  void failed(hw::core::Core&, const std::string&) override { sc_core::sc_stop(); }
  void run_round() {
    if (paused_ != nullptr) paused_->complete_external();
    sc_core::sc_start();
  }

 private:
  hw::Command command_;
  bool pause_next_ = false;
  hw::core::Core* paused_ = nullptr;
};

sw::TargetMachine one_core() {
  sw::TargetMachine result = machine();
  result.cores_per_chip = 1;
  return result;
}

/// Modules exist before the first simulation starts, so both chips are made together.
struct World {
  World() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
  sw::TargetMachine single = one_core();
  Rounds tile_rounds{hw::RunOp{&op()}};
  Rounds replay_rounds{hw::RunFor{&op(), hw::timing::simulate_op(machine(), op())}};
  hw::chip::TileChip tile{"tile", single, 0, tile_rounds};
  hw::chip::ReplayChip replay{"replay", single, 1, replay_rounds};
};

World& world() {
  static World instance;
  return instance;
}

void tile_detail(benchmark::State& state) {
  for (auto _ : state) world().tile_rounds.run_round();
  state.counters["ops"] = benchmark::Counter(double(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["tiles"] = benchmark::Counter(double(state.iterations() * tiles_per_op), benchmark::Counter::kIsRate);
}
BENCHMARK(tile_detail);

void replay_detail(benchmark::State& state) {
  for (auto _ : state) world().replay_rounds.run_round();
  state.counters["ops"] = benchmark::Counter(double(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(replay_detail);

void recurrence(benchmark::State& state) {
  hw::timing::TilePipeline pipeline(machine());
  for (auto _ : state) benchmark::DoNotOptimize(pipeline.simulate(op()));
  state.counters["ops"] = benchmark::Counter(double(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["tiles"] = benchmark::Counter(double(state.iterations() * tiles_per_op), benchmark::Counter::kIsRate);
}
BENCHMARK(recurrence);

void estimate(benchmark::State& state) {
  hw::timing::TilePipeline pipeline(machine());
  for (auto _ : state) benchmark::DoNotOptimize(pipeline.estimate(op()));
  state.counters["ops"] = benchmark::Counter(double(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(estimate);

}  // namespace
}  // namespace podsim

BENCHMARK_MAIN();
