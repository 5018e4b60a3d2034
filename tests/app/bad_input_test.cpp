// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

using Words = std::vector<std::string>;

struct Mistake {
  std::string name;
  Words arguments;
  Words said;  ///< all of these are in the diagnostic
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

/// "run resnet50" with more arguments.
Words run_with(const Words& more) {
  Words words = {"run", "resnet50"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = {
      {"no_command",
       {},
       {"which command?",
        "run, train, serve, goodput, whatif, search, sweep, kernel, calibrate, memory, network, collective, stream, "
        "hlo, ops, "
        "tiles, levels, "
        "trace, "
        "validate, "
        "report, compare, describe, completion, man"}},
      {"mistyped_command", {"rnu"}, {"'rnu'", "^~~ did you mean 'run'?"}},
      {"unknown_command",
       {"frobnicate"},
       {"'frobnicate' is not a command",
        "one of: run, train, serve, goodput, whatif, search, sweep, kernel, calibrate, memory, network, collective, "
        "stream, "
        "hlo, ops, "
        "tiles, levels, "
        "trace, "
        "validate, report, compare, describe, completion, man"}},
      {"no_workload", {"run"}, {"WORKLOAD is required", "podsim run --help"}},
      {"mistyped_workload", {"run", "resnet5"}, {"'resnet5' is not a workload", "did you mean 'resnet50'?"}},
      {"mistyped_flag", run_with({"--slise", "4x4"}), {"'--slise'", "^~~~~~~ did you mean '--slice'?"}},
      {"mistyped_flag_with_equals", run_with({"--slise=4x4"}), {"'--slise'", "did you mean '--slice'?"}},
      {"argument_too_many", run_with({"extra"}), {"'extra'", "^~~~~"}},
      {"flag_without_value", run_with({"--slice"}), {"'--slice' needs a value"}},
      {"flag_given_twice", run_with({"--slice", "2x2", "--slice", "4x4"}), {"'--slice'", "more than once"}},
      {"zero_batch", run_with({"--batch-per-core", "0"}), {"--batch-per-core: error:", "between 1 and"}},
      {"batch_of_letters", run_with({"--batch-per-core", "abc"}), {"'abc' is not a whole number", "^~~"}},
      {"batch_beyond_all_bounds", run_with({"--batch-per-core", "99999999999999999999"}), {"out of range"}},
      {"batch_that_does_not_fit",
       run_with({"--batch-per-core", "100000"}),
       {"--batch-per-core: error: out of memory: resnet50 needs", "100000"}},
      {"batch_beyond_small_memory",
       run_with({"--slice", "2x2", "--batch-per-core", "8", "--set", "hbm.reserved_per_core=0 B", "--set",
                 "hbm.capacity_per_core=256 MiB"}),
       {"out of memory: resnet50 needs", "256 MiB", "largest buffers"}},
      {"weights_of_no_type",
       run_with({"--inference", "--weights", "int3"}),
       {"--weights: error: 'int3' is no type of weights", "^~~~", "bf16, int8, int4 and fp8"}},
      {"weights_in_groups_of_none",
       run_with({"--inference", "--weights", "int8:group=0"}),
       {"--weights: error: 'group=0' is no group"}},
      {"weights_of_a_training_step", run_with({"--weights", "int8"}), {"--weights is of --inference and --decode"}},
      {"names_of_weights_of_a_network",
       run_with({"--inference", "--weights", "int8", "--parameters", "w*"}),
       {"--parameters is for files of programs"}},
      {"zero_steps", run_with({"--steps", "0"}), {"--steps: error:", "between 1 and"}},
      {"unfinished_slice", run_with({"--slice", "4x"}), {"--slice: error: '4x' is not a slice", "such as 4x4"}},
      {"slice_not_of_the_machine", run_with({"--slice", "3x5"}), {"tpu-v3 cannot form a slice of 3x5", "power of two"}},
      {"slice_too_large", run_with({"--slice", "64x64"}), {"32 chips along y"}},
      {"unknown_machine", run_with({"--machine", "tpu-v5"}), {"'tpu-v5'", "did you mean 'tpu-v"}},
      {"bandwidth_without_unit", run_with({"--set", "ici.link_rate=164"}), {"bandwidth and needs a unit", "^~~"}},
      {"more_reserved_than_there_is",
       run_with({"--set", "hbm.capacity_per_core=256 MiB"}),
       {"--set: error: more memory is reserved than there is", "'hbm.reserved_per_core' is 528 MiB",
        "| hbm.capacity_per_core=256 MiB", "^~~~~~~"}},
      {"granules_of_nothing",
       run_with({"--set", "dma.outstanding_granules=0"}),
       {"--set: error: 'dma.outstanding_granules' must be between 1 and 65536"}},
      {"host_without_threads",
       run_with({"--loop", "steps=5", "--set", "input.threads=0"}),
       {"--set: error: 'input.threads' must be between 1 and"}},
      {"outfeed_beyond_all_bounds",
       run_with({"--loop", "steps=5", "--set", "job.outfeed=2 TiB"}),
       {"--set: error: 'job.outfeed' must be at most 1 TiB"}},
      {"set_without_equals", run_with({"--set", "nonsense"}), {"--set: error: expected key=value"}},
      {"mistyped_key", run_with({"--set", "ici.link_rat=164 GB/s"}), {"did you mean 'ici.link_rate'?"}},
      {"folder_where_none_can_be", run_with({"-o", "/proc/results"}), {"-o: error:", "/proc/results"}},
      {"folder_that_is_a_file", run_with({"-o", PODSIM_PROGRAM}), {"is a file"}},
      {"waveform_in_missing_folder", run_with({"--vcd", "missing/x.vcd"}), {"cannot write 'missing/x.vcd'"}},
      {"waveform_named_as_its_save_file", run_with({"--vcd", "x.gtkw"}), {"name of its save file"}},
      {"trace_without_waveform", run_with({"--trace", "*"}), {"--trace requires --vcd"}},
      {"trace_of_nothing",
       run_with({"--slice", "2x2", "--batch-per-core", "1", "--vcd", "x.vcd", "--trace", "chip(0,0).cor0.*"}),
       {"matches no signal", "did you mean 'chip(0,0).core0.*'?"}},
      {"serve_without_a_rate", {"serve", "resnet50"}, {"how many requests arrive?", "--rate 8/s"}},
      {"serve_at_no_rate",
       {"serve", "resnet50", "--rate", "fast"},
       {"--rate: error: 'fast' is not a number of requests per second"}},
      {"serve_with_mistyped_trace",
       {"serve", "gpt_6b", "--lengths", "azure_cod"},
       {"'azure_cod' is not a published trace", "did you mean 'azure_code'?"}},
      {"serve_skews_no_experts",
       {"serve", "gpt_6b", "--rate", "8/s", "--expert-skew", "1"},
       {"'gpt_6b' has no experts"}},
      {"serve_skews_experts_with_given_slots",
       {"serve", "moe_decoder", "--rate", "8/s", "--expert-skew", "1", "--set", "model.capacity_factor=1"},
       {"model.capacity_factor follows from --expert-skew"}},
      {"serve_accepts_nothing", {"serve", "gpt_6b", "--rate", "8/s", "--accept", "0.7"}, {"add --draft WORKLOAD"}},
      {"serve_with_mistyped_draft",
       {"serve", "gpt_6b", "--rate", "8/s", "--draft", "transformr", "--accept", "0.7"},
       {"--draft: error:", "did you mean 'transformer'?"}},
      {"serve_with_a_draft_that_is_not_accepted",
       {"serve", "gpt_6b", "--rate", "8/s", "--draft", "transformer"},
       {"which share of the drafted tokens is accepted?", "--accept 0.7"}},
      {"serve_with_a_draft_of_another_vocabulary",
       {"serve", "gpt_6b", "--rate", "8/s", "--draft", "transformer", "--draft-set", "model.vocabulary=100", "--accept",
        "0.7"},
       {"the draft has a vocabulary of 100 tokens", "--draft-set model.vocabulary="}},
      {"serve_with_a_setting_of_no_draft",
       {"serve", "gpt_6b", "--rate", "8/s", "--draft", "transformer", "--draft-set", "layers=2"},
       {"--draft-set: error: 'layers=2' is no setting of a model"}},
      {"serve_with_a_batch_of_the_draft",
       {"serve", "gpt_6b", "--rate", "8/s", "--draft", "transformer", "--draft-set", "model.batch=3", "--accept",
        "0.7"},
       {"--draft-set: error: model.batch follows from the requests"}},
      {"serve_slices_for_no_request",
       {"serve", "gpt_6b", "--rate", "8/s", "--slices", "auto", "--slo", "ttft<2s", "--slo-share", "0"},
       {"--slo-share: error: every slice meets", "above 0"}},
      {"serve_samples_with_tokens",
       {"serve", "resnet50", "--rate", "8/s", "--chunk", "64"},
       {"are for workloads that decode", "gpt_6b"}},
      {"serve_with_mistyped_level",
       {"serve", "gpt_6b", "--rate", "8/s", "--slo", "tfft<1s"},
       {"--slo: error: 'tfft' is not a time of a request", "did you mean 'ttft'?"}},
      {"serve_with_shapes_of_steps",
       {"serve", "gpt_6b", "--rate", "8/s", "--set", "decode.cached=5"},
       {"decode.cached follows from the requests of a server", "leave it out"}},
      {"serve_beyond_the_memory",
       {"serve", "gpt_6b", "--rate", "8/s", "--slice", "2x2", "--cache-tokens", "1000000000"},
       {"the memory of a replica has room for", "a lower --cache-tokens"}},
      {"serve_a_trace_and_lengths",
       {"serve", "gpt_6b", "--trace", "t.csv", "--lengths", "azure_code"},
       {"draw requests", "leave out --trace"}},
      {"serve_transfers_to_none",
       {"serve", "gpt_6b", "--rate", "8/s", "--transfer-rate", "1 GB/s"},
       {"of caches that are sent", "add --decode-replicas N"}},
      {"serve_a_scenario_at_a_rate",
       {"serve", "resnet50", "--scenario", "offline", "--rate", "8/s"},
       {"a scenario says how requests arrive"}},
      {"serve_a_scenario_without_a_limit",
       {"serve", "vit", "--scenario", "server"},
       {"no limit of 'vit' is published", "--slo 'latency<100ms'"}},
      {"serve_slices_without_a_level",
       {"serve", "resnet50", "--rate", "8/s", "--slices", "1x1,2x1"},
       {"--slices finds the smallest that meets a level"}},
      {"goodput_of_no_days",
       {"goodput", "resnet50", "--days", "0"},
       {"--days: error: '0' is not a number of days", "from 0.001 to 3650"}},
      {"goodput_with_checkpoints_of_bytes",
       {"goodput", "resnet50", "--checkpoint-every", "30 MB"},
       {"--checkpoint-every: error: '30 MB' is not a time", "such as '30 min', or best"}},
      {"goodput_with_mistyped_best",
       {"goodput", "resnet50", "--checkpoint-every", "bets"},
       {"--checkpoint-every: error:", "did you mean 'best'?"}},
      {"goodput_of_centuries",
       {"goodput", "resnet50", "--days", "3650"},
       {"100 seeds of 3650 days are more than 100000 days together", "fewer --seeds or --days"}},
      {"goodput_of_millions_of_failures",
       {"goodput", "resnet50", "--batch-per-core", "1", "--set", "faults.chip_per_day=100", "--seeds", "1000"},
       {"failures of all seeds together are more than 5e+06", "lower rates of [faults]"}},
      {"goodput_without_a_policy",
       {"goodput", "resnet50", "--without-spare", "pray"},
       {"'pray' is not a policy", "reslice, wait"}},
      {"goodput_of_too_many_spares",
       {"goodput", "resnet50", "--spares", "-1"},
       {"--spares: error: -1 is out of range"}},
      {"failures_beyond_all_bounds",
       {"goodput", "resnet50", "--slice", "2x2", "--batch-per-core", "1", "--set", "faults.chip_per_day=1000"},
       {"--set: error: 'faults.chip_per_day' is a number of failures of one part per day"}},
      {"mistyped_part_of_lengths",
       {"run", "gnmt", "--lengths", "mena=26"},
       {"no part of lengths", "did you mean 'mean'?"}},
      {"lengths_without_a_law", {"run", "gnmt", "--lengths", "sd=3"}, {"lengths need a law", "^~~~ 'mean=26 sd=13"}},
      {"mistyped_detail", run_with({"--detail", "tle"}), {"'tle'", "did you mean 'tile'?"}},
      {"unknown_optimizer",
       run_with({"--optimizer", "adagrad"}),
       {"'adagrad' is not an optimizer", "sgd_momentum, lars"}},
      {"unknown_overlap", run_with({"--overlap", "all"}), {"'all'", "none, collectives"}},
      {"unknown_contention", run_with({"--contention", "maybe"}), {"'maybe'", "on, off"}},
      {"unknown_fold", run_with({"--fold", "maybe"}), {"'maybe'", "on, off"}},
      {"kernel_without_name", {"kernel"}, {"which kernel?", "a .pasm file, a step (HLO", "or one of:"}},
      {"json_of_a_list_of_ops", {"kernel", "resnet50", "--json"}, {"--json is for one kernel", "--op NAME"}},
      {"check_of_a_list_of_ops", {"kernel", "resnet50", "--verify"}, {"--verify is for one kernel", "--op NAME"}},
      {"listing_of_a_list_of_ops", {"kernel", "resnet50", "--listing"}, {"--listing is for one kernel", "--op NAME"}},
      {"code_of_a_list_of_ops", {"kernel", "resnet50", "--emit", "a.pasm"}, {"--emit is for one kernel", "--op NAME"}},
      {"waveform_of_a_list_of_ops", {"kernel", "resnet50", "--vcd", "a.vcd"}, {"--vcd is for one kernel", "--op NAME"}},
      {"op_without_a_name", {"kernel", "resnet50", "--op", ""}, {"--op: the name of an op is missing"}},
      {"op_of_a_kernel", {"kernel", "--op", "add.1", "matmul"}, {"--op is for an op of a step, and 'matmul'"}},
      {"stages_without_micro_batches", run_with({"--stages", "4"}), {"--schedule: error:", "add --micro-batches N"}},
      {"micro_batches_without_stages", run_with({"--micro-batches", "4"}), {"are for pipelines", "add --stages N"}},
      {"mistyped_schedule",
       run_with({"--stages", "4", "--micro-batches", "8", "--schedule", "1fb1"}),
       {"--schedule: error:", "did you mean '1f1b'?"}},
      {"stages_that_do_not_divide_the_slice",
       run_with({"--slice", "2x1", "--stages", "3", "--micro-batches", "8"}),
       {"--stages: error: 4 cores are not a multiple of 3 stages"}},
      {"micro_batches_that_do_not_divide_the_batch",
       run_with({"--batch-per-core", "1", "--stages", "4", "--micro-batches", "3"}),
       {"--micro-batches: error:", "is not a multiple of 3 micro-batches"}},
      {"stages_that_begin_nowhere",
       run_with({"--stages", "2", "--micro-batches", "2", "--divide-at", "layer9"}),
       {"--divide-at: error: no operation's name begins with 'layer9'"}},
      {"operators_on_cores_that_do_not_divide_the_slice",
       run_with({"--slice", "2x1", "--place-operators", "3"}),
       {"--place-operators: error: 4 cores are not a multiple of 3", "choose a slice with --slice"}},
      {"operators_on_one_core", run_with({"--place-operators", "1"}), {"--place-operators: error: 1 is out of range"}},
      {"operators_of_stages",
       run_with({"--place-operators", "2", "--stages", "2", "--micro-batches", "2"}),
       {"--stages excludes --place-operators"}},
      {"batch_of_no_replica", run_with({"--batch-per-replica", "2"}), {"requires --place-operators"}},
      {"stages_of_stages",
       {"run", "pipelined_mlp", "--stages", "2", "--micro-batches", "2"},
       {"has stages already", "leave out --stages"}},
      {"kernel_misspelt",
       {"kernel", "elementwize", "--rows", "8"},
       {"'elementwize' is neither", "did you mean 'elementwise'?"}},
      {"kernel_file_that_is_not_there",
       {"kernel", "x.pasm"},
       {"kernel: error: cannot read it: No such file", "x.pasm"}},
      {"kernel_file_that_is_a_folder", {"kernel", "/"}, {"it is a directory"}},
      {"kernel_of_no_op",
       {"kernel", "perceptron", "--op", "fusion.x"},
       {"--op: error: the step has no op 'fusion.x'", "^~~~~~~~"}},
      {"kernel_file_verified",
       {"kernel", "x.pasm", "--verify"},
       {"--verify and --emit are for generated kernels", ".expect"}},
      {"levels_of_nothing", {"levels"}, {"WORKLOAD is required", "podsim levels --help"}},
      {"levels_of_no_workload", {"levels", "resnet5"}, {"'resnet5' is not a workload", "did you mean 'resnet50'?"}},
      {"levels_on_other_registers",
       {"levels", "perceptron", "--set", "mxu.size=256"},
       {"'mxu.size' is 256", "any value of the range"}},
      {"kernel_and_file", {"kernel", "x.pasm", "elementwise"}, {"both a file and the kernel 'elementwise'"}},
      {"mistyped_flag_of_a_kernel",
       {"kernel", "elementwise", "--rowz", "8"},
       {"'--rowz' is not a flag of kernel elementwise", "did you mean '--rows'?"}},
      {"mistyped_flag_of_all_kernels", {"kernel", "x.pasm", "--jsn"}, {"'--jsn' is not a flag of kernel", "'--json'"}},
      {"family_flag_without_value", {"kernel", "elementwise", "--rows"}, {"'--rows' needs a value, N"}},
      {"size_of_letters",
       {"kernel", "elementwise", "--rows", "many"},
       {"--rows: error:", "'many' is not a whole number"}},
      {"unknown_choice", {"kernel", "elementwise", "--dtype", "f23"}, {"'f23' is not a choice of --dtype", "'f32'"}},
      {"list_with_what_is_no_number",
       {"kernel", "decode_attention", "--lengths", "1,many"},
       {"--lengths: error: 'many' is not a whole number", "between 1 and 1048576"}},
      {"list_without_numbers",
       {"kernel", "decode_attention", "--lengths", ""},
       {"--lengths: error: '' is not a whole"}},
      {"list_with_a_comma_too_many",
       {"kernel", "decode_attention", "--sequences", "1", "--lengths", "5,"},
       {"--lengths: error: '' is not a whole number"}},
      {"lengths_and_one_for_all",
       {"kernel", "decode_attention", "--lengths", "5,6", "--sequences", "2", "--cached", "512"},
       {"--cached and --lengths both", "leave out one of them"}},
      {"lengths_of_other_sequences",
       {"kernel", "decode_attention", "--lengths", "5,6"},
       {"2 lengths for 4 sequences", "--sequences 2"}},
      {"heads_without_equal_groups",
       {"kernel", "flash_attention", "--heads", "3", "--key-heads", "2"},
       {"3 heads do not divide into groups for 2 key heads", "a multiple of --key-heads"}},
      {"verify_without_data", {"kernel", "elementwise", "--verify", "--timing-only"}, {"excludes"}},
      {"unknown_matrix_view", {"kernel", "elementwise", "--mxu", "row"}, {"did you mean 'rows'?"}},
      {"listing_beside_json",
       {"kernel", "elementwise", "--json", "--listing"},
       {"cannot both go to stdout", "--listing=FILE"}},
      {"kernel_trace_of_nothing",
       {"kernel", "elementwise", "--rows", "8", "--vcd", "x.vcd", "--trace", "core.dam.*"},
       {"matches no signal", "did you mean 'core.dma.*'?"}},
      {"calibrate_without_part", {"calibrate"}, {"which command? one of: core", "podsim calibrate --help"}},
      {"calibrate_unknown_part", {"calibrate", "cor"}, {"'cor' is not a command of calibrate", "did you mean 'core'?"}},
      {"calibration_where_none_can_be", {"calibrate", "core", "--write", "missing/x.toml"}, {"--write: error:"}},
      {"memory_without_pattern", {"memory", "--bytes", "1MiB"}, {"--pattern is required"}},
      {"memory_unknown_pattern",
       {"memory", "--pattern", "sequental", "--bytes", "1MiB"},
       {"'sequental' is not a pattern", "did you mean 'sequential'?"}},
      {"memory_bytes_without_unit", {"memory", "--pattern", "mixed", "--bytes", "4XB"}, {"'XB' is not a unit"}},
      {"memory_of_nothing", {"memory", "--pattern", "mixed", "--bytes", "0"}, {"0 is out of range"}},
      {"memory_time_for_bytes", {"memory", "--pattern", "mixed", "--bytes", "4 ns"}, {"is not an amount of data"}},
      {"memory_mix_without_colon",
       {"memory", "--pattern", "mixed", "--bytes", "1MiB", "--mix", "2-1"},
       {"'2-1' is not reads:writes", "such as 2:1"}},
      {"memory_beyond_capacity",
       {"memory", "--pattern", "strided", "--pitch", "1GiB", "--bytes", "1MiB"},
       {"the streams reach beyond the 16 GiB of a core's memory"}},
      {"memory_end_without_switch",
       {"memory", "--pattern", "sequential", "--bytes", "1MiB", "--at", "own"},
       {"--at chooses the memory of traffic through the switch", "add --through switch"}},
      {"memory_unknown_end",
       {"memory", "--pattern", "sequential", "--bytes", "1MiB", "--through", "switch", "--at", "neighbor"},
       {"'neighbor' is not a memory", "did you mean 'neighbour'?"}},
      {"memory_other_half_of_one_core",
       {"memory", "--pattern", "sequential", "--bytes", "1MiB", "--through", "switch", "--at", "other", "--set",
        "core.cores_per_chip=1"},
       {"--at", "a chip with one core has no other half"}},
      {"chip_ops_at_another_detail", run_with({"--chip-ops", "*"}), {"--chip-ops chooses ops at detail chip"}},
      {"banks_without_contention",
       run_with({"--detail", "chip", "--contention", "off"}),
       {"share the banks of a chip at detail chip", "leave out --contention off"}},
      {"tree_detail", {"describe", "--tree", "--detail", "chp"}, {"'chp' is not a level of detail", "chip"}},
      {"chip_ops_that_match_nothing",
       run_with({"--detail", "chip", "--chip-ops", "layer9/*"}),
       {"--chip-ops", "'layer9/*' matches no op"}},
      {"unknown_memory_level", run_with({"--memory", "banks"}), {"'banks' is not", "did you mean 'bank'?"}},
      {"describe_unknown_machine", {"describe", "tpu-v4"}, {"did you mean 'tpu-v"}},
      {"describe_twice", {"describe", "--json", "--toml"}, {"excludes"}},
  };
  return all;
}

class BadInput : public ::testing::TestWithParam<Mistake> {};

TEST_P(BadInput, IsADiagnosticWithExitCode2AndNothingElse) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run(GetParam().arguments);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("error: "), std::string::npos) << outcome.err;
  for (const std::string& said : GetParam().said) {
    EXPECT_NE(outcome.err.find(said), std::string::npos) << "missing: " << said << "\nin:\n" << outcome.err;
  }
  EXPECT_EQ(folder.names(), Words{});
}

