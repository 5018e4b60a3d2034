// SPDX-License-Identifier: Apache-2.0
// Every key of a machine changes the output of a command, or, if it is a limit, refuses inputs that exceed it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text/glob.h"
#include "tests/app/commands.h"

namespace podsim::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const Words copy_kernel = {"kernel", "copy", "--rows", "64", "--columns", "256"};
const Words transpose_kernel = {"kernel", "transpose", "--rows", "256", "--columns", "256"};
const Words matmul_kernel = {"kernel", "matmul", "--m", "256", "--n", "256", "--k", "256"};
const Words softmax_kernel = {"kernel", "softmax", "--rows", "64", "--columns", "256"};
const Words at_the_limits = {"kernel", "limits.pasm"};
const Words many_dmas = {"kernel", "dmas.pasm"};
const Words words_to_scalars = {"kernel", "words.pasm"};
const Words sequential_reads = {"memory", "--pattern", "sequential", "--bytes", "4MiB"};
const Words mixed_traffic = {"memory", "--pattern", "mixed", "--bytes", "256KiB"};
const Words random_rows = {"memory", "--pattern", "random", "--row", "32", "--bytes", "64KiB"};
const Words message_level = {"collective", "all-reduce", "--slice", "2x2", "--bytes", "1MiB"};
const Words several_hosts = {"collective", "all-reduce", "--slice", "4x4", "--bytes", "4KiB"};
const Words long_messages = {"collective", "all-gather", "--slice", "2x2", "--bytes", "1GiB"};
const Words between_pods = {"collective", "all-gather", "--slice", "64x2", "--bytes", "1MiB"};
const Words few_packets = {"collective", "all-reduce", "--slice", "2x2", "--bytes", "64KiB", "--network", "packet"};
const Words packets_from_one = {"collective", "broadcast", "--slice", "4x4", "--bytes", "64KiB", "--network", "packet"};
const Words packets_on_rings = {"collective", "all-to-all", "--slice", "32x2",        "--bytes",
                                "64KiB",      "--network",  "packet",  "--algorithm", "direct"};
const Words crowded_packets = {"collective", "all-to-all", "--slice", "8x8",         "--bytes",
                               "256KiB",     "--network",  "packet",  "--algorithm", "direct"};
const Words packets_between_pods = {"collective", "all-gather", "--slice",   "64x1",
                                    "--bytes",    "4KiB",       "--network", "packet"};
const Words small_step = small_run({});
const Words fed_loop = small_run({"--loop", "steps=50 eval=2", "--set", "input.threads=20"});
const Words saved_loop = small_run({"--loop", "steps=50 checkpoint=10"});
const Words small_training = {"train", "resnet50", "--slice", "2x2", "--batch-per-core", "2", "--epochs", "1"};
const Words failing = {"goodput", "resnet50", "--slice",  "8x8", "--batch-per-core",   "1",     "--seeds", "20",
                       "--days",  "300",      "--spares", "1",   "--checkpoint-every", "30 min"};
const Words failing_pods = {
    "goodput", "resnet50", "--slice",         "64x32", "--batch-per-core",   "1",     "--seeds", "20",
    "--days",  "300",      "--without-spare", "wait",  "--checkpoint-every", "30 min"};
const Words pod_step = {"run", "resnet50", "--slice", "64x32", "--batch-per-core", "1"};
const Words sharded_update = small_run({"--weight-update-sharding", "on"});
const Words large_attention = {"run", "bert_large", "--slice",       "1x1", "--batch-per-core",
                               "16",  "--set",      "model.layers=2"};
const Words decoder = {"run", "transformer", "--slice", "1x1", "--set", "model.layers=1"};
const Words lookups = {"run", "dlrm", "--slice", "2x2", "--batch-per-core", "64"};
const Words cut_product = {"run", "product.hlo", "--slice", "2x2", "--mesh", "x=8"};
const Words feeds = {"run", "feeds.hlo", "--slice", "1x1"};
const Words relayouts = {"run", "relayouts.hlo", "--slice", "1x1"};
const Words collected = {"run", "collected.hlo", "--slice", "1x1"};
const Words detection = {"run", "ssd", "--slice", "1x1", "--batch-per-core", "32"};
const Words narrow_types = {"run", "narrow.hlo", "--slice", "1x1"};
const Words validation = {"validate", "--data", "."};
const Words crowded_half = {"memory",    "--pattern", "sequential", "--bytes", "256KiB",
                            "--through", "switch",    "--at",       "one"};

