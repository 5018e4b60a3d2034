// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "hw/timing/tile_pipeline.h"
#include "sw/driver/compile.h"
#include "workloads/machines/machines.h"
#include "workloads/models/resnet50.h"

/// ResNet-50's compiled training step against the one that XLA compiled in MLPerf v0.7 for 32 TPU-v3 chips, 128 images
/// per core.
namespace podsim::workloads {
namespace {

using sw::compiler::CompiledOp;
using sw::compiler::Program;
using sw::compiler::ProgramItem;
using sw::driver::Step;

const sw::TargetMachine& machine() {
  static const sw::TargetMachine tpu = sw::read_target(machines::machine_config("tpu-v3"));
  return tpu;
}

sw::driver::Step compiled(std::int64_t replicas = 64, std::int64_t batch = 128) {
  models::ResNetOptions options;
  options.batch = batch;
  options.training.replicas = replicas;
  return sw::driver::compile(models::resnet_training_step(options).module, machine());
}

std::string measured_profile() {
  std::ifstream file(std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/measurements/op_profiles/resnet.csv");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_same(const sw::compiler::Program& a, const sw::compiler::Program& b) {
  ASSERT_EQ(a.ops.size(), b.ops.size());
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    EXPECT_EQ(a.ops[i].work, b.ops[i].work) << a.ops[i].tiles.name;
    EXPECT_EQ(a.ops[i].tiles.runs, b.ops[i].tiles.runs) << a.ops[i].tiles.name;
    EXPECT_EQ(a.ops[i].tiles.vmem, b.ops[i].tiles.vmem) << a.ops[i].tiles.name;
  }
  ASSERT_EQ(a.items.size(), b.items.size());
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    EXPECT_EQ(a.items[i].index, b.items[i].index);
    EXPECT_EQ(a.items[i].hlo_text, b.items[i].hlo_text);
    EXPECT_EQ(a.items[i].flops, b.items[i].flops);
    EXPECT_EQ(a.items[i].bytes, b.items[i].bytes);
  }
  EXPECT_EQ(a.flops, b.flops);
}

TEST(CompiledResNet50, AddsUpItsGradientsInOneAllReduceOf51106384Bytes) {
  sw::compiler::Program program = compiled().program;
  ASSERT_EQ(program.collectives.size(), 1U);
  EXPECT_EQ(program.collectives[0].bytes, base::Bytes(51'106'384));
  EXPECT_EQ(program.collectives[0].element_type, hlo::ElementType::bf16);
}

TEST(CompiledResNet50, DoesThreeTeraflopPerCoreAndStep) {
  EXPECT_NEAR(compiled().program.flops, 3.0e12, 0.05 * 3.0e12);
}

TEST(CompiledResNet50, FeedsInImagesAndLabels) {
  sw::compiler::Program program = compiled().program;
  EXPECT_EQ(program.infeeds[0].bytes, base::Bytes(128 * 224 * 224 * 3 * 2 + 128 * 4));
  EXPECT_EQ(program.infeeds[0].tensors, 2);
}

TEST(CompiledResNet50, EqualModulesGiveEqualPrograms) { expect_same(compiled().program, compiled().program); }

TEST(CompiledResNet50, IsTheSameProgramOnAnyNumberOfCores) { expect_same(compiled(8).program, compiled(8192).program); }

TEST(CompiledResNet50, RepeatsItsOps) {
  sw::compiler::Program program = compiled().program;
  EXPECT_LE(program.ops.size() * 2, program.items.size())
      << "blocks of a stage are alike: at least half of the ops recur";
  std::set<int> used;
  for (const sw::compiler::ProgramItem& item : program.items) {
    if (item.kind == sw::compiler::ProgramItem::Kind::op) used.insert(item.index);
  }
  EXPECT_EQ(used.size(), program.ops.size());
}

TEST(CompiledResNet50, EveryOpFitsVmem) {
  const sw::compiler::Program program = compiled().program;
  for (const sw::compiler::CompiledOp& op : program.ops) {
    EXPECT_LE(op.tiles.vmem, machine().vmem) << op.tiles.name;
    EXPECT_GT(op.tiles.vmem, base::Bytes(0)) << op.tiles.name;
  }
}

TEST(CompiledResNet50, HasConvolutionsInTheOpsThatTheyHaveOnSilicon) {
  // 53 convolutions and the classifier, each three times (forward, input and kernel gradient) but for the first one's
  // input gradient.
  sw::compiler::Program program = compiled().program;
  auto matmuls = std::ranges::count_if(
      program.items, [](const sw::compiler::ProgramItem& item) { return item.category.starts_with("convolution"); });
  EXPECT_EQ(matmuls, 3 * 54 - 1);
}

TEST(CompiledResNet50, ImagesAndKernelsHaveTheLayoutsThatXlaGaveThem) {
  std::string profile = measured_profile();
  if (profile.empty()) GTEST_SKIP() << "no measured profile to compare with";
  const std::regex shape("(?:bf16|f32)\\[(\\d+,\\d+,\\d+,\\d+)\\]\\{([\\d,]+)");
  std::map<std::string, std::string> layouts;
  for (std::sregex_iterator at(profile.begin(), profile.end(), shape), end; at != end; ++at) {
    layouts[(*at)[1]] = (*at)[2];
  }
  std::set<std::string> compared;
  const sw::driver::Step compilation = compiled();
  for (const hlo::Instruction& instruction : compilation.module.entry_computation().instructions) {
    std::string text = hlo::to_string(instruction.shape);
    for (std::sregex_iterator at(text.begin(), text.end(), shape), end; at != end; ++at) {
      auto found = layouts.find((*at)[1]);
      if (found == layouts.end()) continue;
      EXPECT_EQ((*at)[2], found->second) << text;
      compared.insert(found->first);
    }
  }
  // 10 kinds of images that convolutions read and write, and 21 kinds of kernels.
  EXPECT_GE(compared.size(), 30U);
}

TEST(CompiledResNet50, ItsOpsTakeTogetherWhatTheyTakeOnSilicon) {
  std::istringstream profile(measured_profile());
  std::string line;
  if (!std::getline(profile, line)) GTEST_SKIP() << "no measured profile to compare with";
  constexpr double steps_profiled = 1664;
  double measured_us = 0;
  while (std::getline(profile, line)) {
    if (line.find('"') == std::string::npos) continue;  // an op that XProf could not name
    if (line.find(",all-reduce,") != std::string::npos || line.find(",infeed,") != std::string::npos) continue;
    // After the quoted HLO text: TF op, occurrences, total, average, total self time.
    std::istringstream rest(line.substr(line.rfind('"') + 2));
    std::vector<std::string> fields;
    for (std::string field; std::getline(rest, field, ',');) fields.push_back(field);
    measured_us += std::stod(fields.at(4)) / steps_profiled;
  }
  sw::compiler::Program program = compiled().program;
  hw::timing::TilePipeline pipeline(machine());
  std::vector<double> op_us;
  for (const sw::compiler::CompiledOp& op : program.ops) {
    op_us.push_back(double(pipeline.simulate(op.tiles).cycles.value()) / machine().clock.si() * 1e6);
  }
  double modelled_us = 0;
  for (const sw::compiler::ProgramItem& item : program.items) {
    if (item.kind == sw::compiler::ProgramItem::Kind::op) modelled_us += op_us[item.index];
  }
  EXPECT_NEAR(modelled_us / measured_us, 1, 0.05) << modelled_us << " us, measured " << measured_us << " us";
  EXPECT_NEAR(measured_us, 115'455, 10) << "the whole profile was read";
}

/// The property that identifies ops across compilers: the arrays of two or more dimensions that an op reads and writes.
std::string signature(const std::string& hlo_text) {
  static const std::regex array(R"((bf16|f32|pred)\[\d+(,\d+)+\])");
  const std::size_t operands = hlo_text.find(hlo_text.find("= (") == std::string::npos ? "(" : ") ");
  auto arrays = [&](const std::string& text) {
    std::multiset<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), array), end; at != end; ++at) found.insert(at->str());
    std::string joined;
    for (const std::string& one : found) joined += one + " ";
    return joined;
  };
  return arrays(hlo_text.substr(0, operands)) + "<- " + arrays(hlo_text.substr(operands));
}

