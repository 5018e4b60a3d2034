// SPDX-License-Identifier: Apache-2.0 Speed of index streams on the host: interactions of the fractal expansion per
// second, and the time to make its seed.
#include <benchmark/benchmark.h>

#include <vector>

#include "workloads/streams/fractal_expansion.h"

extern "C" int sc_main(int, char**) { return 0; }

namespace podsim::workloads::streams {
namespace {

const InteractionSeed& movielens_like() {
  static const InteractionSeed seed = interaction_seed({});
  return seed;
}

/// Blocks of as many interactions as the argument, out of 1.2 billion.
void expanded_interactions(benchmark::State& state) {
  const FractalExpansion expansion(movielens_like(), {});
  InteractionStream stream(expansion);
  std::vector<Interaction> block(std::size_t(state.range(0)));
  for (auto _ : state) {
    stream.next(block);
    benchmark::DoNotOptimize(block.data());
  }
  state.counters["interactions"] =
      benchmark::Counter(double(state.iterations()) * double(block.size()), benchmark::Counter::kIsRate);
}
BENCHMARK(expanded_interactions)->Arg(1 << 12)->Arg(1 << 16);

/// A seed of 20 million interactions.
void made_seed(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(interaction_seed({}).interactions.data());
}
BENCHMARK(made_seed)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podsim::workloads::streams

BENCHMARK_MAIN();