/// Commands whose output depends on a key, and the settings that the machine needs for this.
struct Showing {
  const char* pattern;
  std::vector<Words> commands;
  Words settings = {};
};

/// The first that matches counts.
const std::vector<Showing>& showings() {
  static const std::vector<Showing> all = {
      {"core.clock", {copy_kernel}},
      {"core.cores_per_chip", {message_level}},
      {"core.*", {at_the_limits}},
      {"scalar.smem", {at_the_limits}},
      {"scalar.from_vector_*", {words_to_scalars}},
      {"scalar.*", {copy_kernel, transpose_kernel}},
      {"mxu.size", {small_step}},
      {"mxu.bf16_products", {small_step}},
      {"mxu.s8_products", {narrow_types}},
      {"mxu.f8_products", {narrow_types}},
      {"mxu.*", {matmul_kernel}},
      {"vector.lanes", {small_step}},
      {"vector.sublanes", {small_step}},
      {"vector.types", {narrow_types}},
      {"vector.stores", {small_step}},
      {"vector.*", {softmax_kernel, copy_kernel, matmul_kernel}},
      {"cross_lane.*", {softmax_kernel}},
      {"dma.*_latency", {copy_kernel}},
      {"dma.outstanding_granules", {mixed_traffic, sequential_reads}},
      {"dma.*", {many_dmas}},
      {"hbm.capacity_per_core", {at_the_limits}},
      {"hbm.reserved_per_core", {small_step}},
      {"hbm.stream_rate", {copy_kernel}},
      {"hbm.write_cost", {copy_kernel}},
      {"hbm.turnaround", {message_level}},
      {"hbm.starvation_bound_bursts", {message_level}},
      {"hbm_timing.ccd_s", {sequential_reads}, {"hbm_timing.ccd_l=8"}},
      {"hbm_timing.ras", {mixed_traffic, random_rows, sequential_reads}, {"hbm_timing.rc=137"}},
      {"hbm_timing.rrd_l", {mixed_traffic, random_rows, sequential_reads}, {"hbm_timing.rrd_s=1"}},
      {"hbm_timing.rfc_bank", {sequential_reads}, {"hbm.refresh=per_bank"}},
      {"hbm_timing.rrefd", {sequential_reads}, {"hbm.refresh=per_bank"}},
      {"hbm*", {mixed_traffic, random_rows, sequential_reads}},
      {"switch.queue_packets", {crowded_half}},
      {"switch.*", {message_level, few_packets, between_pods}},
      {"ici.cross_pod_latency", {between_pods}},
      {"ici.switching", {crowded_packets}},
      {"ici.allocation*", {packets_on_rings}},
      {"ici.arbitration", {packets_on_rings}},
      {"ici.vc_*s", {packets_from_one, packets_on_rings}},
      {"ici.row_and_column_only", {packets_on_rings}},
      {"ici.packet_header", {few_packets}, {"ici.flit=8 B"}},
      {"ici.*", {few_packets, packets_from_one}},
      {"host.traced_*", {validation}},
      {"host.outfeed_queue_depth", {feeds}},
      {"host.infeed_queue_depth", {small_step}, {"host.pcie_rate=50 MB/s", "core.cores_per_chip=1"}},
      {"host.*", {small_step}},
      {"input.seed", {fed_loop}, {"input.spread=1"}},
      {"input.*_batches", {fed_loop}, {"input.spread=1"}},
      {"input.*", {fed_loop}},
      {"job.loop_launch", {fed_loop}},
      {"job.outfeed_handling", {fed_loop}, {"job.outfeed=1 KiB"}},
      {"job.outfeed", {fed_loop}},
      {"job.storage_rate", {saved_loop}},
      {"job.checkpoint_beside", {saved_loop}},
      {"job.*", {small_training}},
      {"faults.optics_per_day", {failing_pods}},
      {"faults.silent_found", {failing}, {"faults.silent_per_day=0.01"}},
      {"faults.*", {failing}},
      {"compiler.largest_segment", {long_messages}},
      {"compiler.row_*", {lookups}},
      {"compiler.moved_row_operations", {relayouts}},
      {"compiler.packing_share", {relayouts}},
      {"compiler.small_op_share", {sharded_update}},
      {"compiler.collective_launch*", {several_hosts}},
      {"compiler.vmem_for_values", {small_step}},
      {"compiler.recompute_above", {large_attention}, {"hbm.capacity_per_core=2 GiB"}},
      {"compiler.order_gain", {decoder}},
      {"compiler.block_piece_cycles", {collected}},
      {"compiler.reshape_padding", {detection}},
      {"compiler.resident_table", {lookups}},
      {"compiler.partition_link_rate", {cut_product}},
      {"compiler.partition_products_per_s", {cut_product}, {"compiler.partition_memory_rate=1000000 GB/s"}},
      {"compiler.partition_memory_rate", {cut_product}, {"compiler.partition_products_per_s=1e18"}},
      {"compiler.*", {small_step}},
      {"energy.voltage_*", {small_step}, {"core.clock=500 MHz"}},
      {"energy.mxu_s8", {narrow_types}, {"mxu.s8_products=2"}},
      {"energy.mxu_f8", {narrow_types}, {"mxu.f8_products=2"}},
      {"energy.gated_share", {small_step}, {"energy.gate_idle=true"}},
      {"energy.scalar_cycle", {lookups}},
      {"energy.sram_exponent", {small_step}, {"core.vmem=32 MiB"}},
      {"energy.*", {small_step}},
      {"area.*", {small_step}},
      {"site.*", {small_step}},
      {"pod.host_chips", {several_hosts}},
      {"pod.*", {pod_step}},
      {"tile_level.*", {softmax_kernel, matmul_kernel}}};
  return all;
}

