// SPDX-License-Identifier: Apache-2.0
// y = 2 x in tiles of 64 x 128 floats through two buffers: while one tile is computed, the next is on its way in and
// the one before on its way out.

.const tiles     = 8
.const rows      = 64                    // of a tile
.const words     = rows * 128
.const loaded    = 0                     // sync flags 0 and 1: loads into each buffer so far
.const stored    = 2                     // sync flags 2 and 3: stores out of each buffer so far

.hbm x
  .iota f32, tiles * words
.hbm y
  .zeros tiles * words
.vmem x_buffers
  .zeros 2 * words
.vmem y_buffers
  .zeros 2 * words

// Of each pair the second stands 8 words behind the first.
.dma load0  { route = hbm_to_vmem ; source = x ; destination = x_buffers ; words = words ; flag = loaded }
.dma load1  { route = hbm_to_vmem ; source = x + words ; destination = x_buffers + words ; words = words
              flag = loaded + 1 }
.dma store0 { route = vmem_to_hbm ; source = y_buffers ; destination = y ; words = words ; flag = stored }
.dma store1 { route = vmem_to_hbm ; source = y_buffers + words ; destination = y + words ; words = words
              flag = stored + 1 }

  { dma load0 ; s.mov s1, tiles }
  { dma load1 ; s.mov s2, 0 }            // s2: the tile
tile:
  { s.and s3, s2, 1 ; s.shr s4, s2, 1 }  // its buffer, and how many tiles the buffer held before
  { s.mul s5, s3, rows ; s.shl s6, s3, 3 }
  { s.add s7, s4, 1 ; s.add s8, s3, stored }
  sync.wait s3, s7                       // the tile is there
  sync.wait s8, s4                       // what the buffer held before is in HBM
  s.mov s9, rows / 8
next:
  vld v1, [s5 + x_buffers.row]
  nop
  nop
  nop
  v.mul.f32 v2, v1, 2.0
  nop
  { vst [s5 + y_buffers.row], v2 ; s.add s5, s5, 8 ; s.loop s9, next }

  { fence ; s.add s10, s6, store0 ; s.add s11, s6, load0 }
  { dma s10 ; s.load s12, [s10 + 2] }    // the descriptor's destination
  { s.load s13, [s11 + 1] ; s.add s14, s2, 2 }
  s.lt p1, s14, tiles
  nop
  nop
  { s.add s12, s12, 2 * words ; s.add s13, s13, 2 * words }
  { s.store [s10 + 2], s12 ; s.store [s11 + 1], s13 }
  { @p1 dma s11 ; s.add s2, s2, 1 ; s.loop s1, tile }

  sync.wait stored, tiles / 2
  sync.wait stored + 1, tiles / 2
  halt

.expect hbm, y
  .iota f32, tiles * words, 0, 2
