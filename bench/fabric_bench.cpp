// Speed of the message-level network on the host: messages and hops per second.
#include <benchmark/benchmark.h>

#include <deque>

#include "base/systemc/fresh_context.h"
#include "base/systemc/systemc_time.h"
#include "noc/ici/ici_port.h"
#include "noc/ici/message_fabric.h"
#include "tests/sw/collectives/tpu_v3.h"

extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

// Every chip sends a series of messages to a chip `hops` away, each when its link has taken the one before.
struct Shift : sc_core::sc_module, noc::ici::IciClient {
  Shift(const sc_core::sc_module_name& name, const noc::Topology& topology, const noc::Coordinates& hops, int count)
      : sc_module(name), fabric("fabric", topology, sw::collectives::tpu_v3().ici), hops_(hops) {
    for (noc::NodeId node = 0; node < topology.nodes(); ++node) {
      ports.emplace_back(("port_" + std::to_string(node)).c_str(), node);
      ports.back().bind(fabric);
      ports.back().attach(0, *this);
      left_.push_back(count);
    }
    SC_HAS_PROCESS(Shift);
    SC_METHOD(start);
  }
  void start() {
    for (noc::NodeId node = 0; node < noc::NodeId(ports.size()); ++node) send(node);
  }
  void send(noc::NodeId node) {
    if (left_[node]-- > 0) ports[node].send({.hops = hops_, .bytes = base::Bytes(65536)});
  }
  void message_taken(noc::NodeId node, const noc::ici::Message&, base::Time) override { send(node); }
  void message_received(noc::NodeId, const noc::ici::Message&, base::Time) override {}

  noc::ici::MessageFabric fabric;
  std::deque<noc::ici::IciPort> ports;

 private:
  noc::Coordinates hops_;
  std::vector<int> left_;
};

/// Messages over `hops` links of a 16 x 16 torus, with the same load on all links.
void fabric_messages(benchmark::State& state) {
  std::int64_t hops = 0, messages = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const base::systemc::FreshContext context;
    auto bench = std::make_unique<Shift>("shift", noc::Topology({16, 16}, {true, true}),
                                         noc::Coordinates{std::int32_t(state.range(0))}, 200);
    state.ResumeTiming();
    sc_core::sc_start();
    hops += bench->fabric.links().hops();
    messages += bench->fabric.links().messages_delivered();
  }
  state.counters["hops"] = benchmark::Counter(double(hops), benchmark::Counter::kIsRate);
  state.counters["messages"] = benchmark::Counter(double(messages), benchmark::Counter::kIsRate);
}
BENCHMARK(fabric_messages)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podsim

BENCHMARK_MAIN();
