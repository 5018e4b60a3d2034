// SPDX-License-Identifier: Apache-2.0
// Part of studies/plan/metrics.h.
#include "studies/plan/metrics.h"

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <map>
#include <utility>

#include "hw/activity.h"

namespace podsim::studies::plan {

namespace {

/// What a step does (hw/activity.h): "mxu: tiles of weights latched, of a core in a step".
void add_activity(std::vector<StudyMetric>& metrics) {
  const std::array<std::pair<const char*, const char*>, 2> of{{{"core", "a core"}, {"all_cores", "all cores"}}};
  for (const auto& [key, whose] : of) {
    for (const auto& [part, counter, value] : hw::counts({}, {})) {
      const bool bytes = std::string_view(counter.unit) == "B";
      const std::string counted = bytes ? counter.description : fmt::format("{} {}", counter.unit, counter.description);
      metrics.push_back({fmt::format("activity.{}.{}.{}", key, part, counter.name), bytes ? "B" : "",
                         fmt::format("{}: {}, of {} in a step", part, counted, whose)});
    }
  }
}

/// Energy and area of the parts of every machine (hw/energy); those of declared levels are none of them.
void add_energy(std::vector<StudyMetric>& metrics) {
  std::vector<std::string> parts;
  hw::CoreUnits::for_each([&](auto kind) { parts.emplace_back(decltype(kind)::type::names.name); });
  for (const char* part : {"vmem", "memories", "hbm", "wires", "ici", "host", "other"}) parts.emplace_back(part);
  for (const std::string& part : parts) {
    metrics.push_back({fmt::format("energy.parts.{}.events_j", part), "J",
                       fmt::format("{}: energy of what it does in a step, of all chips", part)});
    metrics.push_back({fmt::format("energy.parts.{}.always_j", part), "J",
                       fmt::format("{}: energy that it draws whatever it does", part)});
    if (part == "wires") continue;
    metrics.push_back({fmt::format("energy.area_mm2.{}", part), "mm2", fmt::format("{}: area on a chip", part)});
  }
}

std::vector<StudyMetric> run_metrics() {
  using enum MetricOf;
  std::vector<StudyMetric> metrics{
      {"chips", "", "Chips of the slice"},
      {"cores", "", "Cores of the slice"},
      {"batch_per_core", "", "Samples per core and step"},
      {"steps", "", "Steps that were simulated"},
      {"step_time_s", "s", "Time of the last step, the steady state"},
      {"step_time_ps", "ps", "The same in picoseconds, exactly"},
      {"step_times_s", "s", "Time of all steps together", sum},
      {"samples_per_s", "1/s", "Samples of all cores per second"},
      {"flops_per_core_step", "", "Floating-point operations of a core in a step"},
      {"hbm_bytes_per_core_step", "B", "Moved to and from HBM by a core in a step, collectives apart"},
      {"utilization.mxu", "1", "Share of the matrix units' peak that the step uses"},
      {"utilization.hbm", "1", "Share of the memory's sustained rate that the step uses"},
      {"utilization.ici", "1", "Share of its payload rate that the busiest link carries"},
      {"utilization.model", "1", "FLOPs that the model asks for over the machine's peak (MFU)", value, false},
      {"machine_peaks.mxu_flops_per_s_per_core", "1/s", "Floating-point operations of a core's matrix units at most"},
      {"machine_peaks.hbm_bytes_per_s_per_core", "B/s", "Sustained rate of a core's memory"},
      {"machine_peaks.ici_bytes_per_s_per_link", "B/s", "Payload rate of a link"},
      {"energy.step_j", "J", "Energy of all chips in a step, without hosts"},
      {"energy.events_j", "J", "Of it for what the chips do"},
      {"energy.always_j", "J", "Of it for what they draw whatever they do"},
      {"energy.chip_w", "W", "Mean power of a chip"},
      {"energy.chip_peak_w", "W", "Power of a chip in the op that takes most"},
      {"energy.chip_always_w", "W", "Power that a chip draws in the step whatever it does"},
      {"energy.chip_idle_w", "W", "Power of a chip that does nothing"},
      {"energy.mxu_flop_j", "J", "Energy of a FLOP of a bf16 product"},
      {"energy.hbm_byte_j", "J", "Energy of a byte streamed between HBM and VMEM"},
      {"energy.site_chip_w", "W", "Mean power of a chip at the meter, hosts and site included"},
      {"energy.step_co2_g", "g", "Grams of CO2 of a step, hosts and site included"},
      {"energy.sample_j", "J", "Energy of a sample, without hosts", value, false},
      {"energy.samples_per_j", "1/J", "Samples per joule, without hosts", value, false},
      {"energy.die_mm2", "mm2", "Area of a chip"},
      {"energy.slice_dollars", "$", "Price of the slice's chips by area.chip_dollars; 0 unless it is set"},
      {"bound_share", "1", "Share of the step in what it spends most time in"},
      {"breakdown_s.compute", "s", "Of the step in ops of the core"},
      {"breakdown_s.collective", "s", "Of the step waiting for collectives"},
      {"breakdown_s.infeed", "s", "Of the step waiting for the host's data"},
      {"breakdown_s.other", "s", "Of the step in nothing of these"},
      {"compute_parts_s.weight_update", "s", "Of the compute time in the optimiser"},
      {"compute_parts_s.rematerialised", "s", "Of the compute time in values computed once more"},
      {"waiting_for_hbm.time_s", "s", "Time that ops wait for HBM used by concurrent collectives and copies", sum},
      {"products.ops_per_step", "", "Ops with products in a step", sum},
      {"products.time_s", "s", "Of them", sum},
      {"collectives.bytes", "B", "Payload of all collectives of a step", total},
      {"collectives.count", "", "Collectives executed in a step", sum},
      {"collectives.time_s", "s", "Of all collectives of a step, each from the last core in to the last out", sum},
      {"collectives.exposed_s", "s", "That a core spends in collectives in a step", sum},
      {"collectives.group_size", "", "Cores of the largest group of a collective", largest},
      {"loops.trips", "", "Trips of all loops in a step", sum},
      {"loops.time_s", "s", "Of all loops in a step", sum},
      {"input.hosts", "", "Hosts that feed the slice", value, false},
      {"input.samples_per_host", "", "Samples that a host prepares for a step", value, false},
      {"input.bytes_per_core", "B", "Batch that a core is sent for a step", value, false},
      {"input.slowest_s", "s", "Of the slowest stage of a host for a step", value, false},
      {"input.stages.time_s", "s", "Of all stages of a host for a step, one after another", sum, false},
      {"input.stages.spread", "1", "Largest spread of a stage's time", largest, false},
      {"train_loop.steps", "", "Steps of a loop", value, false},
      {"train_loop.evaluation_steps", "", "Steps of its evaluation", value, false},
      {"train_loop.time_s", "s", "Of a loop with its evaluation", value, false},
      {"train_loop.cadence_s", "s", "The same for each of its steps", value, false},
      {"train_loop.device_step_s", "s", "Of a step on the device, its batch ready", value, false},
      {"train_loop.device_evaluation_step_s", "s", "Of a step of the evaluation on the device", value, false},
      {"train_loop.training_s", "s", "Of a loop's steps with their waits", value, false},
      {"train_loop.waiting_for_hosts_s", "s", "Of them waiting for hosts", value, false},
      {"train_loop.evaluation_s", "s", "Of a loop's evaluation with its waits", value, false},
      {"train_loop.launches_s", "s", "Of a loop in launches of programs", value, false},
      {"train_loop.outfeed_transfer_s", "s", "Of the results of a step over PCIe", value, false},
      {"train_loop.outfeed_handling_s", "s", "Of a host for the results of a step", value, false},
      {"train_loop.sending_results_s", "s", "Of a loop's steps until their hosts have places for results", value,
       false},
      {"train_loop.checkpoint_steps", "", "Steps from one checkpoint to the next", value, false},
      {"train_loop.checkpoints_s", "s", "Of a loop waiting for checkpoints", value, false},
      {"checkpoint.state_bytes", "B", "Of a checkpoint in all", value, false},
      {"checkpoint.host_bytes", "B", "Of it, from the fullest host", value, false},
      {"checkpoint.chip_bytes", "B", "Of it, from the fullest chip", value, false},
      {"checkpoint.to_host_s", "s", "From the devices to their hosts", value, false},
      {"checkpoint.to_storage_s", "s", "From the hosts to the storage", value, false},
      {"checkpoint.from_storage_s", "s", "From the storage to the hosts", value, false},
      {"checkpoint.to_device_s", "s", "From the hosts to their devices", value, false},
      {"faults.healthy_step_time_s", "s", "Of the step without the faults", value, false},
      {"faults.slowdown", "1", "Step with the faults over step without them", value, false},
      {"faults.lost_s.step", "s", "Of a step, lost to the faults", value, false},
      {"faults.lost_s.ops", "s", "Of it in ops", value, false},
      {"faults.lost_s.waiting", "s", "Of it waiting in collectives for slower cores", value, false},
      {"faults.lost_s.collectives", "s", "Of it in collectives, when all cores are in", value, false},
      {"faults.lost_s.infeed", "s", "Of it waiting for batches", value, false},
      {"faults.lost_s.other", "s", "Of it before the step begins, and other", value, false},
      {"faults.mean_lost_s", "s", "Mean of what the simulated steps lost", value, false},
      {"faults.expected.draws", "", "Chips or hosts for which a delay or speed is drawn", largest, false},
      {"faults.expected.delay_s", "s", "Mean of the largest delay, by the law of extremes", sum, false},
      {"faults.expected.longer", "1", "Mean of the part that the slowest chip takes longer, by the same", sum, false},
      {"faults.collectives.bytes", "B", "Of the largest collective that lost time", largest, false},
      {"faults.collectives.count", "", "Collectives that lost time", sum, false},
      {"faults.collectives.lost_s", "s", "Lost by all collectives, from the last core in to the last out", sum, false},
      {"memory.peak_bytes_per_core", "B", "Device memory that a core needs at its peak"},
      {"memory.argument_bytes_per_core", "B", "Of it for arguments: parameters, slots and inputs"},
      {"memory.parameter_bytes_per_core", "B", "Of these the network's parameters", value, false},
      {"memory.cache_bytes_per_core", "B", "Cached tokens of a decoder", value, false},
      {"memory.parameter_types.arrays", "", "Arrays of these", sum, false},
      {"memory.parameter_types.bytes", "B", "Of these by element type, together", sum, false},
      {"memory.parameter_types.element_bytes", "B", "Their elements without padding", sum, false},
      {"memory.slot_bytes_per_core", "B", "The optimiser's slots", value, false},
      {"memory.input_bytes_per_core", "B", "The other arguments, such as the batch", value, false},
      {"memory.classes_at_peak.weights", "B", "Parameters where most memory is needed"},
      {"memory.classes_at_peak.slots", "B", "Slots there"},
      {"memory.classes_at_peak.caches", "B", "Cached tokens of a decoder there"},
      {"memory.classes_at_peak.inputs", "B", "Inputs there"},
      {"memory.classes_at_peak.activations", "B", "Values of the forward part of a training step there"},
      {"memory.classes_at_peak.gradients", "B", "Gradients of parameters there"},
      {"memory.classes_at_peak.temporaries", "B", "All other values there"},
      {"memory.classes_at_peak.padding", "B", "What all of these take beyond their elements"},
      {"memory.capacity_bytes_per_core", "B", "Device memory that a core has for programs"},
      {"memory.peak_position", "", "Position in the schedule at which most memory is needed"},
      {"memory.largest_at_peak.bytes", "B", "The largest buffers there together, ten at most", sum},
      {"memory.heap_bytes_per_core", "B", "End of the highest array in the heap of a core"},
      {"memory.padding_bytes_at_peak", "B", "What arrays take there beyond their elements"},
      {"memory.padded_at_peak.arrays", "", "Arrays of the shapes that are padded most there, ten shapes at most", sum},
      {"memory.padded_at_peak.bytes", "B", "Of them as stored", sum},
      {"memory.padded_at_peak.element_bytes", "B", "Of their elements", sum},
      {"memory.updated_bytes_per_core", "B", "Weights and slots that a core updates, sharded", value, false},
      {"memory.updated_bytes_per_core_uncut", "B", "The same without weight-update sharding", value, false},
      {"memory.argument_bytes_whole", "B", "Arguments of the whole program, without padding", value, false},
      {"ops_per_step", "", "Items of the compiled program"},
      {"distinct_ops", "", "Ops of it that differ"},
      {"simulated_chips", "", "Chips that were simulated; fewer than the slice has when folded"},
      {"real_chips", "", "Chips made of their units; a study replays all unless it sets detail"},
      {"stages.first_core", "", "First core of the last stage", largest, false},
      {"stages.cores", "", "Cores of all stages together", sum, false},
      {"stages.step_s", "s", "Step of the slowest stage", largest, false},
      {"stages.compute_s", "s", "Compute time of the busiest stage", largest, false},
      {"stages.collective_s", "s", "Longest time of a stage in collectives", largest, false},
      {"stages.transfer_s", "s", "Longest time of a stage in transfers, waiting for others apart", largest, false},
      {"stages.waiting_s", "s", "Longest time that a stage waits for others, the bubble of a pipeline", largest, false},
      {"stages.idle_share", "1", "Share of the step in which a stage computes nothing, mean of the stages", mean,
       false},
      {"operators.devices", "", "Cores of a replica that share its operations", value, false},
      {"operators.replicas", "", "Replicas whose operations are shared out", value, false},
      {"operators.samples_per_step", "", "Samples of all replicas in a step", value, false},
      {"operators.operations", "", "Operations that are shared out", value, false},
      {"operators.clusters", "", "Clusters of them that have to be on one core", value, false},
      {"operators.estimated_schedules", "", "Schedules that were estimated", value, false},
      {"operators.simulated_steps", "", "Ways to share them out that were simulated", value, false},
      {"operators.work_s", "s", "Of all operations of a replica, one after another", value, false},
      {"operators.cores.core", "", "Last core of a replica", largest, false},
      {"operators.cores.busy_s", "s", "Operations of the busiest core", largest, false},
      {"operators.transfers", "", "Transfers between the cores of a replica", value, false},
      {"operators.transferred_bytes", "B", "Their bytes", value, false},
      {"operators.tried.estimated_step_s", "s", "Longest estimate of the ways to share operations out", largest, false},
      {"operators.tried.step_s", "s", "Longest step of those that were simulated", largest, false},
      {"operators.data_parallel.step_s", "s", "Step of the same batch divided among all cores", value, false},
      {"mesh.size", "", "Size of the mesh's longest axis", largest, false},
      {"placement.tried", "", "Placements of the mesh that were compared", value, false},
      {"placement.modelled_collective_s", "s", "Modelled collective time of the placement taken", value, false},
      {"placement.in_order_of_cores_s", "s", "Modelled collective time with partitions in the order of cores", value,
       false},
      {"rematerialised.flops", "", "Operations of a core in a step that are computed once more", value, false},
      {"update_s", "s", "Of the step in the optimiser, with weight-update sharding", value, false},
      {"update_shards.of_tiles", "", "Weights and slots of a sharded update that are cut into tiles", value, false},
      {"update_shards.of_rows", "", "Likewise into rows of elements", value, false},
      {"update_shards.whole", "", "Likewise not cut", value, false},
      {"update_uncut_s", "s", "The same if every core updated the whole weights", value, false},
      {"samples_per_step", "", "Samples of all cores in a step", value, false},
      {"tokens_per_s", "1/s", "Tokens of all cores per second", value, false},
      {"product_copies", "1", "How often the cores do the products of the whole program", value, false},
      {"model_flops_per_step", "", "Operations that the model asks for in a step of all cores", value, false},
      {"collectives_by_axis.count", "", "Collectives along axes of the mesh in a step", sum, false},
      {"collectives_by_axis.bytes_per_step", "B", "Payload of the collectives along axes of the mesh", sum, false},
      {"collectives_by_axis.time_s", "s", "Of the collectives along axes of the mesh", sum, false},
      {"collectives_by_axis.exposed_s", "s", "That a core spends in them", sum, false},
      {"collectives_by_axis.overlapped_s", "s", "Part of their time overlapped with compute", sum, false},
      {"memory_banks.step_time_s", "s", "Step with the hottest ops bank by bank", value, false},
      {"memory_banks.ops.count", "", "Executions of the hottest ops", sum, false},
      {"memory_banks.ops.streams_s", "s", "Of the hottest ops in a step, HBM as streams", total, false},
      {"memory_banks.ops.banks_s", "s", "Of the hottest ops in a step, HBM bank by bank", total, false},
      {"chip_parts.streams_s", "s", "Of the ops at detail chip, over streams", value, false},
      {"chip_parts.parts_s", "s", "Of the ops at detail chip, through the parts of the chip", value, false},
      {"chip_parts.ops.streams_s", "s", "Of every such op, over streams", sum, false},
      {"chip_parts.ops.parts_s", "s", "Of every such op, through the parts of the chip", sum, false},
      {"chip_parts.ops.count", "", "Executions of ops through the parts of the chip", sum, false},
  };
  add_energy(metrics);
  add_activity(metrics);
  return metrics;
}

std::vector<StudyMetric> train_metrics() {
  using enum MetricOf;
  std::vector<StudyMetric> metrics{
      {"chips", "", "Chips of the slice"},
      {"samples_per_step", "", "Samples of all cores in a step"},
      {"step_time_s", "s", "Time of a step"},
      {"epochs", "", "Epochs to train; 0 where steps are given"},
      {"steps", "", "Steps to train"},
      {"loops", "", "Loops of steps to train"},
      {"time_to_train_s", "s", "Of all loops, from the first sample"},
      {"start.time_s", "s", "Of the start of the job, with its first samples"},
      {"start.connect_s", "s", "Of it, connecting processes, runtime and mesh"},
      {"start.graph_s", "s", "Of it, building graphs"},
      {"start.compile_s", "s", "Of it, compiling"},
      {"start.restore_s", "s", "Of it, a checkpoint from the storage"},
      {"start.weights_s", "s", "Of it, weights to the devices"},
      {"start.input_s", "s", "Of it, the first batch through the hosts"},
      {"published.chips", "", "Chips of the largest published training", largest, false},
      {"published.batch", "", "Samples of a step of the published trainings at most", largest, false},
      {"published.minutes", "", "Minutes of the longest published training", largest, false},
      {"runs.count", "", "Trainings whose epochs vary", value, false},
      {"runs.seed", "", "Of what they vary by", value, false},
      {"runs.spread", "1", "Standard deviation of their epochs over the mean", value, false},
      {"runs.mean_s", "s", "Their mean time to train", value, false},
      {"runs.standard_deviation_s", "s", "Standard deviation of their times to train", value, false},
      {"runs.least_s", "s", "The shortest of them", value, false},
      {"runs.most_s", "s", "The longest of them", value, false},
      {"runs.mlperf_s", "s", "Their mean without the shortest and the longest", value, false}};
  for (const StudyMetric& metric : run_metrics()) {
    const bool of_job = metric.name.starts_with("train_loop.") || metric.name.starts_with("checkpoint.") ||
                        metric.name.starts_with("faults.") || metric.name.starts_with("input.");
    if (of_job) metrics.push_back(metric);
  }
  return metrics;
}

std::vector<StudyMetric> collective_metrics() {
  using enum MetricOf;
  return {
      {"bytes", "B", "Payload of a rank"},
      {"time_s", "s", "From the first core in to the last core out"},
      {"bandwidth_bytes_per_s", "B/s", "Payload over time"},
      {"modelled_s", "s", "Time by the model that chooses the algorithm"},
      {"closed_form_s", "s", "Time by the textbook's formula"},
      {"lower_bound_s", "s", "No algorithm takes less"},
      {"messages", "", "Messages that chips sent"},
      {"relayed", "", "Messages that software passed on around faults"},
      {"healthy_time_s", "s", "Time without the faults", value, false},
      {"largest_error", "1", "Largest relative error of any rank's numbers", value, false},
      {"phases.order", "", "Orders of dimensions besides the first", largest, false},
      {"phases.payload_bytes", "B", "Payload of the largest phase", largest, false},
      {"phases.begin_s", "s", "Start of the last phase", largest, false},
      {"phases.end_s", "s", "End of the last phase", largest, false},
      {"links.bytes", "B", "Payload of the busiest link", largest, false},
      {"links.utilization", "1", "Share of its time that the busiest link is in use", largest, false},
  };
}

std::vector<StudyMetric> goodput_metrics() {
  using enum MetricOf;
  std::vector<StudyMetric> metrics{
      {"chips", "", "Chips of the slice"},
      {"hosts", "", "Hosts of the slice"},
      {"cables", "", "Cables between hosts of a pod"},
      {"optical_links", "", "Optical links between pods"},
      {"days", "", "Days of the job"},
      {"seeds", "", "Simulated jobs"},
      {"seed", "", "Seed of the first of them"},
      {"spares", "", "Hosts that take over for broken ones"},
      {"step_time_s", "s", "Time of a step of the whole slice"},
      {"goodput", "1", "Share of the time in steps that count, mean of the jobs"},
      {"goodput_p10", "1", "One job in ten has less"},
      {"goodput_p50", "1", "Half of the jobs have less"},
      {"goodput_p90", "1", "One job in ten has more"},
      {"steps", "", "Steps that count, mean of the jobs"},
      {"interruptions", "", "Interruptions of a job"},
      {"announced", "", "Of them announced, so that the job saves its state first"},
      {"between_failures_s", "s", "Mean time between failures of the whole slice that are not announced"},
      {"host_availability", "1", "Share of the time in which a host works"},
      {"slice_availability", "1", "Share of the time in which all hosts of the slice work"},
      {"smaller_slices", "", "Times that a job goes on with a smaller slice"},
      {"rerouted", "", "Times that it goes on around dead links"},
      {"suspect_steps", "", "Steps that count, of chips that compute wrong results"},
      {"rerouted_step_s", "s", "Time of a step with a dead link", value, false},
      {"checkpoint.steps", "", "Steps from one checkpoint to the next"},
      {"checkpoint.work_s", "s", "Work from one checkpoint to the next"},
      {"checkpoint.wait_s", "s", "That the device waits for a checkpoint and its check"},
      {"checkpoint.young_s", "s", "Young's interval"},
      {"checkpoint.daly_s", "s", "Daly's interval"},
      {"checkpoint.state_bytes", "B", "Of a checkpoint"},
      {"checkpoint.best_s", "s", "The best interval of simulated jobs", value, false},
      {"checkpoint.seeds", "", "Jobs of which it is the best", value, false},
      {"checkpoint.points.work_s", "s", "The longest interval that was simulated", largest, false},
      {"checkpoint.points.cost", "1", "The greatest share that an interval cost", largest, false},
      {"causes.parts", "", "Parts that may fail, of all kinds", sum},
      {"causes.interruptions", "", "Interruptions of all causes", sum},
      {"causes.lost_steps_s", "s", "Of a job in steps that are lost, by all causes", sum},
      {"causes.detection_s", "s", "Of a job in detection and diagnosis", sum},
      {"causes.waiting_s", "s", "Of a job waiting for repairs and spares", sum},
      {"causes.restarts_s", "s", "Of a job in restarts", sum},
      {"ways.step_s", "s", "Longest step of the slices that the job can have", largest},
      {"ways.restart_s", "s", "Longest restart on them", largest}};
  for (const auto& [name, of] : std::initializer_list<std::pair<const char*, const char*>>{
           {"steps", "steps that count"},
           {"slower_steps", "what steps take longer on smaller slices and around dead links"},
           {"checkpoints", "checkpoints"},
           {"checks", "checks of results"},
           {"lost_steps", "steps that are lost"},
           {"detection", "detection and diagnosis"},
           {"waiting", "waiting for repairs and spares"},
           {"restarts", "restarts"},
           {"start", "the first start"}}) {
    metrics.push_back({fmt::format("shares.{}", name), "1", fmt::format("Share of the time in {}", of)});
  }
  return metrics;
}

std::vector<StudyMetric> serve_metrics() {
  using enum MetricOf;
  std::vector<StudyMetric> metrics{
      {"chips", "", "Chips of a replica"},
      {"replicas", "", "Replicas; with decode_replicas those that read prompts"},
      {"decode_replicas", "", "Replicas that make tokens only"},
      {"max_batch", "", "Sequences of a replica, or samples of a step, at most"},
      {"chunk", "", "Tokens of prompts that a step reads at most"},
      {"rate", "1/s", "Requests per second that arrive"},
      {"seed", "", "Seed of what is random"},
      {"requests", "", "Requests that are counted"},
      {"time_s", "s", "Time until the last is finished"},
      {"requests_per_s", "1/s", "Requests that are finished per second"},
      {"input_tokens_per_s", "1/s", "Tokens of their prompts per second", value, false},
      {"output_tokens_per_s", "1/s", "Tokens of their answers per second", value, false},
      {"slo_share", "1", "Share of the requests that meet the level", value, false},
      {"goodput_per_s", "1/s", "Requests per second that meet it", value, false},
      {"busy", "1", "Share of the time of replicas in steps"},
      {"mean_batch", "", "Sequences that decode, or samples, in a step"},
      {"padding", "1", "Share of the room for them that is empty"},
      {"utilization.mxu", "1", "FLOPs over the peak of the MXUs, of all the time"},
      {"utilization.hbm", "1", "Bytes over what the HBM streams, of all the time"},
      {"utilization.mxu_in_steps", "1", "FLOPs over the peak of the MXUs, of the time in steps"},
      {"utilization.hbm_in_steps", "1", "Bytes over what the HBM streams, of the time in steps"},
      {"energy.joules", "J", "Of all chips, until the last request is finished"},
      {"energy.idle_j", "J", "The part of it outside steps"},
      {"energy.chip_w", "W", "Mean power of a chip"},
      {"energy.chip_idle_w", "W", "Power of a chip in no step"},
      {"energy.request_j", "J", "Energy of a request"},
      {"energy.token_j", "J", "Energy of a token of an answer", value, false},
      {"queue.mean", "", "Requests that wait, on average"},
      {"queue.most", "", "Requests that wait, at most"},
      {"cache.pages", "", "Pages of a replica's cache", value, false},
      {"cache.page_tokens", "", "Tokens of a page", value, false},
      {"cache.bytes_per_token", "B", "Keys and values of a token, on all cores", value, false},
      {"cache.mean", "1", "Share of the pages in use, on average", value, false},
      {"cache.most", "1", "Share of the pages in use, at most", value, false},
      {"expert_skew", "", "Zipf exponent of the experts' popularity", value, false},
      {"draft.tokens", "", "Tokens that are drafted for a step", value, false},
      {"draft.accept", "1", "Probability that one is accepted", value, false},
      {"draft.tokens_per_step", "", "Tokens that a sequence gets in a step", value, false},
      {"transfers.wait_s", "s", "For network ports, of a cache on average", value, false},
      {"transfers.busiest_port", "1", "Share of the time in which the busiest port works", value, false},
      {"of_replicas.busy_s", "s", "In steps, of all replicas", sum},
      {"of_replicas.away_s", "s", "Away, of all replicas", sum},
      {"of_replicas.steps", "", "Steps of all replicas", sum},
      {"of_replicas.finished", "", "Requests that all replicas finished", sum},
      {"of_replicas.running", "", "Sequences of all replicas, on average", sum},
      {"of_replicas.joules", "J", "Of the chips of all replicas", sum},
      {"of_replicas.mxu", "1", "MXU of the replica that does most", largest},
      {"of_replicas.hbm", "1", "HBM of the replica that reads most", largest},
      {"programs.step_s", "s", "The longest step that was simulated", largest},
      {"programs.step_j", "J", "The greatest energy of a step", largest},
      {"programs.mxu", "1", "The greatest share of the MXUs' peak in a step", largest},
      {"programs.hbm", "1", "The greatest share of the HBM's rate in a step", largest},
      {"programs.samples", "", "The largest batch that was simulated", largest, false},
      {"programs.decoding", "", "The most sequences of a program", largest, false},
      {"programs.cached", "", "The most tokens in the cache of each", largest, false},
      {"programs.prefill_tokens", "", "The most tokens of prompts of a program", largest, false},
      {"programs.prefill_cached", "", "The most tokens before them", largest, false}};
  for (const auto& [name, of] : std::initializer_list<std::pair<const char*, const char*>>{
           {"arrived", "Requests that arrived"},
           {"finished", "Requests that were finished"},
           {"refused", "Requests whose cache does not fit a replica"},
           {"steps", "Steps"},
           {"lost_steps", "Steps of replicas that stopped"},
           {"preemptions", "Sequences that lost their cache to others"},
           {"requeued", "Requests of replicas that stopped"},
           {"transfers", "Caches that were sent to replicas that decode"},
           {"prompt_tokens_read", "Tokens of prompts that steps read"},
           {"prompt_tokens_reused", "Tokens of prompts that were in the cache"},
           {"tokens_made", "Tokens of answers"},
           {"tokens_dropped", "Tokens in the cache that were lost"}}) {
    metrics.push_back({fmt::format("counts.{}", name), "", of});
  }
  struct Latency {
    const char *key, *text;
    bool always;
  };
  for (const Latency& of :
       {Latency{"wait_s", "Wait for the first step", true}, Latency{"ttft_s", "Time to the first token", false},
        Latency{"tpot_s", "Time for each further token", false}, Latency{"gap_s", "Time between tokens", false},
        Latency{"latency_s", "Time of a request", true}}) {
    for (const char* figure : {"mean", "p50", "p90", "p95", "p99", "most"}) {
      metrics.push_back(
          {fmt::format("{}.{}", of.key, figure), "s", fmt::format("{}, {}", of.text, figure), value, of.always});
    }
  }
  return metrics;
}

}  // namespace

const std::vector<StudyMetric>& study_metrics(std::string_view command) {
  static const std::map<std::string_view, std::vector<StudyMetric>> metrics{{"run", run_metrics()},
                                                                            {"train", train_metrics()},
                                                                            {"collective", collective_metrics()},
                                                                            {"goodput", goodput_metrics()},
                                                                            {"serve", serve_metrics()}};
  return metrics.at(command);
}

}  // namespace podsim::studies::plan
