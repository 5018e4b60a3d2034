// SPDX-License-Identifier: Apache-2.0
#include "sw/operators/operator_search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "hlo/build/graph_builder.h"
#include "sw/operators/division.h"
#include "sw/operators/metis.h"
#include "sw/runtime/session/session.h"
#include "tests/hlo/devices/branchy_program.h"
#include "tests/hlo/devices/same_values.h"
#include "tests/sw/target_machines.h"
#include "tests/workloads/tiny.h"
#include "workloads/models/amoebanet/amoebanet.h"
#include "workloads/models/inception/inception.h"

namespace podsim::sw::operators {
namespace {

const noc::Topology& one_chip() {
  static const noc::Topology slice{{1, 1}, {false, false}};
  return slice;
}

OperatorSearch searched(const hlo::Module& fused, int devices, const SearchLimits& limits) {
  static const noc::Topology two_chips{{2, 1}, {false, false}};
  const DeviceSet set{devices > 2 ? two_chips : one_chip(), devices};
  const driver::Target target{.machine = the_tpu_v3(), .cores = devices};
  return search_operators("program", fused, target, {}, set, limits);
}

constexpr SearchLimits short_search{.refined = 300, .annealed = 300, .simulated = 1};

hlo::Module fused_step(workloads::TrainingStep step) {
  step.module.donations = std::move(step.donations);
  return driver::fused(std::move(step.module), the_tpu_v3());
}

base::Time step_on_one_chip(const hlo::Module& module) {
  const driver::Step step = driver::compile(module, the_tpu_v3());
  runtime::session::Session session(the_tpu_v3(), one_chip());
  return session.run({.program = session.add(step.program)}).result.step_time;
}

/// Chains of products of their own weights, which are added up.
hlo::Module chains(int count, int products, std::int64_t size) {
  hlo::build::GraphBuilder b("chains");
  const hlo::Shape square = hlo::make_shape(hlo::ElementType::bf16, {size, size});
  const hlo::InstructionId x = b.parameter(square, "x");
  hlo::DotDimensions rows_by_columns;
  rows_by_columns.lhs_contracting = {1};
  rows_by_columns.rhs_contracting = {0};
  hlo::InstructionId sum = -1;
  for (int chain = 0; chain < count; ++chain) {
    hlo::InstructionId value = x;
    for (int i = 0; i < products; ++i) {
      value = b.dot(value, b.parameter(square, "w" + std::to_string(chain) + std::to_string(i)), rows_by_columns);
    }
    sum = sum < 0 ? value : b.add(sum, value);
  }
  return std::move(b).build(sum);
}

// The oracle is a run of the whole program, without devices. It has no op that makes a branch number of the device's,
// which takes less than a microsecond.
TEST(OperatorSearch, OneDeviceTakesTheStepOfTheWholeProgram) {
  const hlo::Module module =
      hlo::devices::testing::branchy_step(1, {.products = 6, .size = 256, .type = hlo::ElementType::f32});
  const OperatorSearch search = searched(driver::fused(module, the_tpu_v3()), 2, short_search);
  ASSERT_EQ(search.tried.front().name, "one device");
  const base::Time more = *search.tried.front().step - step_on_one_chip(module);
  EXPECT_GE(more, base::Time(0));
  EXPECT_LT(base::to_duration(more).si(), 1e-6);
}

// In closed form: half the products of 2 * 1024^3 FLOPs at the peak of a core, at least; at most half of the step of
// one core, and the transfer of 2 MiB through the HBM of both cores, with 20 us for latencies and the sum.
TEST(OperatorSearch, TwoChainsTakeHalfTheStepOnTwoDevices) {
  constexpr std::int64_t size = 1024;
  constexpr int products = 8;
  const hlo::Module module = chains(2, products, size);
  const OperatorSearch search = searched(driver::fused(module, the_tpu_v3()), 2, short_search);
  const double step = base::to_duration(*search.best().step).si();
  EXPECT_GE(step, products * 2.0 * size * size * size / the_tpu_v3().peak_flops_per_core());
  const double transfer = 2.0 * size * size * 2 / the_tpu_v3().hbm.stream_rate.si();
  EXPECT_LE(step, base::to_duration(step_on_one_chip(module)).si() / 2 + transfer + 20e-6);
}

TEST(OperatorSearch, IsNeverSlowerThanMetisAlone) {
  int faster = 0;
  constexpr int graphs = 9;
  for (unsigned seed = 0; seed < graphs; ++seed) {
    const hlo::Module module =
        hlo::devices::testing::branchy_step(seed, {.products = 8, .size = 512, .type = hlo::ElementType::f32});
    const OperatorSearch search = searched(driver::fused(module, the_tpu_v3()), seed % 3 == 2 ? 4 : 2, short_search);
    ASSERT_EQ(search.tried[1].name, "METIS alone");
    EXPECT_LE(*search.best().step, *search.tried[1].step);
    EXPECT_LE(*search.best().step, *search.tried[0].step);
    faster += *search.best().step < *search.tried[1].step ? 1 : 0;
  }
  EXPECT_GE(faster, graphs / 2);
}

// The tenth graph.
TEST(OperatorSearch, InceptionIsFasterThanByMetisAlone) {
  workloads::models::inception::InceptionOptions options;
  options.batch = 1;
  options.image_size = 107;
  const hlo::Module fused = fused_step(inception_training_step(options));
  const OperatorSearch search = searched(fused, 2, {.refined = 500, .annealed = 500, .simulated = 0});
  EXPECT_LT(*search.best().step, *search.tried[1].step);
  EXPECT_LT(*search.best().step, *search.tried[0].step);
}

// A network of branches with its gradients and update, fused and laid out. The oracle is the evaluator on the program
// of one core: every weight, slot variable and the loss have its bits.
TEST(OperatorSearch, DevicesHaveTheValuesOfTheWholeStep) {
  workloads::models::amoebanet::AmoebaNetOptions options;
  options.batch = 1;
  options.image_size = 32;
  options.classes = 5;
  options.cells = 3;
  options.reduction_size = 16;
  options.auxiliary = false;
  options.precision = workloads::testing::double_precision();
  const hlo::Module fused = fused_step(amoebanet_training_step(options));
  const std::vector<hlo::Literal> arguments = workloads::testing::arguments_for(fused, 1, 5);
  for (const int devices : {2, 4}) {
    const noc::Topology slice{{2, 1}, {false, false}};
    const OperatorGraph graph = operator_graph(fused, the_tpu_v3(), {slice, devices});
    OperatorDivision division{"METIS", metis_parts(graph.cluster_graph(), devices, 0.03)};
    division.schedule = estimated_schedule(graph, division.device);
    EXPECT_GT(division.schedule.transfers, 10);
    hlo::devices::testing::expect_same_values(fused, plan_of(graph, division, 1), {arguments});
  }
}

TEST(OperatorSearch, RefusesProgramsThatReadTheirDevice) {
  hlo::build::GraphBuilder b("device");
  const hlo::InstructionId number = b.partition_id();
  const hlo::Module module = std::move(b).build(number);
  EXPECT_THROW(operator_graph(module, the_tpu_v3(), {one_chip(), 2}), base::InputError);
}

}  // namespace
}  // namespace podsim::sw::operators
