// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "sw/kernels/convolution_kernel.h"
#include "sw/kernels/copy_kernel.h"
#include "sw/kernels/elementwise_kernel.h"
#include "sw/kernels/kernel.h"
#include "sw/kernels/layer_norm_kernel.h"
#include "sw/kernels/matmul_kernel.h"
#include "sw/kernels/reduction_kernel.h"
#include "sw/kernels/softmax_kernel.h"
#include "sw/kernels/transpose_kernel.h"

namespace podsim::sw {

std::span<const KernelFamily> kernel_families() {
  static const std::vector<KernelFamily> families{matmul_family(),    conv2d_family(),  elementwise_family(),
                                                  reduction_family(), softmax_family(), layer_norm_family(),
                                                  transpose_family(), copy_family()};
  return families;
}

}  // namespace podsim::sw