/// Four times and a quarter of a value with its unit, the nearest whole number of an integer; the other value of a
/// choice; a value where it is nothing.
Words tried_values(const std::string& key, const std::string& value) {
  static const std::map<std::string, Words> others = {
      {"true", {"false"}},
      {"false", {"true"}},
      {"f32 s32", {"f32 s32 bf16"}},
      {"open", {"closed"}},
      {"all_bank", {"per_bank", "none"}},
      {"row bank column bank_group pseudo_channel", {"row column bank bank_group pseudo_channel"}},
      {"virtual_cut_through", {"wormhole"}},
      {"islip", {"round_robin"}},
      {"rotary", {"fair"}},
      {"dateline", {"destination"}},
      {"[32, 32]", {"[16, 16]"}},
      {"0", {"8"}},
      {"0.0", {"0.5"}},
      {"0 B", {"2 MiB"}},
      {"1 B", {"2 MiB"}},
      {"0 s", {"10 ms"}}};
  if (const auto found = others.find(value); found != others.end()) return found->second;
  std::size_t end = 0;
  const double number = std::stod(value, &end);
  const std::string unit = value.substr(end);
  const bool whole = value.find_first_of(".e") >= end;
  const auto text = [&](double x) {
    std::ostringstream out;
    out.precision(12);
    out << (whole && unit.empty() ? std::max(std::floor(x), 1.0) : x) << unit;
    return out.str();
  };
  EXPECT_GT(end, 0u) << key << " = " << value << " has no other value in this test";
  return {text(4 * number), text(number / 4)};
}

/// The results of a command, without values of the machine that it repeats and without times of the host.
std::string findings(const Outcome& outcome) {
  Json result = Json::parse(outcome.out);
  for (const char* repeated : {"wall_s", "compile_s", "simulation_wall_s", "partition_s", "warnings", "machine",
                               "machine_peaks", "closed_form", "pin_rate_bytes_per_s", "faults"}) {
    result.erase(repeated);
  }
  return result.dump();
}

