// SPDX-License-Identifier: Apache-2.0 Speed of the packet-level network on the host: flit-hops (flits over links) per
// second of user time under uniform traffic, and the cost of cycles in which nothing moves.
#include <benchmark/benchmark.h>

#include "noc/router/load_run.h"

extern "C" int sc_main(int, char**) { return 0; }

namespace podsim::noc {
namespace {

router::LoadParameters torus(std::int64_t size) {
  router::LoadParameters parameters;
  parameters.topology = Topology({size, size}, {true, true});
  parameters.network.links.assign(std::size_t(parameters.topology.link_ids()), {.latency = 2});
  return parameters;
}

/// Uniform traffic of single flits at a load of 1 % times the second argument, on a square torus of the first.
void uniform_traffic(benchmark::State& state) {
  const router::LoadParameters parameters = torus(state.range(0));
  router::RouterNetwork network(parameters.topology, parameters.network);
  router::TrafficPattern pattern(parameters.topology, router::Pattern::uniform, router::TieBreak::random, 1);
  const auto threshold = std::uint64_t(-1) / 100 * std::uint64_t(state.range(1));
  const auto cycle = [&] {
    for (NodeId node = 0; node < parameters.topology.nodes(); ++node) {
      if (pattern.happens(threshold)) network.send(node, pattern.hops(node, pattern.destination(node)), 1);
    }
    network.step();
  };
  for (int i = 0; i < 500; ++i) cycle();  // warm up to the steady state
  const std::int64_t before = network.flit_hops();
  for (auto _ : state) cycle();
  state.counters["flit_hops"] = benchmark::Counter(double(network.flit_hops() - before), benchmark::Counter::kIsRate);
}
BENCHMARK(uniform_traffic)->Args({8, 5})->Args({8, 20})->Args({32, 2})->Args({32, 5});

/// Packets of 17 flits between neighbours on a square torus, with every link full: the cost of bulk transfers.
void neighbour_packets(benchmark::State& state) {
  router::LoadParameters parameters = torus(state.range(0));
  parameters.network.local_ports = 4;
  parameters.network.router.vcs = 4;
  parameters.network.router.buffer_flits = 64;
  parameters.network.router.switching = router::Switching::virtual_cut_through;
  router::RouterNetwork network(parameters.topology, parameters.network);
  const auto send_all = [&](NodeId node) {
    for (const Coordinates& hops : {Coordinates{1}, Coordinates{-1}, Coordinates{0, 1}, Coordinates{0, -1}}) {
      network.send(node, hops, 17);
    }
  };
  for (NodeId node = 0; node < parameters.topology.nodes(); ++node) send_all(node);
  const std::int64_t before = network.flit_hops();
  std::int64_t cycles = 0;
  for (auto _ : state) {
    for (NodeId node = 0; cycles % 17 == 0 && node < parameters.topology.nodes(); ++node) send_all(node);
    network.step();
    ++cycles;
  }
  state.counters["flit_hops"] = benchmark::Counter(double(network.flit_hops() - before), benchmark::Counter::kIsRate);
}
BENCHMARK(neighbour_packets)->Arg(8)->Arg(32);

/// Cycles of a network of 1024 nodes with one packet in flight.
void one_packet(benchmark::State& state) {
  const router::LoadParameters parameters = torus(32);
  router::RouterNetwork network(parameters.topology, parameters.network);
  for (auto _ : state) {
    if (network.in_flight() == 0) network.send(0, {16, 16}, 1);
    network.step();
  }
}
BENCHMARK(one_packet);

}  // namespace
}  // namespace podsim::noc

BENCHMARK_MAIN();
