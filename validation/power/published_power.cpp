// SPDX-License-Identifier: Apache-2.0
#include "validation/power/published_power.h"

#include <array>

namespace podsim::validation::power {
namespace {

constexpr const char* chip_watts = "Jouppi et al. 2023, table 4: chip and HBM over production applications";
constexpr const char* run_watts = "Patterson et al. 2021, table 4: with host, network and fans";
constexpr const char* all_runs_watts =
    "Patterson et al. 2021: mean of all jobs of the study, within 10 % (v3), 5 % (v2)";

using Words = std::vector<std::string>;

/// The programs that stand for those in production: the training steps of all kinds of network that Google names
/// (perceptrons and embeddings, convolutional, recurrent, attention), as shipped.
std::vector<Words> production(const std::string& machine) {
  std::vector<Words> all;
  for (const char* network : {"resnet50", "ssd", "mask_rcnn", "transformer", "bert_large", "gnmt", "dlrm", "ncf"}) {
    all.push_back({"run", network, "--slice", "4x4", "--machine", machine});
  }
  return all;
}

}  // namespace

std::string to_string(PowerOf figure) {
  constexpr std::array names{"idle", "least", "mean", "most", "at its rate"};
  return names[std::size_t(figure)];
}

std::vector<PublishedPower> published_power() {
  // Meena has 2.6 billion weights of hidden dimension 2560, by Adafactor on 1024 chips; its layers and batch are those
  // of the shipped Transformer.
  const Words meena{"run",         "transformer",      "--slice", "32x32",
                    "--set",       "model.layers=31",  "--set",   "model.d_model=2560",
                    "--set",       "model.d_ff=10240", "--set",   "model.heads=32",
                    "--set",       "model.d_head=80",  "--set",   "model.sequence=128",
                    "--optimizer", "adafactor"};
  const Words big{"run", "transformer", "--slice", "4x2", "--machine", "tpu-v2"};
  const Words any{"run", "transformer", "--slice", "2x2"};
  return {{PowerOf::nothing, "tpu-v3", 123, false, 0, chip_watts, {any}},
          {PowerOf::least, "tpu-v3", 175, false, 0, chip_watts, production("tpu-v3")},
          {PowerOf::mean, "tpu-v3", 220, false, 0, chip_watts, production("tpu-v3")},
          {PowerOf::most, "tpu-v3", 262, false, 0, chip_watts, production("tpu-v3")},
          {PowerOf::rate, "tpu-v3", 289, true, 42.3, run_watts, {meena}},
          {PowerOf::rate, "tpu-v2", 229, true, 28.8, run_watts, {big}},
          {PowerOf::mean, "tpu-v3", 283, true, 0, all_runs_watts, production("tpu-v3")},
          {PowerOf::mean, "tpu-v2", 221, true, 0, all_runs_watts, production("tpu-v2")}};
}

}  // namespace podsim::validation::power
