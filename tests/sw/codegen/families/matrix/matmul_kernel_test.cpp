// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/matmul_kernel.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <functional>

#include "base/diagnostic.h"
#include "hlo/eval/evaluator.h"
#include "hw/timing/tile_pipeline.h"
#include "tests/sw/codegen/run_kernel.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::codegen::families::matrix {
namespace {

using Values = std::map<std::string, std::string>;

Kernel matmul(const Values& values) {
  const KernelFamily family = matmul_family();
  return family.build(the_tpu_v3(), arguments_of(family, values));
}

/// The array's order in plain loops: f32 sums of bf16 products over blocks of 128, k ascending, each from +0; the
/// blocks' sums added one after the other; then bias and ReLU.
class PlainMatmul {
 public:
  explicit PlainMatmul(const Values& values)
      : m_(number(values, "m")),
        n_(number(values, "n")),
        k_(number(values, "k")),
        transposed_(is(values, "rhs", "nk")),
        bias_(is(values, "bias", "yes")),
        relu_(is(values, "epilogue", "relu")),
        packed_(is(values, "dtype", "bf16")) {}

  std::vector<double> operator()(std::span<const hlo::Literal> inputs) const {
    const std::vector<float> a = bf16(inputs[0].values), b = bf16(inputs[1].values);
    std::vector<double> c;
    for (std::int64_t row = 0; row < m_; ++row) {
      for (std::int64_t column = 0; column < n_; ++column) {
        float sum = dot(a, b, row, column);
        if (bias_) sum = sum + float(inputs[2].values[std::size_t(column)]);
        if (relu_ && !std::isnan(sum)) sum = std::max(sum, 0.0F);
        c.push_back(packed_ ? hlo::round_to(hlo::ElementType::bf16, double(sum)) : double(sum));
      }
    }
    return c;
  }

 private:
  float dot(const std::vector<float>& a, const std::vector<float>& b, std::int64_t row, std::int64_t column) const {
    float sum = 0;
    for (std::int64_t block = 0; block < k_; block += 128) {
      float part = 0;
      for (std::int64_t i = block; i < std::min(k_, block + 128); ++i) {
        const float product =
            a[std::size_t(row * k_ + i)] * b[std::size_t(transposed_ ? column * k_ + i : i * n_ + column)];
        part = part + product;
      }
      sum = sum + part;
    }
    return sum;
  }
  static std::vector<float> bf16(const std::vector<double>& values) {
    std::vector<float> rounded;
    for (double value : values) rounded.push_back(float(hlo::round_to(hlo::ElementType::bf16, value)));
    return rounded;
  }
  static std::int64_t number(const Values& values, const char* name) { return std::stoll(values.at(name)); }
  static bool is(const Values& values, const char* name, const char* value) {
    const auto found = values.find(name);
    return found != values.end() && found->second == value;
  }

  std::int64_t m_, n_, k_;
  bool transposed_, bias_, relu_, packed_;
};

std::uint64_t bits(double value) { return std::isnan(value) ? ~0ULL : std::bit_cast<std::uint64_t>(value); }

void expect_the_arrays_bits(const Values& values, std::uint32_t seed, bool special = false) {
  const Kernel kernel = matmul(values);
  SCOPED_TRACE(kernel.name);
  const std::vector<hlo::Literal> inputs = random_inputs_of(kernel, seed, special);
  const std::vector<double> expected = PlainMatmul(values)(inputs);
  const std::vector<double> found = run_kernel(the_tpu_v3(), kernel, inputs).output.values;
  ASSERT_EQ(found.size(), expected.size());
  std::size_t differing = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (bits(found[i]) == bits(expected[i])) continue;
    if (++differing <= 3) ADD_FAILURE() << "element " << i << " is " << found[i] << ", not " << expected[i];
  }
  EXPECT_EQ(differing, 0U);
}

TEST(MatmulKernel, SumsInTheArraysOrderBitForBit) {
  for (const char* m : {"1", "8", "129"}) {
    for (const char* n : {"7", "128", "257"}) {
      for (const char* k : {"1", "127", "128", "300"}) expect_the_arrays_bits({{"m", m}, {"n", n}, {"k", k}}, 1);
    }
  }
}

