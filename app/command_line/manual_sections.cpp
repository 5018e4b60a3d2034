// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/manual_sections.h"

namespace podsim::app::command_line {

const char* const manual_introduction = R"(.SH NAME
podsim \- cycle\-approximate SystemC/TLM\-2.0 model of the TPU v3
.SH SYNOPSIS
.B podsim
.I COMMAND
.RI [ FLAGS ]
.RI [ ARGUMENTS ]
.br
.B podsim help
.I COMMAND
.SH DESCRIPTION
.B podsim
models Google's TPU v3: the core with its matrix, vector and cross\-lane units, the chip, the torus of up to 4096 chips,
and the software that maps a training step onto it.
It runs the training steps of built\-in networks and of programs in HLO text, kernels bundle by bundle on real data,
collectives, and traffic through the memory and the network by themselves, and says where the time goes.
.PP
Results go to standard output, as text or with
.B \-\-json
as one JSON object, in SI units, with a
.IR schema_version .
Equal inputs give equal results.
Every value of the machine carries its evidence:
.BR "podsim describe" .
.PP
A size is written with its unit:
.BR 16MiB ,
.BR "164 GB/s" ,
.BR "300 ns" ;
b is bits, B is bytes.
A value of the machine is changed with
.B \-\-set
.IR KEY = VALUE ,
many of them in a machine file.
)";

const char* const manual_conclusion = R"(.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 1
The simulation could not go on, or a check failed; the message names the place.
.TP
.B 2
Bad input or usage; the message points at it.
.TP
.B 3
Some points of a sweep failed; the others are kept.
.TP
.B 124
The time of --limit is over; what was simulated until then is kept and marked partial.
.TP
.B 130
Interrupted; what was simulated until then is kept and marked partial.
.SH ENVIRONMENT
.TP
.B NO_COLOR
With any value but the empty one, errors on a terminal have no colour.
.SH FILES
.SS Machine files
TOML with what differs from
.BR tpu\-v3 ,
or from the machine that
.B base
names:
.PP
.nf
.RS
base = "tpu\-v3"
[ici]
link_rate = "1312 Gb/s"
.RE
.fi
.SS The folder of podsim run \-o
.TP
.I stats.json
The figures of
.B \-\-json
without host times.
.TP
.I summary.txt
The figures for people.
.TP
.I ops.csv
Every op of a step in the columns of XProf's HLO op stats.
.TP
.I timeline.json
One core over time, for ui.perfetto.dev.
.TP
.I machine.toml
The resolved machine, a machine file.
.TP
.I manifest.json
What was run, and the list of files.
.SS Installed files
.TP
.I /usr/share/podsim
Copies of what the program carries, to read and to begin from: machines, shardings and studies.
.TP
.I /usr/share/doc/podsim
The user guide and what it points to, with save files for
.BR gtkwave (1)
in
.IR waveforms .
.SH EXAMPLES
A training step on 16 chips, with every op and a timeline in a folder:
.PP
.nf
.RS
podsim run resnet50 \-\-slice 4x4 \-o before
.RE
.fi
.PP
The same with larger matrix units, and where the difference goes:
.PP
.nf
.RS
podsim run resnet50 \-\-slice 4x4 \-\-set mxu.size=256 \-o after
podsim compare before after
.RE
.fi
.PP
A matmul on one core, bundle by bundle, checked against a reference:
.PP
.nf
.RS
podsim kernel matmul \-\-m 256 \-\-n 256 \-\-k 256 \-\-verify
.RE
.fi
.PP
Completion in
.BR bash (1):
.PP
.nf
.RS
source <(podsim completion bash)
.RE
.fi
.SH SEE ALSO
.BR gtkwave (1)
)";

}  // namespace podsim::app::command_line
