// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/kernel_families.h"

#include <vector>

#include "sw/codegen/families/attention/decode_attention_kernel.h"
#include "sw/codegen/families/attention/flash_attention_kernel.h"
#include "sw/codegen/families/matrix/convolution_kernel.h"
#include "sw/codegen/families/matrix/matmul_kernel.h"
#include "sw/codegen/families/rows/layer_norm_kernel.h"
#include "sw/codegen/families/rows/softmax_kernel.h"
#include "sw/codegen/families/stream/copy_kernel.h"
#include "sw/codegen/families/stream/elementwise_kernel.h"
#include "sw/codegen/families/stream/reduction_kernel.h"
#include "sw/codegen/families/stream/transpose_kernel.h"

namespace podsim::sw::codegen {

std::span<const families::KernelFamily> kernel_families() {
  static const std::vector<families::KernelFamily> families{families::matrix::matmul_family(),
                                                            families::matrix::conv2d_family(),
                                                            families::stream::elementwise_family(),
                                                            families::stream::reduction_family(),
                                                            families::rows::softmax_family(),
                                                            families::rows::layer_norm_family(),
                                                            families::stream::transpose_family(),
                                                            families::stream::copy_family(),
                                                            families::attention::decode_attention_family(),
                                                            families::attention::flash_attention_family()};
  return families;
}

}  // namespace podsim::sw::codegen
