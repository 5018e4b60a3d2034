// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/bundle_run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/hw/bundle/pasm.h"

namespace podsim::hw::bundle {
namespace {

std::vector<std::filesystem::path> program_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(PODSIM_SOURCE_DIR "/tests/hw/isa/programs")) {
    if (file.path().extension() == ".pasm") files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// All parts of a result except its failed expectations.
auto figures(const BundleRunResult& result) {
  return std::tuple(result.cycles, result.bundles, result.slot_use, result.stalls, result.matrix_busy, result.hbm_busy,
                    result.hbm_read, result.hbm_written, result.dmas, result.end);
}

TEST(BundleRun, ExampleProgramsMeetTheirExpectations) {
  ASSERT_GE(program_files().size(), 4u);
  for (const auto& file : program_files()) {
    SCOPED_TRACE(file.filename());
    Pasm pasm;
    pasm.machine = tpu_v3();
    EXPECT_GT(pasm.cycles(file_text(file)), 0);
  }
}

TEST(BundleRun, WithoutDataTimeIsTheSame) {
  for (const auto& file : program_files()) {
    SCOPED_TRACE(file.filename());
    Pasm with_data, without_data;
    without_data.options.functional = false;
    const BundleRunResult fast = without_data.run(file_text(file));
    EXPECT_EQ(figures(with_data.run(file_text(file))), figures(fast));
    EXPECT_TRUE(fast.failed.empty()) << "expectations are not checked";
  }
}

TEST(BundleRun, BothViewsOfTheMatrixUnitsGiveTheSame) {
  Pasm event, rows;
  rows.options.matrix_view = matrix::MatrixUnitView::rows;
  const std::string text = file_text(PODSIM_SOURCE_DIR "/tests/hw/isa/programs/matmul.pasm");
  EXPECT_EQ(figures(event.pass(text)), figures(rows.pass(text)));
}

TEST(BundleRun, ScalarsSteerProgramsWithoutDataToo) {
  Pasm pasm;
  pasm.options.functional = false;
  // SMEM comes from HBM, and so does the number of trips.
  const BundleRunResult result = pasm.run(
      "dma in\nsync.wait 0, 1\ns.load s1, [0]\nnop\nnop\nnop\nagain: s.loop s1, again\nhalt\n"
      ".hbm trips\n .word 5\n.smem there, 0\n .zeros 8\n"
      ".dma in, 8 { route = hbm_to_smem ; source = trips ; destination = 0 ; words = 1 }\n");
  EXPECT_EQ(stalled(result, Stall::branch), 4 * 8);
}

TEST(BundleRun, HbmHoldsArraysBeforeAndAfter) {
  Pasm pasm;
  memory::DeviceMemory hbm(pasm.machine.hbm.capacity_per_core);
  const std::vector<std::uint32_t> in{3, 1, 4};
  hbm.write(5000, in);
  pasm.run(isa::pasm::assemble("t",
                               "dma copy\nsync.wait 0, 1\nhalt\n"
                               ".dma copy { route = hbm_to_hbm ; source = 5000 ; destination = 6000 ; words = 3 }\n"),
           hbm);
  std::vector<std::uint32_t> out(3);
  hbm.read(6000, out);
  EXPECT_EQ(out, in);
}

/// Rows of two words, 5 words apart in HBM and 3 in VMEM.
isa::DmaDescriptor copy_in() {
  isa::DmaDescriptor copy;
  copy.source = 5000;
  copy.destination = 256;
  copy.words = copy.rows = 2;
  copy.source_stride = 5;
  copy.destination_stride = 3;
  return copy;
}
isa::DmaDescriptor copy_out() {
  isa::DmaDescriptor copy = copy_in();
  copy.route = isa::DmaRoute::vmem_to_hbm;
  std::swap(copy.source, copy.destination);
  std::swap(copy.source_stride, copy.destination_stride);
  return copy;
}

TEST(BundleRun, CopiesBeforeAndAfterMoveStridedRowsInNoTime) {
  Pasm pasm;
  const isa::Program program =
      isa::pasm::assemble("t", "vld v1, [2]\nnop\nnop\nnop\nv.add.s32 v1, v1, 1\nnop\nvst [2], v1\nhalt\n");
  memory::DeviceMemory hbm(pasm.machine.hbm.capacity_per_core);
  const base::Cycles without = pasm.run(program, hbm).cycles;
  const std::vector<std::uint32_t> in{3, 1, 9, 9, 9, 4, 1, 9};
  hbm.write(5000, in);
  pasm.options.before = {copy_in()};
  pasm.options.after = {copy_out()};
  const BundleRunResult result = pasm.run(program, hbm);
  EXPECT_EQ(result.cycles, without);
  EXPECT_EQ(result.dmas, 0);
  EXPECT_EQ(result.hbm_read, base::Bytes(0));
  std::vector<std::uint32_t> out(in.size());
  hbm.read(5000, out);
  EXPECT_EQ(out, (std::vector<std::uint32_t>{4, 2, 9, 9, 9, 5, 2, 9}));
}

TEST(BundleRun, CopiesOfARunWithoutDataLeaveMemoryAsItIs) {
  Pasm pasm;
  pasm.options.functional = false;
  pasm.options.after = {copy_out()};
  memory::DeviceMemory hbm(pasm.machine.hbm.capacity_per_core);
  const std::vector<std::uint32_t> before{3, 1};
  hbm.write(5000, before);
  pasm.run(isa::pasm::assemble("t", "halt\n"), hbm);
  std::vector<std::uint32_t> after(2);
  hbm.read(5000, after);
  EXPECT_EQ(after, before);
}

TEST(BundleRun, CountsTimeInTheClockOfTheMachine) {
  Pasm pasm;
  pasm.machine = tpu_v3();
  const BundleRunResult result = pasm.run("nop\nnop\nhalt\n");
  EXPECT_EQ(result.end, pasm.machine.core_clock().time_of(base::Cycles(3)));
}

TEST(BundleRun, TellsWhichWordsDiffer) {
  Pasm pasm;
  const isa::Program program = isa::pasm::assemble("test.pasm", "halt\n.expect smem, 2\n .word 0, 7\n");
  memory::DeviceMemory hbm(pasm.machine.hbm.capacity_per_core);
  const BundleRunResult result = pasm.run(program, hbm);
  ASSERT_EQ(result.failed.size(), 1u);
  EXPECT_EQ(result.failed[0].expectation, &program.expectations[0]);
  EXPECT_EQ(result.failed[0].first, 1u);
  EXPECT_EQ(result.failed[0].expected, 7u);
}

/// The error of run_bundles for a program that cannot run on the machine.
std::string input_error(const isa::Program& program, const BundleRunOptions& options = {}) {
  const Machine machine = round_machine();
  memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
  try {
    run_bundles(machine, program, hbm, options);
  } catch (const base::InputError& error) {
    return error.diagnostics().at(0).message;
  }
  return "";
}

TEST(BundleRun, RefusesAProgramThatDoesNotFitTheMachine) {
  const auto assembled = [](const std::string& text) { return isa::pasm::assemble("p", text); };
  EXPECT_EQ(input_error(assembled("pop v1, mxu2\nhalt\n")), "p: segment 'main' uses matrix unit 2; tpu-v3 has 2");
  isa::Program far = assembled("halt\n");
  far.segments[0].address = 65536;
  EXPECT_EQ(input_error(far), "p: segment 'main' ends beyond the instruction memory of 65536 bundles");
  EXPECT_EQ(input_error(assembled("halt\n.smem x, 4088\n .zeros 9\n")),
            "p: data 'x' ends beyond the 4096 words of smem");
  EXPECT_EQ(input_error(assembled("halt\n.vmem x, 0x3fffff\n .zeros 2\n")),
            "p: data 'x' ends beyond the 4194304 words of vmem");
  EXPECT_EQ(input_error(assembled("halt\n.expect smem, 4096\n .word 1\n")),
            "p: an expectation ends beyond the 4096 words of smem");
  isa::Program illegal = assembled("nop\nhalt\n");
  isa::Instruction instruction;
  instruction.opcode = isa::Opcode::s_mov;  // of s0
  illegal.segments[0].bundles[0][isa::Slot::scalar0] = instruction;
  EXPECT_EQ(input_error(illegal).substr(0, 44), "p: bundle 0 of segment 'main' is not legal: ");
}

TEST(BundleRun, RefusesCopiesBeyondAMemoryWithDataOrWithout) {
  const isa::Program program = isa::pasm::assemble("p", "halt\n");
  BundleRunOptions options;
  for (const bool functional : {true, false}) {
    options.functional = functional;
    options.before = {copy_in()};
    options.before[0].destination = 4194304 - 5;  // rows end 2 and 5 words after it
    EXPECT_EQ(input_error(program, options), "");
    ++options.before[0].destination;
    EXPECT_EQ(input_error(program, options), "p: a copy ends beyond the 4194304 words of vmem");
    options.before.clear();
    options.after = {copy_out()};
    options.after[0].source = 4194304 - 4;
    EXPECT_EQ(input_error(program, options), "p: a copy ends beyond the 4194304 words of vmem");
    options.after.clear();
  }
}

TEST(BundleRun, RefusesAProgramThatWordsOfVectorsSteerWithoutData) {
  const isa::Program program = isa::pasm::assemble("p", "push.scalar v1\n{ v.mov v2, 1\n  s.pop s1 }\nhalt\n");
  BundleRunOptions options;
  EXPECT_EQ(input_error(program, options), "");
  options.functional = false;
  const Machine machine = round_machine();
  memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
  try {
    run_bundles(machine, program, hbm, options);
    FAIL() << "it runs";
  } catch (const base::InputError& error) {
    EXPECT_EQ(base::format(error.diagnostics().at(0)),
              "p:3:3: error: s.pop takes a word of a vector, and a run for the time only has no data of vectors\n"
              "  3 |   s.pop s1 }\n"
              "    |   ^~~~~ it runs without --timing-only\n");
  }
}

TEST(BundleRun, RunsAsOftenAsOneLikesWhateverCameBefore) {
  Pasm pasm;
  const BundleRunResult first = pasm.run("e.exp v1\npop v2, eup\nhalt\n");
  EXPECT_NE(pasm.verdict("pop v2, eup\n"), "");
  EXPECT_EQ(figures(pasm.run("e.exp v1\npop v2, eup\nhalt\n")), figures(first));
}

}  // namespace
}  // namespace podsim::hw::bundle