using OpTimes = std::map<std::string, std::vector<double>>;

/// Times of every op that ran in most steps, by signature, in microseconds.
OpTimes measured_op_times() {
  OpTimes times;
  std::istringstream profile(measured_profile());
  std::string line;
  std::getline(profile, line);
  while (std::getline(profile, line)) {
    if (line.find('"') == std::string::npos) continue;
    std::istringstream rest(line.substr(line.rfind('"') + 2));
    std::vector<std::string> fields;
    for (std::string field; std::getline(rest, field, ',');) fields.push_back(field);
    if (std::stod(fields.at(1)) > 1000)
      times[signature(line.substr(line.find('"')))].push_back(std::stod(fields.at(3)));
  }
  return times;
}

// The figure of README and docs/model.md: `./podsim selftest -R OpByOp -V` prints it.
TEST(CompiledResNet50, OpByOpItsTimesAreWithinSixPercentOfSilicon) {
  OpTimes measured = measured_op_times();
  if (measured.empty()) GTEST_SKIP() << "no measured profile to compare with";
  OpTimes modelled;
  sw::compiler::Program program = compiled().program;
  hw::timing::TilePipeline pipeline(machine());
  for (const sw::compiler::ProgramItem& item : program.items) {
    if (item.kind != sw::compiler::ProgramItem::Kind::op) continue;
    double cycles = double(pipeline.simulate(program.ops[item.index].tiles).cycles.value());
    modelled[signature(item.hlo_text)].push_back(cycles / machine().clock.si() * 1e6);
  }
  double error = 0, bias = 0, compared = 0;
  for (auto& [name, times] : modelled) {
    auto found = measured.find(name);
    if (found == measured.end() || name == "<- ") continue;
    std::ranges::sort(times);
    std::ranges::sort(found->second);
    for (std::size_t i = 0; i < std::min(times.size(), found->second.size()); ++i) {
      error += std::abs(times[i] - found->second[i]);
      bias += times[i] - found->second[i];
      compared += found->second[i];
    }
  }
  std::printf(
      "ops that match by shape: %.1f ms of 116.6 ms measured, time-weighted mean absolute error %.1f %%, bias %+.1f "
      "%%\n",
      compared * 1e-3, 100 * error / compared, 100 * bias / compared);
  EXPECT_GT(compared, 100'000) << "most of the step was compared";
  EXPECT_LT(error / compared, 0.06);
}

}  // namespace
}  // namespace podsim::workloads
