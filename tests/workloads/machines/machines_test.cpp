// SPDX-License-Identifier: Apache-2.0
#include "workloads/machines/machines.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/diagnostic.h"
#include "noc/slice.h"
#include "sw/target_machine.h"

namespace podsim::workloads::machines {
namespace {

/// A machine file in a separate folder, removed at the end.
class MachineFile {
 public:
  MachineFile(const std::string& name, const std::string& text)
      : folder_(std::filesystem::path(::testing::TempDir()) / ("podsim_machine_" + name)) {
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / (name + ".toml")).string();
    std::ofstream(path_) << text;
  }
  ~MachineFile() { std::filesystem::remove_all(folder_); }
  MachineFile(const MachineFile&) = delete;
  MachineFile& operator=(const MachineFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

std::string diagnostic_of(const std::string& name_or_path) {
  try {
    machine_config(name_or_path);
  } catch (const base::InputError& error) {
    return base::format(error.diagnostics().front());
  }
  return "";
}

TEST(Machines, BothGenerationsAreBuiltInWithTheSameKeys) {
  const base::Config v2 = machine_config("tpu-v2");
  const base::Config v3 = machine_config("tpu-v3");
  ASSERT_EQ(v2.entries().size(), v3.entries().size());
  for (std::size_t i = 0; i < v2.entries().size(); ++i) {
    EXPECT_EQ(v2.entries()[i].key, v3.entries()[i].key);
    EXPECT_FALSE(v2.entries()[i].source.empty()) << v2.entries()[i].key;
    EXPECT_FALSE(v3.entries()[i].source.empty()) << v3.entries()[i].key;
  }
}

TEST(Machines, V3WithHbm3DiffersFromV3InItsMemoryOnlyAndSaysWhy) {
  const base::Config v3 = machine_config("tpu-v3");
  const base::Config hbm3 = machine_config("tpu-v3-hbm3");
  ASSERT_EQ(hbm3.entries().size(), v3.entries().size());
  for (std::size_t i = 0; i < v3.entries().size(); ++i) {
    const base::ConfigEntry &entry = hbm3.entries()[i], &before = v3.entries()[i];
    EXPECT_EQ(entry.key, before.key);
    EXPECT_FALSE(entry.source.empty()) << entry.key;
    EXPECT_NE(entry.evidence, base::Evidence::user) << entry.key;
    const bool memory =
        entry.key.starts_with("hbm") || entry.key == "switch.bytes_per_cycle" || entry.key == "host.infeed_copy_rate";
    if (!memory && entry.key != "machine.name") {
      EXPECT_EQ(entry.text, before.text) << entry.key;
    }
  }
  const sw::TargetMachine machine = sw::read_target(hbm3);
  EXPECT_EQ(machine.name, "tpu-v3-hbm3");
  EXPECT_GT(machine.hbm.stream_rate.si(), sw::read_target(v3).hbm.stream_rate.si());
}

TEST(Machines, AFileMayStartFromABuiltInMachineThatHasABaseItself) {
  const MachineFile file("wider", "base = \"tpu-v3-hbm3\"\n[mxu]\nsize = 256\n");
  const sw::TargetMachine machine = sw::read_target(machine_config(file.path()));
  EXPECT_EQ(machine.name, "wider");
  EXPECT_EQ(machine.mxu.size, 256);
  EXPECT_NEAR(machine.dram.clock.si(), 1.3e9, 1);
}

TEST(Machines, ThePublishedDifferencesOfTheGenerationsHold) {
  const sw::TargetMachine v2 = sw::read_target(machine_config("tpu-v2"));
  const sw::TargetMachine v3 = sw::read_target(machine_config("tpu-v3"));
  EXPECT_EQ(v2.name, "tpu-v2");
  EXPECT_EQ(v3.name, "tpu-v3");
  EXPECT_EQ(v3.hbm.capacity_per_core.value(), 2 * v2.hbm.capacity_per_core.value());
  EXPECT_EQ(v3.mxu.count, 2 * v2.mxu.count);
  EXPECT_NEAR(v3.ici.link_rate.si(), 82e9, 1);
  EXPECT_NEAR(v3.ici.payload_rate().si(), 70e9, 0.1e9);
  EXPECT_EQ(v3.pod.dimensions, (std::vector<std::int64_t>{32, 32}));
}

/// Figures of one chip that tpu_info.py of the JAX project and How to scale your model publish, in shared/measurements/
/// newer_chips_parameters.csv: per second. Rates of 0 are not published.
struct PublishedChip {
  std::string name;
  double bf16_flops, s8_ops, f8_flops, hbm_rate, link_rate;
  base::Bytes hbm, vmem;
};

const PublishedChip published_chips[] = {
    {"tpu-v5e", 197e12, 394e12, 0, 820e9, 45e9, base::Bytes(17200000000), base::Bytes(128 << 20)},
    {"tpu-v6e", 920e12, 1840e12, 920e12, 1640e9, 90e9, base::Bytes(34400000000), base::Bytes(128 << 20)},
};

TEST(Machines, LaterChipsHaveTheirPublishedPeaksAndRates) {
  for (const PublishedChip& chip : published_chips) {
    SCOPED_TRACE(chip.name);
    const sw::TargetMachine machine = sw::read_target(machine_config(chip.name));
    const double digits = 1e-3;  // figures have three
    const double peak = machine.peak_flops_per_core() * double(machine.cores_per_chip);
    const double product = peak / double(machine.mxu.bf16_products);
    EXPECT_NEAR(peak, chip.bf16_flops, digits * chip.bf16_flops);
    EXPECT_NEAR(product * double(machine.mxu.s8_products), chip.s8_ops, digits * chip.s8_ops);
    EXPECT_NEAR(product * double(machine.mxu.f8_products), chip.f8_flops, digits * chip.f8_flops);
    EXPECT_NEAR(machine.dram.pin_rate().si(), chip.hbm_rate, 2 * digits * chip.hbm_rate);
    EXPECT_NEAR(machine.ici.link_rate.si(), chip.link_rate, 1);
    EXPECT_NEAR(double(machine.hbm.capacity_per_core.value()), double(chip.hbm.value()),
                2e-3 * double(chip.hbm.value()));
    EXPECT_EQ(machine.vmem, chip.vmem);
    EXPECT_EQ(machine.cores_per_chip, 1);
    EXPECT_EQ(machine.pod.dimensions, (std::vector<std::int64_t>{16, 16}));
    EXPECT_EQ(machine.pod.host_chips, 8);
  }
}

TEST(Machines, LaterChipsPassWhatTheirMemoryGives) {
  for (const PublishedChip& chip : published_chips) {
    const sw::TargetMachine machine = sw::read_target(machine_config(chip.name));
    // A stream of reads has the pins but for refreshes, 350 ns of 3.9 us.
    EXPECT_NEAR(machine.hbm.stream_rate.si(), machine.dram.pin_rate().si() * (1 - 350.0 / 3900), 0.03 * chip.hbm_rate);
    EXPECT_GE(machine.hbm.port_rate.si(), machine.dram.pin_rate().si());
  }
}

TEST(Machines, LaterChipsSayWhereEveryValueComesFrom) {
  for (const PublishedChip& chip : published_chips) {
    const base::Config config = machine_config(chip.name);
    ASSERT_EQ(config.entries().size(), machine_config("tpu-v3").entries().size());
    for (const base::ConfigEntry& entry : config.entries()) {
      EXPECT_FALSE(entry.source.empty()) << entry.key;
      EXPECT_NE(entry.evidence, base::Evidence::user) << entry.key;
    }
  }
}

// How to scale your model: wrap links only on a full dimension of 16; smaller slices are open meshes.
TEST(Machines, SlicesOfLaterChipsHaveWrapLinksOnFullDimensionsOnly) {
  for (const PublishedChip& chip : published_chips) {
    const sw::TargetMachine machine = sw::read_target(machine_config(chip.name));
    const noc::PodShape pod{machine.pod.dimensions, machine.pod.pods};
    EXPECT_EQ(noc::slice_wraps(pod, {4, 4}), (std::vector<bool>{false, false}));
    EXPECT_EQ(noc::slice_wraps(pod, {8, 16}), (std::vector<bool>{false, true}));
    EXPECT_EQ(noc::slice_wraps(pod, {16, 16}), (std::vector<bool>{true, true}));
  }
}

TEST(Machines, AFileOverridesTpuV3AndNamesItsMachine) {
  const MachineFile file("wide", "[mxu]\nsize = 256\n");
  const sw::TargetMachine machine = sw::read_target(machine_config(file.path()));
  EXPECT_EQ(machine.name, "wide");
  EXPECT_EQ(machine.mxu.size, 256);
  EXPECT_EQ(machine.mxu.count, 2);
}

TEST(Machines, AFileMayStartFromAnotherMachineAndChooseItsName) {
  const MachineFile file("fast", "base = \"tpu-v2\"\n\n[machine]\nname = \"v2 fast\"\n[core]\nclock = \"1 GHz\"\n");
  const sw::TargetMachine machine = sw::read_target(machine_config(file.path()));
  EXPECT_EQ(machine.name, "v2 fast");
  EXPECT_EQ(machine.mxu.count, 1);
  EXPECT_NEAR(machine.clock.si(), 1e9, 1);
}

TEST(Machines, AnUnknownNameSuggestsTheNearest) {
  const std::string text = diagnostic_of("tpu-v33");
  EXPECT_NE(text.find("tpu-v33"), std::string::npos) << text;
  EXPECT_NE(text.find("did you mean 'tpu-v3'?"), std::string::npos) << text;
}

TEST(Machines, ANameUnlikeAnyListsWhatThereIs) {
  EXPECT_NE(diagnostic_of("abacus").find("built-in machines: tpu-v2 tpu-v3"), std::string::npos);
}

TEST(Machines, AnUnknownBaseIsShownInItsLine) {
  const MachineFile file("odd", "# a comment\nbase = \"tpu-v4\"\n");
  const std::string text = diagnostic_of(file.path());
  EXPECT_NE(text.find("odd.toml:2:1"), std::string::npos) << text;
  EXPECT_NE(text.find("tpu-v4"), std::string::npos) << text;
}

TEST(Machines, AnErrorBelowTheBaseIsReportedWhereItStands) {
  const MachineFile file("typo", "base = \"tpu-v2\"\n[ici]\nlink_rat = \"164 GB/s\"\n");
  const std::string text = diagnostic_of(file.path());
  EXPECT_NE(text.find("typo.toml:3:1"), std::string::npos) << text;
  EXPECT_NE(text.find("did you mean 'link_rate'?"), std::string::npos) << text;
}

TEST(Machines, AFileThatIsNotTomlIsReported) {
  const MachineFile file("broken", "[mxu\nsize = 256\n");
  EXPECT_NE(diagnostic_of(file.path()).find("broken.toml:"), std::string::npos);
}

}  // namespace
}  // namespace podsim::workloads::machines
