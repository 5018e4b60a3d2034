// SPDX-License-Identifier: Apache-2.0
// y = softmax over the 128 columns of x[64, 128]: a register holds 8 rows, and lanes are columns. The cross-lane unit
// takes an operation every 8 cycles and answers 100 cycles later, so each pass pushes all registers before it pops.

.const registers = 8
.const words     = registers * 8 * 128
.const loaded    = 0                     // sync flags
.const stored    = 1

.hbm x
  .fill f32, words, 3
.hbm y
  .zeros words
.vmem x_rows
  .zeros words
.vmem e_rows                             // exp(x - max)
  .zeros words

.dma load  { route = hbm_to_vmem ; source = x ; destination = x_rows ; words = words ; flag = loaded }
.dma store { route = vmem_to_hbm ; source = e_rows ; destination = y ; words = words ; flag = stored }

  mark "load"
  { dma load ; s.mov s1, registers ; s.mov s2, x_rows.row }
  sync.wait loaded, 1

// The largest of each row, into all of its lanes.
  mark "max"
max:
  { vld v1, [s2] ; s.add s2, s2, 8 }
  nop
  nop
  nop
  { x.max.lanes v1 ; s.loop s1, max }

// e to the power of what is left, and the sum of that. The first pop waits for "cross_lane".
  mark "exp"
  { s.mov s1, registers ; s.mov s2, x_rows.row ; vld v2, [x_rows.row] }
exp:
  { pop v1, xlu ; s.add s2, s2, 8 }
  { v.sub.f32 v3, v2, v1 ; vld v2, [s2] }
  nop
  e.exp v3
  pop v4, eup                            // waits for "transcendental": 4 cycles
  { x.sum.lanes v4 ; vst [s2 + e_rows.row - x_rows.row - 8], v4 ; s.loop s1, exp }

// Divided by the sum.
  mark "divide"
  { s.mov s1, registers ; s.mov s2, e_rows.row ; vld v2, [e_rows.row] }
divide:
  pop v1, xlu
  { e.recip v1 ; s.add s2, s2, 8 }
  pop v3, eup
  { v.mul.f32 v4, v2, v3 ; vld v2, [s2] }
  nop
  { vst [s2 - 8], v4 ; s.loop s1, divide }

  mark "store"
  fence                                  // until the DMA can see what was stored
  dma store
  sync.wait stored, 1
  halt

.expect hbm, y, 0.000001                 // 128 equal columns
  .fill f32, words, 1.0 / 128
