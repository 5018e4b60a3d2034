// SPDX-License-Identifier: Apache-2.0
// Embedding lookup: rows of a table in HBM, chosen by indices, into one array in HBM.
//
//   podsim kernel gather.pasm
//
// The indices go to SMEM, where the scalar unit reads them. It changes the source and the destination in a descriptor
// and starts one DMA per row. `dma` reads the descriptor when it issues, so one descriptor serves all rows.

.const entries = 64                      // rows of the table
.const width   = 128                     // words of a row
.const count   = 8                       // rows wanted
.const arrived = 0                       // sync flags
.const fetched = 1
.const stored  = 2

.hbm table                               // row r: 128 r, 128 r + 1, ...
  .iota f32, entries * width
.hbm wanted
  .word 5, 63, 0, 17, 17, 40, 1, 62
.hbm result
  .zeros count * width

.smem indices
  .zeros count
.vmem rows
  .zeros count * width

.dma load_indices { route = hbm_to_smem ; source = wanted ; destination = indices ; words = count ; flag = arrived }
.dma fetch        { route = hbm_to_vmem ; source = table ; destination = rows ; words = width ; flag = fetched }
.dma store        { route = vmem_to_hbm ; source = rows ; destination = result ; words = count * width ; flag = stored }

  mark "indices"
  dma load_indices
  sync.wait arrived, 1

  mark "rows"
  { s.mov s1, count ; s.mov s2, indices }
  s.mov s3, rows                         // s3: the destination, in words
next:
  s.load s4, [s2]
  s.add s2, s2, 1
  nop
  nop
  s.mul s4, s4, width
  s.add s4, s4, table                    // the source, in words
  { s.store [fetch + 1], s4 ; s.store [fetch + 2], s3 }
  { dma fetch ; s.add s3, s3, width ; s.loop s1, next }
  sync.wait fetched, count

  mark "result"
  dma store                              // no fence: DMAs wrote these rows, not stores
  sync.wait stored, 1
  halt

.expect hbm, result
  .iota f32, width, 5 * width
  .iota f32, width, 63 * width
  .iota f32, width, 0
  .iota f32, width, 17 * width
  .iota f32, width, 17 * width
  .iota f32, width, 40 * width
  .iota f32, width, width
  .iota f32, width, 62 * width
