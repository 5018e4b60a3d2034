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
    result_.operations = std::ranges::count_if(graph_.seconds, [](double seconds) { return seconds > 0; });
    result_.clusters = graph_.clusters;
    result_.work_s = graph_.work();
    return std::move(result_);
  }

 private:
  void find_divisions() {
    const WeightedGraph clusters = graph_.cluster_graph();
    const std::vector<int> one(std::size_t(graph_.clusters), 0);
    add("one device", one);
    add("METIS alone", metis_parts(clusters, set_.devices, equal_parts));
    is_simulated_ = {true, true};
    refine("METIS, refined", result_.tried[1].device);
    refine("unequal parts of METIS, refined", metis_parts(clusters, set_.devices, unequal_parts));
    refine("earliest end, refined", division_by_earliest_end(graph_));
    refine("one device, refined", one);
    choose_simulated();
  }

  void add(std::string name, std::vector<int> device) {
    OperatorSchedule schedule = estimated_schedule(graph_, device);
    result_.tried.push_back({std::move(name), std::move(device), std::move(schedule)});
  }

  void refine(std::string name, std::vector<int> device) {
    RefinedDivision refined = refined_division(graph_, std::move(device), limits_.estimates);
    result_.estimates += refined.estimates;
    add(std::move(name), std::move(refined.device));
    is_simulated_.push_back(false);
  }

  /// The refined divisions with the shortest estimates.
  void choose_simulated() {
    std::vector<std::size_t> refined;
    for (std::size_t i = 2; i < result_.tried.size(); ++i) refined.push_back(i);
    std::ranges::stable_sort(refined, {}, [&](std::size_t i) { return result_.tried[i].schedule.seconds; });
    for (std::size_t i = 0; i < refined.size() && i < std::size_t(limits_.simulated); ++i) {
      is_simulated_[refined[i]] = true;
    }
  }

  void simulate() {
    std::exception_ptr refusal;
    bool any = false;
    for (std::size_t i = 0; i < result_.tried.size(); ++i) {
      if (!is_simulated_[i]) continue;
      OperatorDivision& division = result_.tried[i];
      try {
        driver::Step step = compiled(division);
        division.step = step_time(step.program);
        if (any && *division.step >= *result_.best().step) continue;
        any = true;
        result_.chosen = i;
        result_.step = std::move(step);
      } catch (const driver::OutOfMemory&) {
        if (!refusal) refusal = std::current_exception();
      }
    }
    if (!any) std::rethrow_exception(refusal);
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
  std::vector<bool> is_simulated_;  ///< by division
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
