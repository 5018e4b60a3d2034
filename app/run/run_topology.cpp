// SPDX-License-Identifier: Apache-2.0
#include "app/run/run_topology.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/options/flag_values.h"
#include "base/host/arguments.h"
#include "base/host/exit_code.h"
#include "base/host/host_clock.h"
#include "base/host/input_file.h"
#include "base/host/standard_output.h"
#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "sw/compiler/op_costs.h"
#include "sw/driver/compile.h"
#include "workloads/importers/importer.h"
#include "workloads/scalesim/scalesim_cycles.h"
#include "workloads/scalesim/scalesim_graph.h"
#include "workloads/scalesim/scalesim_topology.h"

namespace podsim::app::run {
namespace {

using Json = nlohmann::ordered_json;
using Align = base::text::TextTable::Align;

/// Time of a layer on a core, with its ops one after the other.
struct LayerTime {
  base::Cycles cycles;
  base::Cycles mxu;     ///< busy cycles of the matrix units, mean over the units
  base::Cycles memory;  ///< busy cycles of the HBM
  base::Bytes bytes;    ///< through HBM

  LayerTime& operator+=(const LayerTime& other) {
    cycles += other.cycles;
    mxu += other.mxu;
    memory += other.memory;
    bytes += other.bytes;
    return *this;
  }
};

LayerTime time_on_core(const workloads::scalesim::ScaleSimLayer& layer, const sw::TargetMachine& machine,
                       sw::compiler::OpCosts& costs) {
  hlo::Module module = workloads::scalesim::scalesim_layer_module(layer);
  const sw::driver::Step step =
      sw::driver::compile({.name = layer.name, .module = std::move(module)}, {.machine = machine});
  LayerTime time;
  for (const sw::compiler::ProgramItem& item : step.program.items) {
    const hw::OpResult op = costs.simulate(step.program.ops[std::size_t(item.index)].tiles);
    time += {op.cycles, base::Cycles(base::divide_round_up(op.busy.of<hw::Mxu>().value(), machine.mxu.count)),
             op.hbm_busy, op.read_bytes + op.written_bytes};
  }
  return time;
}

/// One `podsim run TOPOLOGY.csv`; the two methods of counting cycles share the rest.
class TopologyRun {
 public:
  explicit TopologyRun(const RunOptions& options)
      : options_(options), machine_(sw::read_target(options.machine.load())) {
    array_ = {machine_.mxu.size, machine_.mxu.size};
    topology_ = workloads::scalesim::read_scalesim_topology(options.workload,
                                                            base::host::read_input("WORKLOAD", options.workload));
  }

  int execute() {
    if (!options_.convention) time_layers();
    base::host::print_result(options_.json ? json() : text());
    return base::host::done;
  }

 private:
  void time_layers() {
    sw::compiler::OpCosts costs(machine_);
    for (const workloads::scalesim::ScaleSimLayer& layer : topology_.layers)
      times_.push_back(time_on_core(layer, machine_, costs));
  }

  double seconds() const { return base::host::seconds_since(begin_); }

  /// `macs` as a fraction of the multiply-accumulates that the arrays can make in `cycles`.
  double utilization(std::int64_t macs, base::Cycles cycles) const {
    const std::int64_t arrays = options_.convention ? 1 : machine_.mxu.count;
    return double(macs) / (double(std::max<std::int64_t>(1, cycles.value())) * double(array_.elements() * arrays));
  }

  base::Cycles by_convention(const workloads::scalesim::ScaleSimLayer& layer) const {
    return workloads::scalesim::scalesim_cycles(array_, layer.product);
  }

  base::Cycles cycles_of(std::size_t layer) const {
    return times_.empty() ? by_convention(topology_.layers[layer]) : times_[layer].cycles;
  }

  std::string text() const {
    base::text::TextTable table = times_.empty() ? convention_table() : core_table();
    std::string warnings;
    for (const std::string& warning : topology_.warnings) warnings += "warning: " + warning + "\n";
    return fmt::format("{}: {} on {}\n\n{}\n{}{:.2f} s on this host\n", options_.workload,
                       base::text::counted(std::int64_t(topology_.layers.size()), "layer"), place(), table.text(),
                       warnings, seconds());
  }

  std::string place() const {
    if (options_.convention) {
      return fmt::format("one weight-stationary array of {} x {}, cycles by SCALE-Sim's convention", array_.rows,
                         array_.columns);
    }
    return fmt::format("one core of {}: {} of {} x {}, bf16", machine_.name,
                       base::text::counted(machine_.mxu.count, "array"), array_.rows, array_.columns);
  }

  base::text::TextTable convention_table() const {
    base::text::TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
    table.row({"layer", "MACs", "folds", "cycles", "utilisation"});
    std::int64_t macs = 0, folds = 0;
    base::Cycles cycles;
    for (const workloads::scalesim::ScaleSimLayer& layer : topology_.layers) {
      const std::int64_t layer_folds = workloads::scalesim::weight_folds(array_, layer.product);
      table.row(convention_row(layer.name, layer.product.macs(), layer_folds, by_convention(layer)));
      macs += layer.product.macs();
      folds += layer_folds;
      cycles += by_convention(layer);
    }
    table.row(convention_row("total", macs, folds, cycles));
    return table;
  }