class EveryKey : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    // A program that uses the last parts of every memory: HBM beyond 4 GiB, a flag beyond 64, SMEM beyond 4 KiB, VMEM
    // beyond 4 MiB, bundles beyond 16 Ki.
    std::string limits = R"(.dma far { route = hbm_to_vmem ; source = 1500000000 ; destination = 0 ; words = 1024
  flag = 200 ; name = "far" }
  s.store [4000], s1
  vst [20000], v1
  dma far
  sync.wait 200, 1
)";
    for (int i = 0; i < 17000; ++i) limits += "  nop\n";
    folder_.write("limits.pasm", limits + "  halt\n");
    // 200 transfers of 512 bytes: less in a quarter of the queue than arrives within a latency.
    std::string dmas = ".hbm x\n  .zeros 1024\n";
    std::string issues;
    for (int i = 0; i < 200; ++i) {
      dmas += ".dma d" + std::to_string(i) +
              " { route = hbm_to_vmem ; source = x ; destination = " + std::to_string(128 * i) +
              " ; words = 128 ; flag = 0 ; name = \"d\" }\n";
      issues += "  dma d" + std::to_string(i) + "\n";
    }
    folder_.write("dmas.pasm", dmas + issues + "  sync.wait 0, 200\n  halt\n");
    // Sixteen words to the scalar unit, as many as the path holds, before the first is popped.
    std::string words;
    for (int i = 0; i < 16; ++i) words += "  push.scalar v1\n";
    for (int i = 0; i < 16; ++i) words += "  s.pop s1\n";
    folder_.write("words.pasm", words + "  halt\n");
    folder_.write("mbconv_inference.csv",
                  "stages,v3_images_per_s,v2_images_per_s\n"
                  "e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1,2000,1000\n");
    // A product of which either an operand or the result is gathered, and a step of more outfeeds than wait at once.
    folder_.write("product.hlo", R"(HloModule product

ENTRY main {
  x = f32[256,2048] parameter(0), sharding={devices=[8,1]<=[8]}
  w = f32[2048,4096] parameter(1), sharding={replicated}
  ROOT y = f32[256,4096] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={replicated}
}
)");
    // A transposition of narrow elements, and one that moves their rows to other sublanes.
    folder_.write("relayouts.hlo", R"(HloModule relayouts

ENTRY main {
  x = bf16[4096,1024]{1,0} parameter(0)
  y = bf16[256,256,80]{2,1,0} parameter(1)
  turned = bf16[1024,4096]{1,0} transpose(x), dimensions={1,0}
  moved = bf16[256,256,80]{2,1,0} transpose(y), dimensions={1,0,2}
  ROOT both = (bf16[1024,4096]{1,0}, bf16[256,256,80]{2,1,0}) tuple(turned, moved)
}
)");
    // A stationary operand whose contraction is in major dimensions.
    folder_.write("collected.hlo", R"(HloModule collected

ENTRY main {
  x = bf16[2,128,7,128,64]{3,4,2,1,0} parameter(0)
  w = bf16[2,128,7,208]{3,2,1,0} parameter(1)
  ROOT c = bf16[2,128,64,208]{1,2,3,0} dot(x, w), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1,2}, rhs_contracting_dims={1,2}
}
)");
    // Products of narrow numbers, and sums of bf16.
    folder_.write("narrow.hlo", R"(HloModule narrow

ENTRY main {
  a = s8[4096,4096]{1,0} parameter(0)
  b = f8e4m3fn[4096,4096]{1,0} parameter(1)
  c = bf16[128,128]{1,0} parameter(2)
  whole = s32[4096,4096]{1,0} dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  real = bf16[4096,4096]{1,0} dot(b, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  sums = bf16[128,128]{1,0} tanh(c)
  ROOT all = (s32[4096,4096]{1,0}, bf16[4096,4096]{1,0}, bf16[128,128]{1,0}) tuple(whole, real, sums)
}
)");
    std::string outfeeds;
    for (int i = 1; i <= 10; ++i) {
      outfeeds += "  t" + std::to_string(i) + " = token[] outfeed(a, t" + std::to_string(i - 1) + ")\n";
    }
    folder_.write("feeds.hlo", R"(HloModule feeds

ENTRY main {
  start = token[] after-all()
  in = (f32[8,128], token[]) infeed(start)
  a = f32[8,128] get-tuple-element(in), index=0
  t0 = token[] get-tuple-element(in), index=1
)" + outfeeds + "  ROOT b = f32[8,128] add(a, a)\n}\n");
  }

  Outcome run(Words words, const Words& settings) const {
    words.push_back("--json");
    for (const std::string& setting : settings) words.insert(words.end(), {"--set", setting});
    return folder_.run(words);
  }
  const std::string& usual(const Words& words, const Words& settings) {
    std::string& known = usual_[{words, settings}];
    if (known.empty()) known = findings(run(words, settings));
    return known;
  }
  /// Whether a command prints other figures with one of the values; where the key is a limit, also whether it refuses.
  bool acts(const std::string& key, const std::string& value, const Showing& showing, bool limit) {
    for (const Words& command : showing.commands) {
      for (const std::string& tried : tried_values(key, value)) {
        Words settings = showing.settings;
        settings.push_back(key + "=" + tried);
        const Outcome outcome = run(command, settings);
        if (outcome.code != 0 && limit) return true;
        if (outcome.code == 0 && findings(outcome) != usual(command, showing.settings)) return true;
      }
    }
    return false;
  }

  Folder folder_;
  std::map<std::pair<Words, Words>, std::string> usual_;
};

