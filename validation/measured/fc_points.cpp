// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/fc_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/csv_rows.h"
#include "base/diagnostic.h"
#include "noc/topology.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "sw/driver/compiler_year.h"
#include "workloads/models/perceptron.h"

namespace podsim::validation::measured {
namespace {

using hlo::ElementType;
using hlo::InstructionId;

constexpr double v2_peak = 22.5e12;  ///< FLOP/s of a core
constexpr std::int64_t cores = 8;
constexpr double largest = 1 << 20;
constexpr double host_bound_percent = 2;  ///< of the step in the infeed; above it the host limits the step

const sw::driver::CompilerYear& compiler_of_paradnn() { return sw::driver::compiler_in(2018); }

struct FullyConnected {
  std::int64_t hidden_layers, nodes, inputs, outputs, batch;  ///< batch of a core
};

std::int64_t layer_size(const base::CsvRow& row, std::string_view column) {
  const double size = row.positive(column);
  if (size > largest) throw base::InputError(fmt::format("{} is not the size of a layer or batch", size));
  return std::int64_t(size);
}

FullyConnected network_of(const base::CsvRow& row) {
  return {layer_size(row, "hidden_layers"), layer_size(row, "nodes"), layer_size(row, "inputs"),
          layer_size(row, "outputs"), std::max<std::int64_t>(1, layer_size(row, "global_batch") / cores)};
}

workloads::models::PerceptronOptions options_of(const FullyConnected& n) {
  workloads::models::PerceptronOptions options;
  options.batch = n.batch;
  options.layers = n.hidden_layers;
  options.nodes = n.nodes;
  options.inputs = n.inputs;
  options.outputs = n.outputs;
  options.training.replicas = cores;
  return options;
}

/// A trained variable, and how many of its shape a network has.
struct Variable {
  std::vector<std::int64_t> sizes;
  std::int64_t count;

  std::int64_t elements() const {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t(1), std::multiplies<>());
  }
};

std::vector<Variable> variables_of(const FullyConnected& n) {
  return {{{n.inputs, n.nodes}, 1},
          {{n.nodes, n.nodes}, n.hidden_layers - 1},
          {{n.nodes, n.outputs}, 1},
          {{n.nodes}, n.hidden_layers},
          {{n.outputs}, 1}};
}

/// All-reduces of one f32 variable over all cores of an idle slice.
class AllReduces {
 public:
  explicit AllReduces(const sw::TargetMachine& machine) : machine_(machine) {}

  double seconds(std::int64_t elements) {
    const auto [found, inserted] = known_.try_emplace(elements, 0.0);
    if (inserted) found->second = simulated(elements);
    return found->second;
  }
  bool fits(const Variable& variable) const {
    return base::Bytes(4 * variable.elements()) <= machine_.hbm.usable_per_core();
  }

 private:
  double simulated(std::int64_t elements) const {
    const noc::Topology slice({2, 2}, {false, false});
    const auto members = sw::collectives::CollectiveGroups::all(slice, int(machine_.cores_per_chip));
    const auto choice = sw::collectives::engine::choose_algorithm(
        machine_, slice, members, {sw::collectives::CollectiveKind::all_reduce, ElementType::f32, elements});
    return base::to_duration(sw::collectives::engine::simulate_collective(machine_, choice.schedule).duration).si();
  }

