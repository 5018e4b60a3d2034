// SPDX-License-Identifier: Apache-2.0
// c[128, 256] = a[128, 256] b[256, 256] on both matrix units: unit 0 makes columns 0 to 127 of c, unit 1 the others.
// The contraction takes two steps of 128, each with its own weights; those of the second shift in while rows of a
// stream past those of the first. Arrays are in tiles of 8 x 128, a tile to a vector register.

.const loaded = 0                        // sync flags
.const stored = 1
.const step   = 128                      // VMEM rows of 128 x 128 words

.hbm a                                   // two contraction steps of 16 registers
  .fill f32, 2 * 16384, 1
.hbm b                                   // step 0 for unit 0, step 0 for unit 1, step 1 for unit 0, for unit 1
  .fill f32, 16384, 0.25
  .fill f32, 16384, 0.5
  .fill f32, 16384, 0.25
  .fill f32, 16384, 0.5
.hbm c
  .zeros 2 * 16384

.vmem a_rows
  .zeros 2 * 16384
.vmem b_rows
  .zeros 4 * 16384
.vmem c_rows
  .zeros 2 * 16384

.dma load_b  { route = hbm_to_vmem ; source = b ; destination = b_rows ; words = b.words ; flag = loaded }
.dma load_a  { route = hbm_to_vmem ; source = a ; destination = a_rows ; words = a.words ; flag = loaded }
.dma store_c { route = vmem_to_hbm ; source = c_rows ; destination = c ; words = c.words ; flag = stored }

  mark "load"
  dma load_b
  { dma load_a ; s.mov s1, 8 ; s.mov s2, b_rows.row + 120 }
  sync.wait loaded, 2

// A tile of weights is 16 registers, the last rows first. Two of each unit go in per turn. A turn of 5 bundles and a
// branch takes 13 cycles, the array takes 16 for two registers: its weight FIFO fills up.
  mark "weights"
  vld v1, [s2]
  vld v2, [s2 + step]
  vld v3, [s2 - 8]
  vld v4, [s2 + step - 8]
weights:
  { mxu.weights mxu0, v1 ; s.sub s2, s2, 16 }
  { mxu.weights mxu1, v2 ; vld v1, [s2] }
  { mxu.weights mxu0, v3 ; vld v2, [s2 + step] }
  { mxu.weights mxu1, v4 ; vld v3, [s2 - 8] }
  { vld v4, [s2 + step - 8] ; s.loop s1, weights }

// Rows of a go to both units; between them the weights of the second step. 8 bundles and a branch are 16 cycles, in
// which each unit takes two registers of rows and two of weights: as fast as it can. The last weights of the first step
// are still on their way in when this begins: rows fill their FIFO, and the core waits a few cycles ("matrix_operands").
  mark "step 0"
  { mxu.latch mxu0 ; s.mov s2, a_rows.row ; s.mov s3, b_rows.row + 2 * step + 120 }
  { mxu.latch mxu1 ; vld v5, [s2] ; s.mov s1, 8 }
  vld v1, [s3]
  vld v2, [s3 + step]
  vld v6, [s2 + 8]
  vld v3, [s3 - 8]
  { vld v4, [s3 + step - 8] ; s.sub s3, s3, 16 }
rows0:
  { mxu.lhs mxu0, v5 ; s.add s2, s2, 16 }
  { mxu.lhs mxu1, v5 ; vld v5, [s2] }
  { mxu.weights mxu0, v1 ; vld v1, [s3] }
  { mxu.weights mxu1, v2 ; vld v2, [s3 + step] }
  mxu.lhs mxu0, v6
  { mxu.lhs mxu1, v6 ; vld v6, [s2 + 8] }
  { mxu.weights mxu0, v3 ; vld v3, [s3 - 8] }
  { mxu.weights mxu1, v4 ; vld v4, [s3 + step - 8] ; s.sub s3, s3, 16 ; s.loop s1, rows0 }

// The rows of the second step, whose first register was loaded by the loop before; what comes out belongs to the first.
// A result is there 135 cycles after its rows began to enter: the first pop is early and waits for "matrix_results".
  mark "step 1"
  { mxu.latch mxu0 ; s.mov s1, 8 ; s.mov s4, c_rows.row }
  mxu.latch mxu1
rows1:
  { mxu.lhs mxu0, v5 ; pop v10, mxu0 ; s.add s2, s2, 16 }
  { mxu.lhs mxu1, v5 ; pop v11, mxu1 ; vst [s4], v10 ; vld v5, [s2] }
  { mxu.lhs mxu0, v6 ; pop v12, mxu0 ; vst [s4 + step], v11 }
  { mxu.lhs mxu1, v6 ; pop v13, mxu1 ; vst [s4 + 8], v12 ; vld v6, [s2 + 8] }
  { vst [s4 + step + 8], v13 ; s.add s4, s4, 16 ; s.loop s1, rows1 }

// What the second step adds.
  mark "add"
  { s.mov s1, 8 ; s.mov s4, c_rows.row }
add:
  { pop v10, mxu0 ; vld v14, [s4] }
  { pop v11, mxu1 ; vld v15, [s4 + step] }
  { pop v12, mxu0 ; vld v16, [s4 + 8] }
  { pop v13, mxu1 ; vld v17, [s4 + step + 8] }
  v.add.f32 v14, v14, v10
  v.add.f32 v15, v15, v11
  { v.add.f32 v16, v16, v12 ; vst [s4], v14 }
  { v.add.f32 v17, v17, v13 ; vst [s4 + step], v15 }
  vst [s4 + 8], v16
  { vst [s4 + step + 8], v17 ; s.add s4, s4, 16 ; s.loop s1, add }

  mark "store"
  fence                                  // until the DMA can see what was stored
  dma store_c
  sync.wait stored, 1
  halt

.expect hbm, c                           // 256 products of 1 and 0.25, and of 1 and 0.5
  .fill f32, 16384, 64
  .fill f32, 16384, 128