TEST_P(EveryKey, ChangesWhatACommandPrints) {
  const std::string section = std::string(GetParam()) + ".";
  int tried = 0;
  const Json machine = json_of(folder_, {"describe", "--json"});
  for (const Json& entry : machine["values"]) {
    const std::string key = entry["key"];
    const Json& levels = entry["acts_on"];
    if (!key.starts_with(section) || levels.empty()) continue;
    const auto showing = std::ranges::find_if(
        showings(), [&](const Showing& candidate) { return base::text::glob_match(candidate.pattern, key); });
    ASSERT_NE(showing, showings().end()) << key;
    const bool limit = std::ranges::find(levels, "limits") != levels.end();
    EXPECT_TRUE(acts(key, entry["value"], *showing, limit)) << key;
    ++tried;
  }
  EXPECT_GT(tried, 0);
}

/// Collectives of a level: messages or packets on slices of some chips, a ring of a pod and two pods.
const std::vector<Words>& collectives_at(const std::string& level) {
  static const std::vector<Words> messages = {message_level, between_pods};
  static const std::vector<Words> packets = {few_packets, packets_from_one, packets_on_rings, packets_between_pods,
                                             crowded_packets};
  return level == "packets" ? packets : messages;
}

/// Whether a collective takes another time with one of the values of a key. `settings` are those that show it.
bool changes_time(const Folder& folder, const std::string& level, const std::string& key, const std::string& value,
                  const Words& settings) {
  for (Words command : collectives_at(level)) {
    command.push_back("--json");
    for (const std::string& setting : settings) command.insert(command.end(), {"--set", setting});
    const double usual = json_of(folder, command)["time_s"];
    for (const std::string& tried : tried_values(key, value)) {
      Words other = command;
      other.insert(other.end(), {"--set", key + "=" + tried});
      const Outcome outcome = folder.run(other);
      if (outcome.code == 0 && Json::parse(outcome.out)["time_s"] != usual) return true;
    }
  }
  return false;
}

TEST(KeysOfTheNetwork, ThatCollectivesReadChangeTheirTime) {
  const Folder folder;
  const Json machine = json_of(folder, {"describe", "--json"});
  int tried = 0;
  for (const Json& entry : machine["values"]) {
    const std::string key = entry["key"];
    if (!key.starts_with("ici.") && !key.starts_with("switch.")) continue;
    const auto showing = std::ranges::find_if(
        showings(), [&](const Showing& candidate) { return base::text::glob_match(candidate.pattern, key); });
    for (const std::string level : entry["acts_on"]) {
      if (level != "collectives" && level != "packets") continue;
      EXPECT_TRUE(changes_time(folder, level, key, entry["value"], showing->settings)) << key << " among " << level;
      ++tried;
    }
  }
  EXPECT_GT(tried, 10);
}

INSTANTIATE_TEST_SUITE_P(Sections, EveryKey,
                         ::testing::Values("core", "scalar", "mxu", "vector", "cross_lane", "dma", "hbm", "hbm_timing",
                                           "switch", "ici", "host", "input", "job", "faults", "compiler", "pod",
                                           "tile_level", "energy", "area", "site"),
                         [](const auto& section) { return std::string(section.param); });

}  // namespace
}  // namespace podsim::test
