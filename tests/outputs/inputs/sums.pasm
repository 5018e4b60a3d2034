// SPDX-License-Identifier: Apache-2.0
// y = x + x of one register of words 0 to 1023, from HBM and back.

.hbm x
  .iota word, 1024
.hbm y
  .zeros 1024
.vmem buffer
  .zeros 1024

.dma load  { route = hbm_to_vmem ; source = x ; destination = buffer ; words = 1024 ; flag = 0 ; name = "load" }
.dma store { route = vmem_to_hbm ; source = buffer ; destination = y ; words = 1024 ; flag = 1 ; name = "store" }

  mark "load"
  dma load
  sync.wait 0, 1
  mark "add"
  vld v1, [s0 + buffer.row]
  nop
  nop
  nop
  nop
  nop
  nop
  v.add.s32 v2, v1, v1
  nop
  vst [s0 + buffer.row], v2
  fence
  dma store
  sync.wait 1, 1
  halt

.expect hbm, y
  .iota word, 1024, 0, 2
