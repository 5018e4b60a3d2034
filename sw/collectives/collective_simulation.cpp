// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/collective_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "base/diagnostic.h"
#include "noc/message_fabric.h"
#include "noc/systemc_time.h"
#include "sw/collectives/collective_run.h"

namespace podsim::sw {

namespace {

template <class Network>
std::deque<noc::IciPort> make_ports(Network& network, noc::NodeId chips) {
  std::deque<noc::IciPort> ports;
  for (noc::NodeId chip = 0; chip < chips; ++chip) {
    ports.emplace_back(fmt::format("port_{}", chip).c_str(), chip).bind(network);
  }
  return ports;
}

std::vector<noc::IciPort*> pointers(std::deque<noc::IciPort>& ports) {
  std::vector<noc::IciPort*> result;
  for (noc::IciPort& port : ports) result.push_back(&port);
  return result;
}

// The slice: a network, one port per chip, the engine, and a thread that starts the cores.
template <class Network>
struct SliceBench : sc_core::sc_module {
  struct Start {
    base::Time when;
    noc::NodeId chip;
    int core;
  };

  SliceBench(sc_core::sc_module_name name, const hw::Machine& machine, const noc::FoldedTopology& topology,
             base::ProbeSink* sink)
      : sc_module(name),
        network("fabric", topology, machine.ici, sink),
        ports(make_ports(network, topology.representatives().nodes())),
        engine("collectives", machine, topology, pointers(ports), sink) {
    network.set_labeller([this](const noc::Message& message) { return engine.label(message); });
    SC_HAS_PROCESS(SliceBench);
    SC_THREAD(start_cores);
  }
  void start_cores() {
    for (const Start& start : starts) {
      if (start.when > noc::now()) wait(noc::to_sc_time(start.when - noc::now()));
      run->start(start.chip, start.core);
    }
  }

  Network network;
  std::deque<noc::IciPort> ports;
  CollectiveEngine engine;
  std::vector<Start> starts;  ///< in order of time
  CollectiveRun* run = nullptr;
};

std::vector<CollectivePhase> phases_of(const CollectiveRun& run) {
  std::vector<CollectivePhase> result;
  for (const CollectiveRun::Phase& phase : run.phases()) {
    const Stage& stage = phase.program->stages(phase.order)[std::size_t(phase.stage)];
    const int colours = phase.program->colours();
    const int of_order = phase.program->two_orders() ? (colours + 1 - phase.order) / 2 : colours;
    const std::int64_t elements = stage.kind == StageKind::broadcast ? stage.chunk : stage.chunk * stage.size;
    result.push_back({stage.name, phase.order, run.schedule().bytes(elements * of_order), phase.begin, phase.end});
  }
  return result;
}

template <class Network>
std::vector<LinkUse> link_uses(const Network& network) {
  std::vector<LinkUse> result;
  const noc::Topology& chips = network.topology().representatives();
  for (noc::LinkId id = 0; id < chips.link_ids(); ++id) {
    if (chips.link(id)) result.push_back({id, network.link(id).bytes(), network.link(id).busy()});
  }
  return result;
}

}  // namespace

std::optional<LinkUse> CollectiveOutcome::busiest() const {
  const auto most = std::ranges::max_element(links, {}, &LinkUse::bytes);
  return most == links.end() ? std::nullopt : std::optional(*most);
}

CollectiveOutcome simulate_collective(const hw::Machine& machine, std::shared_ptr<const CollectiveSchedule> schedule,
                                      const CollectiveOptions& options) {
  const noc::Topology& full = schedule->slice();
  const int cores = schedule->cores_per_chip();
  const bool fold = options.fold && options.data == nullptr;
  const noc::FoldedTopology topology = fold ? fold_for(*schedule, options.starts) : noc::FoldedTopology(full);
  SliceBench<noc::MessageFabric> bench("slice", machine, topology, options.sink);
  CollectiveRun& run = bench.engine.begin(schedule, {}, options.data);
  bench.run = &run;
  const noc::Topology& chips = topology.representatives();
  for (noc::NodeId chip = 0; chip < chips.nodes(); ++chip) {
    for (int core = 0; core < cores; ++core) {
      const std::size_t index = std::size_t(topology.full_node_of(chip)) * std::size_t(cores) + std::size_t(core);
      bench.starts.push_back({options.starts.empty() ? base::Time(0) : options.starts[index], chip, core});
    }
  }
  std::ranges::stable_sort(bench.starts, {}, [](const auto& start) { return start.when; });
  sc_core::sc_start();
  if (!run.finished()) throw base::SimulationError("a collective came to a halt before every core was done");

  CollectiveOutcome outcome{.duration = run.duration(),
                            .finish = {},
                            .topology = topology,
                            .messages = bench.network.messages_delivered(),
                            .hops = bench.network.hops(),
                            .phases = phases_of(run),
                            .links = link_uses(bench.network)};
  for (noc::NodeId chip = 0; chip < full.nodes(); ++chip) {
    for (int core = 0; core < cores; ++core) {
      outcome.finish.push_back(run.finished_at(topology.representative_of(chip), core));
    }
  }
  return outcome;
}

}  // namespace podsim::sw