INSTANTIATE_TEST_SUITE_P(CommandLine, BadInput, ::testing::ValuesIn(mistakes()),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(BadInput, WithJsonLeavesStdoutEmptyAndNoFolder) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run({"run", "resnet5", "--json", "-o", "a/b/c"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(folder.names(), Words{});
}

TEST(BadInput, InAMachineFileIsReportedAllAtOnceWithLineAndColumn) {
  const test::Folder folder;
  folder.write("mine.toml", "[ici]\nlink_rat = \"164 GB/s\"\nlink_rate = 164\n");
  const test::Outcome outcome = folder.run({"run", "resnet50", "--machine", "mine.toml"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("mine.toml:2:1: error:"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("^~~~~~~~ did you mean 'link_rate'?"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("mine.toml:3:13: error:"), std::string::npos) << outcome.err;
}

TEST(BadInput, InAFolderWithResultsLeavesThemAlone) {
  const test::Folder folder;
  std::filesystem::create_directory(folder.path() / "r");
  folder.write("r/stats.json", "earlier");
  const test::Outcome outcome =
      folder.run({"run", "resnet50", "--slice", "2x2", "--batch-per-core", "1", "-o", "r", "--set",
                  "hbm.reserved_per_core=0 B", "--set", "hbm.capacity_per_core=16 MiB"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(folder.names("r"), Words{"stats.json"});
  EXPECT_EQ(folder.read("r/stats.json"), "earlier");
}

TEST(BadInput, UsesNoColoursOutsideATerminal) {
  const test::Folder folder;
  EXPECT_EQ(folder.run({"rnu"}).err.find('\033'), std::string::npos);
}

TEST(Help, NamesEveryWorkloadAndGivesExamples) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run({"run", "--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* text : {"resnet50", "resnet101", "--batch-per-core", "Examples:"}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(folder.run({"help", "run"}).out, outcome.out);
}

}  // namespace
}  // namespace podsim
