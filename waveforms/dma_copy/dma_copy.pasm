// SPDX-License-Identifier: Apache-2.0
// y = x, 512 KiB from HBM to HBM in tiles of 64 KiB, through two buffers in VMEM. Nothing is computed: the core only
// starts DMAs and waits for them. A tile's store and the next tile's load share the HBM.

.const tiles  = 8
.const words  = 16384                    // of a tile: 128 rows of VMEM
.const loaded = 0                        // sync flags 0 and 1: loads that filled each buffer
.const stored = 2                        // sync flags 2 and 3: stores that emptied it

.hbm x
  .iota word, tiles * words
.hbm y
  .zeros tiles * words
.vmem buffers
  .zeros 2 * words

// Of each pair the second stands 8 words behind the first.
.dma load0  { route = hbm_to_vmem ; source = x ; destination = buffers ; words = words ; flag = loaded
              name = "load" }
.dma load1  { route = hbm_to_vmem ; source = x + words ; destination = buffers + words ; words = words
              flag = loaded + 1 ; name = "load" }
.dma store0 { route = vmem_to_hbm ; source = buffers ; destination = y ; words = words ; flag = stored
              name = "store" }
.dma store1 { route = vmem_to_hbm ; source = buffers + words ; destination = y + words ; words = words
              flag = stored + 1 ; name = "store" }

  mark "first load"
  { dma load0 ; s.mov s1, 0 ; s.mov s12, x + 2 * words }
  s.store [load0 + 1], s12               // s1 is the tile; the first buffer's next one is number 2
  mark "copy"
tile:
  { s.and s2, s1, 1 ; s.shr s3, s1, 1 }  // s2: its buffer, s3: tiles that were in the buffer before
  { s.shl s4, s2, 3 ; s.add s5, s3, 1 }
  sync.wait s2, s5                       // the load that fills it: here the core stands most of the time
  { s.add s6, s4, store0 ; s.xor s7, s2, 1 }
  { dma s6 ; s.load s8, [s6 + 2] }       // out again; the descriptor's destination is read to be moved on

  // The other buffer takes the next tile once its last store is out: (s1 + 1) / 2 of them so far.
  { s.add s1, s1, 1 ; s.add s9, s7, stored }
  { s.shr s10, s1, 1 ; s.lt p1, s1, tiles }
  { s.shl s11, s7, 3 ; sync.wait s9, s10 }
  { s.add s11, s11, load0 ; s.add s8, s8, 2 * words }
  { @p1 dma s11 ; s.store [s6 + 2], s8 ; s.load s12, [s11 + 1] }
  nop
  nop
  nop
  s.add s12, s12, 2 * words
  { s.store [s11 + 1], s12 ; @p1 s.branch tile }

  mark "last store"
  sync.wait stored + 1, tiles / 2
  halt

.expect hbm, y
  .iota word, tiles * words
