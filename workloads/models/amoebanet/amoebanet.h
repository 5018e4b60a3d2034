// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/layers.h"
#include "workloads/optimizer.h"
#include "workloads/training_step.h"

namespace podsim::workloads::models::amoebanet {

/// AmoebaNet-D (Real et al. 2018, "Regularized Evolution for Image Classifier Architecture Search"), in the form that
/// TPUs trained: a convolution, two reduction cells, and `cells` normal cells, with a reduction cell before those of
/// number cells / 3 and 2 cells / 3. A cell reads the results of the two before it.
///
/// A normal cell has F filters, F = reduction_size, and twice as many behind each of the last two reduction cells; the
/// first two have F / 4 and F / 2. With state 0 the result before, brought to F channels, and state 1 the one before
/// that, brought to the same size, a cell computes states 2 to 6, each a sum of two operations on states before it.
/// Convolutions of 3 x 3, and of 1 x 7 and 7 x 1, have F / 4 channels between two convolutions of 1 x 1.
struct AmoebaNetOptions {
  std::int64_t batch = 128;  ///< images of all cores
  std::int64_t image_size = 224;
  std::int64_t classes = 1001;
  std::int64_t cells = 6;             ///< normal cells; at least 3
  std::int64_t reduction_size = 256;  ///< F of the first normal cells; a multiple of 16
  std::int64_t norm_groups = 1;       ///< parts of the batch with statistics of their own
  bool auxiliary = true;              ///< a second classifier before the last reduction cell, whose loss counts 0.4
  bool folded_norms = false;  ///< a shift per channel in place of each batch norm, which is folded into the kernel
  Precision precision;
  double label_smoothing = 0.1;
  Optimizer optimizer;
};

/// One training step of the whole machine. The parameters begin with images [batch, size, size, 3] and labels
/// s32[batch]. The values of a cell have the op_name "cell0/state2/left/..." or, of a reduction cell,
/// "reduction0/..."; its result is "cell0/joined", of 4 F channels, of a reduction cell 3 F. Averages over windows
/// count the padding.
TrainingStep amoebanet_training_step(const AmoebaNetOptions& options);

/// The forward part alone, with images as first parameter; the result is the logits.
hlo::Module amoebanet_forward(const AmoebaNetOptions& options);

}  // namespace podsim::workloads::models::amoebanet
