// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

/// Entries of the registry for image classifiers on patches.
namespace podsim::workloads::models {

/// "vit": the Vision Transformer, ViT-B/16, 64 images per core.
WorkloadEntry vit_entry();

/// "mixer": MLP-Mixer, Mixer-B/16, 64 images per core.
WorkloadEntry mixer_entry();

}  // namespace podsim::workloads::models
