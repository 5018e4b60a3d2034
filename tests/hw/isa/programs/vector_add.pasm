// SPDX-License-Identifier: Apache-2.0
// c = a + b, four registers of 8 x 128 floats, from HBM to HBM.

.const registers = 4
.const words     = registers * 8 * 128
.const loaded    = 0                     // sync flags
.const stored    = 1

.hbm a
  .iota f32, words                       // 0, 1, 2, ...
.hbm b
  .iota f32, words, 1, 2                 // 1, 3, 5, ...
.hbm c
  .zeros words

.vmem a_tile
  .zeros words
.vmem b_tile
  .zeros words
.vmem c_tile
  .zeros words

.dma load_a  { route = hbm_to_vmem ; source = a ; destination = a_tile ; words = words ; flag = loaded }
.dma load_b  { route = hbm_to_vmem ; source = b ; destination = b_tile ; words = words ; flag = loaded }
.dma store_c { route = vmem_to_hbm ; source = c_tile ; destination = c ; words = words ; flag = stored }

  mark "load"
  dma load_a
  { dma load_b ; s.mov s1, registers ; s.mov s2, 0 }
  sync.wait loaded, 2                    // each of them raises it by one
  mark "add"
next:
  vld v1, [s2 + a_tile.row]
  vld v2, [s2 + b_tile.row]
  nop                                    // a load takes 4 cycles: v2 can be read in the fourth bundle from here
  nop
  nop
  v.add.f32 v3, v1, v2
  nop                                    // the sum takes 2
  { vst [s2 + c_tile.row], v3 ; s.add s2, s2, 8 ; s.loop s1, next }
  fence                                  // until the DMA can see what was stored
  mark "store"
  dma store_c
  sync.wait stored, 1
  halt

.expect hbm, c
  .iota f32, words, 1, 3                 // 1, 4, 7, ...
