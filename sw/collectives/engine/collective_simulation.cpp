// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/collective_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/diagnostic.h"
#include "base/host/interrupt.h"
#include "base/systemc/fresh_context.h"
#include "base/systemc/sliced_run.h"
#include "base/systemc/systemc_time.h"
#include "hw/pod/bare_pod.h"
#include "hw/pod/pod.h"
#include "noc/ici/packet_network.h"
#include "sw/collectives/engine/collective_engine.h"
#include "sw/collectives/engine/collective_run.h"
#include "sw/collectives/engine/direct_engine.h"
#include "sw/collectives/engine/planned_order.h"

namespace podsim::sw::collectives::engine {

namespace {

/// Chips without cores: what a collective takes from them, and their ports.
template <class Network>
typename hw::pod::PodOf<Network>::MakeChip chip_maker(const TargetMachine& machine, const noc::Topology& slice,
                                                      const CollectiveOptions& options) {
  return [&](noc::NodeId chip, const hw::chip::IciBinding& ici) {
    const hw::Trace trace{options.sink, nullptr, "chip" + slice.name(chip)};
    return std::make_unique<hw::chip::Chip>(fmt::format("chip_{}", chip).c_str(), machine, int(chip), trace, ici,
                                            options.faults.chip_speed(chip));
  };
}

/// A pod, the engine, and a process that starts the cores.
template <class Network>
struct SliceBench : sc_core::sc_module {
  struct Start {
    base::Time when;
    noc::NodeId chip;
    int core;
  };

  template <class... NetworkArguments>
  SliceBench(sc_core::sc_module_name name, const TargetMachine& machine, const noc::FoldedTopology& topology,
             const CollectiveOptions& options, NetworkArguments&&... network_arguments)
      : sc_module(name),
        pod("pod", topology.representatives().nodes(),
            chip_maker<Network>(machine, topology.representatives(), options),
            std::forward<NetworkArguments>(network_arguments)...),
        engine("collectives", machine, topology, pod.chips(), nullptr, options.sink) {
    SC_HAS_PROCESS(SliceBench);
    SC_METHOD(start_cores);
  }
  void start_cores() {
    for (; started < starts.size(); ++started) {
      const Start& start = starts[started];
      if (start.when > base::systemc::now())
        return next_trigger(base::systemc::to_sc_time(start.when - base::systemc::now()));
      run->start(start.chip, start.core);
    }
  }