  std::vector<std::string> convention_row(const std::string& name, std::int64_t macs, std::int64_t folds,
                                          base::Cycles cycles) const {
    return {name, std::to_string(macs), std::to_string(folds), std::to_string(cycles.value()),
            base::text::percent(utilization(macs, cycles))};
  }

  base::text::TextTable core_table() const {
    base::text::TextTable table(
        {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right, Align::right});
    table.row({"layer", "MACs", "cycles", "MXU", "memory", "utilisation", "SCALE-Sim, one array"});
    std::int64_t macs = 0;
    base::Cycles convention;
    LayerTime total;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const workloads::scalesim::ScaleSimLayer& layer = topology_.layers[i];
      table.row(core_row(layer.name, layer.product.macs(), times_[i], by_convention(layer)));
      macs += layer.product.macs();
      convention += by_convention(layer);
      total += times_[i];
    }
    table.row(core_row("total", macs, total, convention));
    return table;
  }

  std::vector<std::string> core_row(const std::string& name, std::int64_t macs, const LayerTime& time,
                                    base::Cycles convention) const {
    return {name,
            std::to_string(macs),
            std::to_string(time.cycles.value()),
            std::to_string(time.mxu.value()),
            std::to_string(time.memory.value()),
            base::text::percent(utilization(macs, time.cycles)),
            std::to_string(convention.value())};
  }

  std::string json() const {
    Json layers = Json::array();
    std::int64_t macs = 0;
    base::Cycles cycles;
    for (std::size_t i = 0; i < topology_.layers.size(); ++i) {
      layers.push_back(layer_json(i));
      macs += topology_.layers[i].product.macs();
      cycles += cycles_of(i);
    }
    const Json result = {{"schema_version", 1},
                         {"command", "run"},
                         {"workload", options_.workload},
                         {"machine", machine_.name},
                         {"convention", options_.convention.value_or("podsim")},
                         {"arrays", options_.convention ? 1 : machine_.mxu.count},
                         {"array_rows", array_.rows},
                         {"array_columns", array_.columns},
                         {"layers", layers},
                         {"macs", macs},
                         {"cycles", cycles.value()},
                         {"utilization", utilization(macs, cycles)},
                         {"warnings", topology_.warnings},
                         {"wall_s", seconds()}};
    return base::text::json_text(result, 2) + "\n";
  }

  Json layer_json(std::size_t i) const {
    const workloads::scalesim::ScaleSimLayer& layer = topology_.layers[i];
    const workloads::scalesim::MatrixProduct& product = layer.product;
    Json json = {{"name", layer.name},
                 {"m", product.m},
                 {"n", product.n},
                 {"k", product.k},
                 {"macs", product.macs()},
                 {"cycles", cycles_of(i).value()},
                 {"utilization", utilization(product.macs(), cycles_of(i))}};
    if (times_.empty()) {
      json["folds"] = workloads::scalesim::weight_folds(array_, product);
    } else {
      json["mxu_cycles"] = times_[i].mxu.value();
      json["memory_cycles"] = times_[i].memory.value();
      json["hbm_bytes"] = times_[i].bytes.value();
      json["scale_sim_cycles"] = by_convention(layer).value();
    }
    return json;
  }

  const RunOptions& options_;
  base::host::HostClock::time_point begin_ = base::host::HostClock::now();
  sw::TargetMachine machine_;
  workloads::scalesim::SystolicArray array_;
  workloads::scalesim::ScaleSimTopology topology_;
  std::vector<LayerTime> times_;  ///< one per layer; empty with --convention
};

}  // namespace

void add_topology_flags(CLI::App& run, RunOptions& options) {
  static const std::vector<std::string> conventions{"scale-sim"};
  run.add_option_function<std::string>(
         "--convention",
         [&options](const std::string& text) {
           base::host::parse_choice("--convention", text, "a convention", conventions);
           options.convention = text;
         },
         "scale-sim: cycles of a topology as SCALE-Sim counts them,\non one weight-stationary array [our model of a "
         "core]")
      ->type_name(options::alternatives(conventions))
      ->option_text("NAME");
}

void check_topology_flags(const CLI::App& run, const RunOptions& options) {
  const bool topology = !workloads::importers::is_step(options.workload);
  if (!topology && options.convention) {
    throw base::InputError("--convention is for SCALE-Sim topologies, files that end in .csv");
  }
  if (!topology) return;
  for (const char* flag : {"--slice",
                           "--batch-per-core",
                           "--optimizer",
                           "--steps",
                           "--detail",
                           "--chip-ops",
                           "--fold",
                           "--overlap",
                           "--compiler",
                           "--contention",
                           "--algorithm",
                           "--memory",
                           "--op-cache",
                           "--output",
                           "--vcd",
                           "--trace",
                           "--stages",
                           "--micro-batches",
                           "--schedule",
                           "--chunks",
                           "--divide-at",
                           "--place-operators",
                           "--batch-per-replica",
                           "--fault"}) {
    if (run.get_option(flag)->count() == 0) continue;
    throw base::InputError(
        fmt::format("{} is for steps on a slice; a SCALE-Sim topology is run layer by layer on one core", flag));
  }
}

int run_topology(const RunOptions& options) { return TopologyRun(options).execute(); }

}  // namespace podsim::app::run