TEST(MatmulKernel, DoesSoOnRandomShapesAndOptions) {
  std::mt19937 random(2);
  const auto size = [&](std::uint32_t most) { return std::to_string(1 + random() % most); };
  const auto either = [&](const char* x, const char* y) { return random() % 2 == 0 ? x : y; };
  for (int i = 0; i < 12; ++i) {
    expect_the_arrays_bits({{"m", size(300)},
                            {"n", size(400)},
                            {"k", size(400)},
                            {"dtype", either("f32", "bf16")},
                            {"rhs", either("kn", "nk")},
                            {"bias", either("no", "yes")},
                            {"epilogue", either("none", "relu")},
                            {"memory", either("hbm", "vmem")}},
                           std::uint32_t(i));
  }
}

TEST(MatmulKernel, CarriesNanAndInfinitiesWhereTheyBelongAndPaddingNowhere) {
  for (const char* dtype : {"f32", "bf16"}) {
    for (const char* rhs : {"kn", "nk"}) {
      expect_the_arrays_bits({{"m", "20"}, {"n", "140"}, {"k", "131"}, {"dtype", dtype}, {"rhs", rhs}}, 3, true);
      expect_the_arrays_bits({{"m", "9"}, {"n", "9"}, {"k", "9"}, {"dtype", dtype}, {"rhs", rhs}}, 4, true);
    }
  }
}

TEST(MatmulKernel, AppliesGeluAsTheReferenceDoes) {
  const Kernel kernel = matmul({{"m", "40"}, {"n", "200"}, {"k", "200"}, {"bias", "yes"}, {"epilogue", "gelu"}});
  const std::vector<hlo::Literal> inputs = random_inputs_of(kernel, 5);
  const std::vector<double> expected = hlo::eval::evaluate(kernel.reference, inputs).values;
  const std::vector<double> found = run_kernel(the_tpu_v3(), kernel, inputs).output.values;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-4 * std::max(1.0, std::abs(expected[i]))) << i;
  }
}

TEST(MatmulKernel, HasAResultWhereThereIsNothingToSum) {
  const Kernel kernel = matmul({{"m", "9"}, {"n", "130"}, {"k", "0"}, {"bias", "yes"}});
  const std::vector<hlo::Literal> inputs = random_inputs_of(kernel, 6);
  const std::vector<double> found = run_kernel(the_tpu_v3(), kernel, inputs).output.values;
  ASSERT_EQ(found.size(), 9U * 130);
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], inputs[2].values[i % 130]);
}

TEST(MatmulKernel, DoesNothingWhenTheResultIsEmpty) {
  for (const Values& empty : {Values{{"m", "0"}}, Values{{"n", "0"}}, Values{{"m", "0"}, {"k", "0"}}}) {
    const Kernel kernel = matmul(empty);
    const KernelOutcome outcome = run_kernel(the_tpu_v3(), kernel, random_inputs_of(kernel, 7));
    EXPECT_TRUE(outcome.output.values.empty());
    EXPECT_EQ(outcome.run.dmas, 0);
  }
}

/// A core with little VMEM, so that small problems are tiled in all dimensions.
TargetMachine small_machine(const char* vmem) {
  base::Config config = hw::machine_file("tpu-v3");
  config.set(std::string("core.vmem=") + vmem);
  return read_target(config);
}

TEST(MatmulKernel, AddsUpOverTilesThatDoNotAllFitVmem) {
  const TargetMachine small = small_machine("512 KiB");
  const KernelFamily family = matmul_family();
  for (const char* dtype : {"f32", "bf16"}) {
    const Values values{{"m", "200"},     {"n", "300"},    {"k", "700"},
                        {"dtype", dtype}, {"bias", "yes"}, {"epilogue", "relu"}};
    const Kernel kernel = family.build(small, arguments_of(family, values));
    const std::vector<hlo::Literal> inputs = random_inputs_of(kernel, 8);
    EXPECT_EQ(run_kernel(small, kernel, inputs).output.values, PlainMatmul(values)(inputs)) << kernel.passes;
  }
}

