// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "sw/target_machine.h"

namespace podsim::sw::compiler::layout {

/// Chooses the order in memory of the dimensions of all arrays whose order nothing fixes (layout_classes.h).
///
/// A class of arrays leaves the order of the text if another one pads its arrays less and its ops take no longer, or if
/// its ops take less time by the share compiler.order_gain. Where that is so only if classes that reshapes connect are
/// reordered with it, so that the reshapes move nothing, they are reordered together. Fewer reshapes that change the
/// order of elements are better than less time unless arrays are padded compiler.reshape_padding times for them: where
/// a convolution puts the channels of [16,56,56,256] in the lanes, their view by groups, [16,3136,32,8], has pixels
/// there, and would be padded 16 times in the order that moves nothing. An order has one dimension in the lanes and one
/// in the sublanes; the others stay as in the text, and so does the sublane dimension if no other one pads less.
/// Traffic counts an array when it is made and for every op that reads it, as if elementwise ops were fused with their
/// readers. In a loop's body all of this counts as often as the loop runs.
///
/// Silicon shows both rules: f32[1024,16,64]{0,2,1}, f32[2048,1000]{0,1} and bf16[32,512,16,64]{1,3,2,0} avoid padding,
/// and attention scores bf16[32,16,512,512]{2,3,1,0} have queries in the lanes, since a softmax reduces over keys. The
/// residual stream bf16[32,512,1024] stays row-major, although its norms reduce over lanes: they are a small part of
/// the time of its ops.
void assign_dimension_orders(hlo::Module& module, const TargetMachine& machine);

}  // namespace podsim::sw::compiler::layout
