// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/collective_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <deque>

#include "base/diagnostic.h"
#include "noc/message_fabric.h"
#include "noc/systemc_time.h"
#include "sw/collectives/collective_run.h"

namespace podsim::sw {

namespace {

bool invariant_along(int dimension, const noc::Topology& full, int cores, const StartTimes& starts) {
  for (noc::NodeId chip = 0; chip < full.nodes(); ++chip) {
    auto next = full.neighbour(chip, dimension, +1);
    for (int core = 0; next && core < cores; ++core) {
      if (starts[std::size_t(chip) * cores + core] != starts[std::size_t(*next) * cores + core]) return false;
    }
  }
  return true;
}

std::deque<noc::IciPort> make_ports(noc::MessageFabric& fabric) {
  std::deque<noc::IciPort> ports;
  for (noc::NodeId chip = 0; chip < fabric.topology().representatives().nodes(); ++chip) {
    ports.emplace_back(fmt::format("port_{}", chip).c_str(), chip).bind(fabric);
  }
  return ports;
}

std::vector<noc::IciPort*> pointers(std::deque<noc::IciPort>& ports) {
  std::vector<noc::IciPort*> result;
  for (noc::IciPort& port : ports) result.push_back(&port);
  return result;
}

// The slice: fabric, one port per chip, the engine, and a thread that starts the cores.
struct SliceBench : sc_core::sc_module {
  struct Start {
    base::Time when;
    noc::NodeId chip;
    int core;
  };

  SliceBench(sc_core::sc_module_name name, const hw::Machine& machine, const noc::FoldedTopology& topology,
             base::ProbeSink* sink)
      : sc_module(name),
        fabric("fabric", topology, machine.ici, sink),
        ports(make_ports(fabric)),
        engine("collectives", machine, topology, pointers(ports), sink) {
    fabric.set_labeller([this](const noc::Message& message) { return engine.label(message); });
    SC_HAS_PROCESS(SliceBench);
    SC_THREAD(start_cores);
  }
  void start_cores() {
    for (const Start& start : starts) {
      if (start.when > noc::now()) wait(noc::to_sc_time(start.when - noc::now()));
      run->start(start.chip, start.core);
    }
  }

  noc::MessageFabric fabric;
  std::deque<noc::IciPort> ports;
  CollectiveEngine engine;
  std::vector<Start> starts;  ///< in order of time
  CollectiveRun* run = nullptr;
};

}  // namespace

noc::FoldedTopology fold_for(const noc::Topology& full, int cores_per_chip, const StartTimes& starts) {
  std::vector<bool> folded;
  for (int d = 0; d < full.dimensions(); ++d) {
    folded.push_back(noc::FoldedTopology::can_fold(full, d) &&
                     (starts.empty() || invariant_along(d, full, cores_per_chip, starts)));
  }
  return noc::FoldedTopology(full, folded);
}

AllReduceResult simulate_all_reduce(const hw::Machine& machine, const noc::Topology& full, std::int64_t elements,
                                    ElementType type, const StartTimes& starts,
                                    std::optional<noc::FoldedTopology> topology, base::ProbeSink* sink) {
  int cores = int(machine.cores_per_chip);
  if (!topology) topology = fold_for(full, cores, starts);
  SliceBench bench("slice", machine, *topology, sink);
  auto schedule =
      std::make_shared<const AllReduceSchedule>(full, cores, elements, type, segment_elements(machine, type));
  CollectiveRun& run = bench.engine.begin(schedule, {});
  bench.run = &run;
  const noc::Topology& chips = topology->representatives();
  for (noc::NodeId chip = 0; chip < chips.nodes(); ++chip) {
    for (int core = 0; core < cores; ++core) {
      std::size_t index = std::size_t(topology->full_node_of(chip)) * cores + core;
      bench.starts.push_back({starts.empty() ? base::Time(0) : starts[index], chip, core});
    }
  }
  std::stable_sort(bench.starts.begin(), bench.starts.end(),
                   [](const auto& a, const auto& b) { return a.when < b.when; });
  sc_core::sc_start();
  if (!run.finished()) throw base::SimulationError("an all-reduce came to a halt before every core had the sum");

  AllReduceResult result{.duration = run.duration(),
                         .finish = {},
                         .topology = to_string(*topology),
                         .folded = topology->is_folded(),
                         .messages = bench.fabric.messages_delivered()};
  for (noc::NodeId chip = 0; chip < full.nodes(); ++chip) {
    for (int core = 0; core < cores; ++core) {
      result.finish.push_back(run.finished_at(topology->representative_of(chip), core));
    }
  }
  base::Time busy;
  for (noc::LinkId link = 0; link < chips.link_ids(); ++link) busy = std::max(busy, bench.fabric.link(link).busy());
  if (result.duration > base::Time(0)) {
    result.busiest_link = double(busy.value()) / double(result.duration.value());
  }
  return result;
}

}  // namespace podsim::sw
