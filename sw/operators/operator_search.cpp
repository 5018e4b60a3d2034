// SPDX-License-Identifier: Apache-2.0
#include "sw/operators/operator_search.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "sw/compiler/fuse/collective_combiner.h"
#include "sw/operators/division.h"
#include "sw/operators/metis.h"
#include "sw/runtime/session/session.h"

namespace podsim::sw::operators {
namespace {

constexpr double equal_parts = 0.03, unequal_parts = 0.3;  // imbalance
constexpr std::size_t one_device = 0, metis_alone = 1;     // positions in the list of divisions
constexpr std::size_t most_simulated = 3;                  // of the refined ones

class Search {
 public:
  Search(const std::string& name, const hlo::Module& fused, const driver::Target& target,
         const driver::Choices& choices, const DeviceSet& set, const SearchLimits& limits)
      : name_(name),
        fused_(fused),
        target_(target),
        choices_(choices),
        set_(set),
        limits_(limits),
        graph_(operator_graph(fused, target.machine, set, choices.op_cache)) {}

  OperatorSearch run() {
    find_divisions();
    simulate();
    refine_by_steps();
    result_.operations = std::ranges::count_if(graph_.seconds, [](double seconds) { return seconds > 0; });
    result_.clusters = graph_.clusters;
    result_.work_s = graph_.work();
    return std::move(result_);
  }

 private:
  /// A limit for the size of the program.
  std::int64_t scaled(std::int64_t limit) const {
    constexpr std::int64_t usual = 500;  // operations
    return std::max<std::int64_t>(1, limit * usual / std::max<std::int64_t>(usual, graph_.clusters));
  }

  void find_divisions() {
    const WeightedGraph clusters = graph_.cluster_graph();
    const std::vector<int> one(std::size_t(graph_.clusters), 0);
    add("one device", one);
    add("METIS alone", metis_parts(clusters, set_.devices, equal_parts));
    refine("METIS, refined", result_.tried[metis_alone].device);
    refine("unequal parts of METIS, refined", metis_parts(clusters, set_.devices, unequal_parts));
    refine("earliest end, refined", division_by_earliest_end(graph_));
    refine("one device, refined", one);
    anneal();
  }

  void add(std::string name, std::vector<int> device) {
    OperatorSchedule schedule = estimated_schedule(graph_, device);
    result_.tried.push_back({std::move(name), std::move(device), std::move(schedule)});
  }

  void add(std::string name, RefinedDivision division) {
    result_.estimates += division.estimates;
    add(std::move(name), std::move(division.device));
  }

  void refine(std::string name, std::vector<int> device) {
    add(std::move(name), refined_division(graph_, std::move(device), scaled(limits_.refined)));
  }

  void anneal() {
    const auto best =
        std::ranges::min_element(result_.tried, {}, [](const OperatorDivision& one) { return one.schedule.seconds; });
    std::string name = best->name + ", annealed";
    add(std::move(name), annealed_division(graph_, best->device, {.estimates = scaled(limits_.annealed)}));
  }

  /// One device, METIS alone, and the divisions with the shortest estimates.
  void simulate() {
    std::vector<std::size_t> order;
    for (std::size_t i = metis_alone + 1; i < result_.tried.size(); ++i) order.push_back(i);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return result_.tried[i].schedule.seconds; });
    order.resize(std::min(order.size(), most_simulated));
    order.insert(order.begin(), {one_device, metis_alone});
    std::exception_ptr refusal;
    for (const std::size_t i : order) {
      try {
        run_step(i);
      } catch (const driver::OutOfMemory&) {
        if (!refusal) refusal = std::current_exception();
      }
    }
    if (!any_) std::rethrow_exception(refusal);
  }

  /// Compiles and simulates a division, which is chosen if it is the fastest.
  void run_step(std::size_t number) {
    OperatorDivision& division = result_.tried[number];
    driver::Step step = compiled(division);
    ++result_.simulations;
    division.step = step_time(step.program);
    if (any_ && *division.step >= *result_.best().step) return;
    any_ = true;
    result_.chosen = number;
    result_.step = std::move(step);
  }

  void refine_by_steps() {
    constexpr double cold = 0.003;  // parts of the step, from which short annealings begin
    const std::size_t begun_at = result_.chosen;
    const auto trials = limits_.simulated == 0 ? 0 : scaled(limits_.simulated);
    for (std::int64_t trial = 0; trial < trials; ++trial) {
      RefinedDivision next = annealed_division(
          graph_, result_.best().device,
          {.estimates = scaled(limits_.refined) / 8, .first = cold, .last = cold / 10, .seed = unsigned(trial) + 2});
      if (next.device == result_.best().device) continue;
      const std::size_t before = result_.chosen;
      add(result_.tried[begun_at].name + ", refined by steps", std::move(next));
      try {
        run_step(result_.tried.size() - 1);
      } catch (const driver::OutOfMemory&) {
      }
      // One division remains of these.
      if (result_.chosen == before) {
        result_.tried.pop_back();
      } else if (before != begun_at) {
        std::swap(result_.tried[before], result_.tried.back());
        result_.tried.pop_back();
        result_.chosen = before;
      }
    }
  }

  driver::Step compiled(const OperatorDivision& division) const {
    const base::Bytes combine =
        choices_.compiler.combine_all_reduce.value_or(target_.machine.passes.combine_all_reduce);
    driver::Choices choices = choices_;
    choices.part = driver::Part::step;  // the program is that of the part
    choices.partition.reset();
    choices.overlap = compiler::Overlap::none;
    choices.rematerialise = hlo::transform::Rematerialisation::none;
    return driver::compile({.name = name_,
                            .module = module_of(fused_, graph_, division, set_, combine),
                            .network = driver::NetworkFacts{}},
                           target_, choices);
  }

  base::Time step_time(const compiler::Program& program) const {
    runtime::SimulationOptions options;
    options.op_cache = choices_.op_cache;
    runtime::session::Session session(target_.machine, set_.slice, std::move(options));
    return session.run({.program = session.add(program)}).result.step_time;
  }

  const std::string& name_;
  const hlo::Module& fused_;
  const driver::Target& target_;
  const driver::Choices& choices_;
  const DeviceSet& set_;
  SearchLimits limits_;
  OperatorGraph graph_;
  bool any_ = false;  ///< a step has been simulated
  OperatorSearch result_;
};

}  // namespace

hlo::devices::DevicePlan plan_of(const OperatorGraph& graph, const OperatorDivision& division, std::int64_t replicas) {
  hlo::devices::DevicePlan plan{.devices = graph.devices(), .replicas = replicas};
  for (const int cluster : graph.cluster) {
    plan.device.push_back(cluster < 0 ? hlo::devices::all_devices : division.device[std::size_t(cluster)]);
  }
  plan.order = division.schedule.order;
  return plan;
}

hlo::Module module_of(const hlo::Module& fused, const OperatorGraph& graph, const OperatorDivision& division,
                      const DeviceSet& set, base::Bytes combine) {
  hlo::Module module = hlo::devices::write_device_program(fused, plan_of(graph, division, set.replicas)).module;
  if (set.replicas > 1) module = compiler::fuse::combine_collectives(std::move(module), combine);
  module.scheduled = true;
  return module;
}

OperatorSearch search_operators(const std::string& name, const hlo::Module& fused, const driver::Target& target,
                                const driver::Choices& choices, const DeviceSet& set, const SearchLimits& limits) {
  return Search(name, fused, target, choices, set, limits).run();
}

}  // namespace podsim::sw::operators