TEST(MatmulKernel, RefusesWhatNoTilesCanDo) {
  const KernelFamily family = matmul_family();
  EXPECT_THROW(family.build(small_machine("64 KiB"), arguments_of(family, {})), base::InputError);
  EXPECT_THROW(matmul({{"m", "4096"}, {"n", "4096"}, {"memory", "vmem"}}), base::InputError);
}

hw::bundle::BundleRunResult timing_of(const Kernel& kernel,
                                      std::function<void(const hw::bundle::IssueRecord&)> on_issue = {}) {
  hw::bundle::BundleRunOptions options;
  options.functional = false;
  options.on_issue = std::move(on_issue);
  hw::memory::DeviceMemory hbm(the_tpu_v3().hbm.capacity_per_core);
  return hw::bundle::run_bundles(the_tpu_v3(), kernel.program, hbm, options);
}

Values square(const char* size) { return {{"m", size}, {"n", size}, {"k", size}}; }

TEST(MatmulKernel, TakesWhatSiliconWasMeasuredToTake) {
  const std::int64_t small = measured_cycles("gemm", "256x256x256");
  const std::int64_t large = measured_cycles("gemm", "1024x1024x1024");
  if (small == 0 || large == 0) GTEST_SKIP() << "measurements are not here";
  EXPECT_NEAR(double(timing_of(matmul(square("256"))).cycles.value()), double(small), 0.15 * double(small));
  EXPECT_NEAR(double(timing_of(matmul(square("1024"))).cycles.value()), double(large), 0.12 * double(large));
}

TEST(MatmulKernel, KeepsTheMatrixUnitsBusyOnOperandsInVmem) {
  Values values = square("1024");
  values["memory"] = "vmem";
  std::array<std::int64_t, 2> last{}, pushes{}, in_time{};  // by unit; a unit takes a register in 8 cycles
  const hw::bundle::BundleRunResult run = timing_of(matmul(values), [&](const hw::bundle::IssueRecord& record) {
    const auto& push = record.bundle[hw::isa::Slot::push];
    if (!push || push->opcode != hw::isa::Opcode::mxu_lhs) return;
    const std::int64_t cycle = record.cycle.value();
    if (pushes[push->unit]++ > 0 && cycle - last[push->unit] == 8) ++in_time[push->unit];
    last[push->unit] = cycle;
  });
  EXPECT_EQ(run.dmas, 0);
  for (std::size_t unit : {0, 1}) {
    EXPECT_EQ(pushes[unit], 4096);  // 1024^3 on two units of 128 x 128, 8 rows at a time
    EXPECT_GE(double(in_time[unit]), 0.95 * 4096);
    EXPECT_GE(double(run.matrix_busy[unit].value()), 0.95 * double(run.cycles.value()));
  }
}

TEST(MatmulKernel, TakesAboutWhatTheTileLevelSays) {
  for (const Values& values : {square("128"), square("384"), Values{{"m", "1024"}, {"n", "256"}, {"k", "300"}},
                               Values{{"m", "512"}, {"n", "512"}, {"k", "512"}, {"dtype", "bf16"}, {"rhs", "nk"}}}) {
    const Kernel kernel = matmul(values);
    const double tiles = double(hw::timing::simulate_op(the_tpu_v3(), kernel.tile_op).cycles.value());
    EXPECT_NEAR(double(timing_of(kernel).cycles.value()), tiles, 0.1 * tiles) << kernel.name;
  }
}

TEST(MatmulKernel, MovesEachOperandOnceWhenOneOfThemFitsVmem) {
  const Kernel kernel = matmul({{"m", "1024"}, {"n", "512"}, {"k", "640"}});
  const hw::bundle::BundleRunResult run = timing_of(kernel);
  EXPECT_EQ(run.hbm_read, base::Bytes(4 * (1024 * 640 + 640 * 512)));
  EXPECT_EQ(run.hbm_written, base::Bytes(4 * 1024 * 512));
}

}  // namespace
}  // namespace podsim::sw::codegen::families::matrix
