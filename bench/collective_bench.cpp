// SPDX-License-Identifier: Apache-2.0
// Time and memory on the host to simulate an all-reduce of 100 MiB on slices up to a multipod, elaboration included,
// folded and not.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "noc/slice.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "tests/sw/collectives/tpu_v3.h"

extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

/// Arguments: chips along x and y, whether the slice is folded.
void all_reduce(benchmark::State& state) {
  const noc::Topology slice = noc::slice_topology({{32, 32}, 4}, {state.range(0), state.range(1)});
  const sw::TargetMachine machine = sw::collectives::tpu_v3();
  const sw::collectives::schedule::CollectiveRequest request{sw::collectives::CollectiveKind::all_reduce,
                                                             hlo::ElementType::bf16, std::int64_t(50) << 20};
  std::int64_t messages = 0;
  for (auto _ : state) {
    const auto choice = sw::collectives::engine::choose_algorithm(
        machine, slice, sw::collectives::CollectiveGroups::all(slice, 2), request);
    const auto outcome =
        sw::collectives::engine::simulate_collective(machine, choice.schedule, {.fold = state.range(2) != 0});
    messages += outcome.messages;
    state.SetLabel(noc::to_string(outcome.topology));
    state.counters["simulated_us"] = double(outcome.duration.value()) * 1e-6;
  }
  state.counters["messages"] = benchmark::Counter(double(messages), benchmark::Counter::kIsRate);
  state.counters["peak_MB"] = peak_megabytes();
}
BENCHMARK(all_reduce)
    ->Args({8, 4, 0})
    ->Args({32, 32, 1})
    ->Args({128, 32, 1})
    ->Args({128, 32, 0})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podsim

BENCHMARK_MAIN();