  const sw::TargetMachine& machine_;
  std::map<std::int64_t, double> known_;
};

/// The update of a variable by RMSProp with momentum.
hlo::Module update_of(const Variable& variable) {
  hlo::build::GraphBuilder b("update");
  const auto array = [&](const char* name) {
    return b.parameter(hlo::make_shape(ElementType::f32, variable.sizes), name);
  };
  const InstructionId w = array("value"), g = array("gradient"), before = array("mean_square"),
                      momentum = array("momentum");
  const InstructionId change = b.subtract(b.multiply(g, g), before);
  const InstructionId mean = b.add(before, b.multiply(change, b.full_like(before, 0.1)));
  const InstructionId scale = b.rsqrt(b.add(mean, b.full_like(mean, 1e-10)));
  const InstructionId step = b.multiply(b.multiply(g, b.full_like(g, 0.01)), scale);
  const InstructionId sum = b.add(b.multiply(momentum, b.full_like(momentum, 0.9)), step);
  return std::move(b).build(b.tuple({b.subtract(w, sum), mean, sum}));
}

/// Time of ops of a category, from that of the matrix products and both shares of the step.
double measured_s(const base::CsvRow& row, const char* time_percent, double products_s) {
  return products_s * row.percent(time_percent) / row.positive("output_fusion_time_percent");
}

Point all_reduce_point(const base::CsvRow& row, const FullyConnected& network, Point point, AllReduces& all_reduces,
                       const CoreModel& core) {
  const std::vector<Variable> variables = variables_of(network);
  if (row.percent("infeed_percent") > host_bound_percent) {
    point.reason = "the host limits the step, and cores wait for each other";
    return point;
  }
  if (!std::ranges::all_of(variables, [&](const Variable& v) { return all_reduces.fits(v); })) {
    point.reason = "a gradient is larger than a core's memory";
    return point;
  }
  point.modelled = 0;
  for (const Variable& variable : variables) {
    *point.modelled += double(variable.count) * all_reduces.seconds(variable.elements());
    point.roofline += double(variable.count) * core.roofline_s(std::nullopt, 2.0 * 4 * double(variable.elements()));
  }
  return point;
}

Point update_point(const FullyConnected& network, Point point, CoreModel& core) {
  point.modelled = 0;
  for (const Variable& variable : variables_of(network)) {
    const CoreModel::Times times = core.times_of(update_of(variable), compiler_of_paradnn());
    *point.modelled += double(variable.count) * times.modelled_s;
    point.roofline += double(variable.count) * times.roofline_s;
  }
  return point;
}

}  // namespace

std::vector<PointClass> fc_points(const std::string& file, std::string_view text, Silicon& silicon) {
  PointClass products{.name = "products of perceptrons", .machine = "tpu-v2", .file = file, .points = {}};
  PointClass sums{.name = "all-reduces of perceptrons", .machine = "tpu-v2", .file = file, .points = {}};
  PointClass updates{.name = "updates of perceptrons", .machine = "tpu-v2", .file = file, .points = {}};
  CoreModel& core = silicon.core("tpu-v2");
  AllReduces all_reduces(core.machine());
  base::read_csv_rows(file, text, "nodes", [&](const base::CsvRow& row) {
    if (row.empty("output_fusion_flops_percent_of_peak")) return;
    silicon.end_if_interrupted();
    const FullyConnected network = network_of(row);
    const CoreModel::Times times = core.product_times_of(
        workloads::models::perceptron_training_step(options_of(network)).module, compiler_of_paradnn());
    const double rate = v2_peak * row.positive("output_fusion_flops_percent_of_peak") / 100;
    Point point{.name = fmt::format("{} x {}, {} -> {}, batch {}", network.hidden_layers, network.nodes, network.inputs,
                                    network.outputs, network.batch),
                .measured = workloads::models::perceptron_flops(options_of(network)) / rate};
    const double products_s = point.measured;
    products.points.push_back(point);
    products.points.back().modelled = times.modelled_s;
    products.points.back().roofline = times.roofline_s;
    point.measured = measured_s(row, "cross_replica_sum_time_percent", products_s);
    if (point.measured > 0) sums.points.push_back(all_reduce_point(row, network, point, all_reduces, core));
    point.measured = measured_s(row, "loop_fusion_time_percent", products_s) +
                     measured_s(row, "non_fusion_elementwise_time_percent", products_s);
    if (point.measured > 0) updates.points.push_back(update_point(network, point, core));
  });
  return {products, sums, updates};
}

}  // namespace podsim::validation::measured