  hw::pod::PodOf<Network> pod;
  CollectiveEngine engine;
  std::vector<Start> starts;  ///< in order of time
  std::size_t started = 0;
  CollectiveRun* run = nullptr;
};

/// Has an engine, a pod's links and its chips follow the order.
template <class Engine, class Chips>
void follow(const PlannedOrder& planned, Engine& engine, noc::ici::Links& links, Chips&& chip) {
  engine.follow(planned.actions, planned.topology);
  links.follow(planned.messages, planned.topology);
  for (noc::NodeId node = 0; node < links.topology().representatives().nodes(); ++node) {
    const noc::NodeId planned_as = planned.topology.representative_of(node);
    chip(node).claims().follow_idle(planned.idle_claims[std::size_t(planned_as)]);
  }
}

/// Phases in the order of their begin; those that begin at one time in the order of groups, orders and phases.
std::vector<CollectivePhase> phases_of(const CollectiveRun& run) {
  std::map<const schedule::GroupSchedule*, std::size_t> first_group;
  for (std::size_t group = 0; group < run.schedule().groups(); ++group) {
    first_group.try_emplace(&run.schedule().group_program(group), group);
  }
  std::vector<CollectiveRun::PhaseTimes> phases = run.phases();
  std::ranges::sort(phases, {}, [&](const CollectiveRun::PhaseTimes& times) {
    return std::tuple(times.begin, first_group.at(times.program), times.order, times.phase);
  });
  std::vector<CollectivePhase> result;
  for (const CollectiveRun::PhaseTimes& times : phases) {
    const schedule::Phase& phase = times.program->phases(times.order)[std::size_t(times.phase)];
    const std::int64_t elements = phase.pattern->payload() * times.program->stripes_of(times.order);
    result.push_back({phase.name, times.order, run.schedule().bytes(elements), times.begin, times.end});
  }
  return result;
}

std::vector<LinkUse> link_uses(const noc::ici::Links& links, const TargetMachine&) {
  std::vector<LinkUse> result;
  const noc::Topology& chips = links.topology().representatives();
  for (noc::LinkId id = 0; id < chips.link_ids(); ++id) {
    if (chips.link(id)) result.push_back({id, links.link(id).bytes(), links.link(id).busy()});
  }
  return result;
}

/// A link is busy for a cycle per flit. Bytes of headers do not count.
std::vector<LinkUse> link_uses(const noc::ici::PacketNetwork& network, const TargetMachine& machine) {
  std::vector<LinkUse> result;
  const noc::Topology& chips = network.topology();
  const noc::ici::PacketParameters& packet = machine.ici.packet;
  for (noc::LinkId id = 0; id < chips.link_ids(); ++id) {
    if (!chips.link(id)) continue;
    const std::int64_t flits = network.routers().link_flits(id);
    const std::int64_t bytes = flits * packet.payload.value() / packet.flits(packet.payload);
    result.push_back({id, base::Bytes(bytes), network.clock().time_of(base::Cycles(flits))});
  }
  return result;
}

std::string audit(const noc::ici::Links&) { return ""; }
std::string audit(const noc::ici::PacketNetwork& network) { return network.routers().audit(); }

/// The requested start times, each later by the jitter of the core's chip.
schedule::StartTimes jittered_starts(const schedule::CollectiveSchedule& schedule, const CollectiveOptions& options) {
  schedule::StartTimes starts = options.starts;
  if (starts.empty()) starts.resize(std::size_t(schedule.cores()));
  if (!options.faults.any_jitter()) return starts;
  const auto cores = std::size_t(schedule.cores_per_chip());
  for (std::size_t core = 0; core < starts.size(); ++core) {
    starts[core] += options.faults.delay(noc::NodeId(core / cores), std::int64_t(options.seed));
  }
  return starts;
}

template <class Network>
CollectiveOutcome outcome_of(const Network& network, const CollectiveRun& collective, const TargetMachine& machine,
                             const noc::FoldedTopology& topology, base::Time duration) {
  return {.duration = duration,
          .topology = topology,
          .messages = network.messages_delivered(),
          .relayed = network.messages_relayed(),
          .phases = phases_of(collective),
          .links = link_uses(network, machine),
          .audit = audit(network)};
}

/// Reports progress; throws, with the partial outcome kept, if the program is interrupted.
template <class Network>
void pause(base::Time now, const Network& network, const CollectiveRun& collective, const TargetMachine& machine,
           const noc::FoldedTopology& topology, const CollectiveOptions& options) {
  if (options.progress) options.progress(now);
  if (!base::host::interrupt_pending()) return;
  if (options.partial != nullptr) {
    *options.partial = outcome_of(network, collective, machine, topology, now);
    for (CollectivePhase& phase : options.partial->phases) phase.end = std::max(phase.begin, phase.end);
  }
  base::host::end_if_interrupted(fmt::format("after {} of simulated time", base::to_string(now)));
}

template <class Network>
CollectiveOutcome end_of(const Network& network, const CollectiveRun& collective, const TargetMachine& machine,
                         const noc::FoldedTopology& topology) {
  if (!collective.finished()) throw base::SimulationError("a collective came to a halt before every core was done");
  CollectiveOutcome outcome = outcome_of(network, collective, machine, topology, collective.duration());
  for (noc::NodeId chip = 0; chip < topology.full().nodes(); ++chip) {
    for (int core = 0; core < collective.schedule().cores_per_chip(); ++core) {
      outcome.finish.push_back(collective.finished_at(topology.representative_of(chip), core));
    }
  }
  return outcome;
}

/// `network` is that of the bench's pod, or its links.
template <class Bench, class Network>
CollectiveOutcome run(Bench& bench, const Network& network, const TargetMachine& machine,
                      const std::shared_ptr<const schedule::CollectiveSchedule>& schedule,
                      const noc::FoldedTopology& topology, const CollectiveOptions& options) {
  const int cores = schedule->cores_per_chip();
  CollectiveRun& collective = bench.engine.begin(schedule, {}, options.data);
  bench.run = &collective;
  const schedule::StartTimes starts = jittered_starts(*schedule, options);
  const noc::Topology& chips = topology.representatives();
  for (noc::NodeId chip = 0; chip < chips.nodes(); ++chip) {
    for (int core = 0; core < cores; ++core) {
      const std::size_t index = std::size_t(topology.full_node_of(chip)) * std::size_t(cores) + std::size_t(core);
      bench.starts.push_back({starts[index], chip, core});
    }
  }
  std::ranges::stable_sort(bench.starts, {}, [](const auto& start) { return start.when; });
  base::systemc::run_in_slices([&] {
    pause(base::systemc::now(), network, collective, machine, topology, options);
    return false;
  });
  network.check();
  return end_of(network, collective, machine, topology);
}

/// A collective on a bare pod, whose order it may record, or follow.
CollectiveOutcome run_directly(const TargetMachine& machine,
                               const std::shared_ptr<const schedule::CollectiveSchedule>& schedule,
                               const noc::FoldedTopology& topology, const CollectiveOptions& options,
                               PlannedOrder* recorded, const PlannedOrder* followed) {
  hw::pod::BarePod pod(machine, topology, options.faults);
  DirectEngine engine(machine, pod, schedule, options.data);
  if (recorded != nullptr) {
    recorded->topology = topology;
    engine.record(recorded->actions);
    pod.links().record(recorded->messages);
    recorded->idle_claims.resize(std::size_t(topology.representatives().nodes()));
    for (std::size_t chip = 0; chip < recorded->idle_claims.size(); ++chip) {
      pod.chip(noc::NodeId(chip)).claims().record_idle(recorded->idle_claims[chip]);
    }
  }
  if (followed != nullptr) {
    follow(
        *followed, engine, pod.links(), [&](noc::NodeId node) -> auto& { return pod.chip(node); });
  }
  engine.run(jittered_starts(*schedule, options),
             [&] { pause(engine.now(), pod.links(), engine.collective(), machine, topology, options); });
  pod.links().check();
  return end_of(pod.links(), engine.collective(), machine, topology);
}

/// With modules where a sink records their signals.
CollectiveOutcome simulate_messages(const TargetMachine& machine,
                                    const std::shared_ptr<const schedule::CollectiveSchedule>& schedule,
                                    const CollectiveOptions& options, PlannedOrder* recorded,
                                    const PlannedOrder* followed) {
  const bool fold = options.fold && options.data == nullptr && options.faults.none();
  const noc::FoldedTopology topology =
      fold ? schedule::fold_for(*schedule, options.starts) : noc::FoldedTopology(schedule->slice());
  if (options.sink == nullptr) return run_directly(machine, schedule, topology, options, recorded, followed);
  const base::systemc::FreshContext context;
  SliceBench<noc::ici::MessageFabric> bench("slice", machine, topology, options, topology, machine.ici, options.sink,
                                            options.faults);
  noc::ici::MessageFabric& fabric = bench.pod.network();
  fabric.set_labeller([&bench](const noc::ici::Message& message) { return bench.engine.label(message); });
  if (followed != nullptr) {
    follow(
        *followed, bench.engine, fabric.links(), [&](noc::NodeId node) -> auto& { return bench.pod.chip(node); });
  }
  return run(bench, fabric.links(), machine, schedule, topology, options);
}

}  // namespace

std::optional<LinkUse> CollectiveOutcome::busiest() const {
  const auto most = std::ranges::max_element(links, {}, &LinkUse::bytes);
  return most == links.end() ? std::nullopt : std::optional(*most);
}

CollectiveOutcome simulate_collective(const TargetMachine& machine,
                                      const std::shared_ptr<const schedule::CollectiveSchedule>& schedule,
                                      const CollectiveOptions& options) {
  const noc::FoldedTopology full(schedule->slice());
  if (options.network == NetworkLevel::packet) {
    const base::systemc::FreshContext context;
    SliceBench<noc::ici::PacketNetwork> bench("slice", machine, full, options, schedule->slice(), machine.ici,
                                              noc::ici::PacketNetworkOptions{options.faults, options.seed});
    return run(bench, bench.pod.network(), machine, schedule, full, options);
  }
  if (options.faults.none()) return simulate_messages(machine, schedule, options, nullptr, nullptr);
  PlannedOrder planned{.topology = full, .actions = {}, .messages = {}, .idle_claims = {}};
  CollectiveOptions healthy{.fold = options.fold, .starts = options.starts, .progress = options.progress};
  const base::Time duration = simulate_messages(machine, schedule, healthy, &planned, nullptr).duration;
  CollectiveOutcome outcome = simulate_messages(machine, schedule, options, nullptr, &planned);
  outcome.healthy = duration;
  return outcome;
}

}  // namespace podsim::sw::collectives::engine
