// SPDX-License-Identifier: BSD-3-Clause
//
// Face of control: how two processes of one job on two hosts meet, and talk beside their rails.
//
// One listens at one address of its host, the other connects; each proves to the other that it
// knows the job's one-time secret, without ever sending it (control/guests.h). From then on they
// exchange framed messages. Nothing from the other side is trusted with memory or time: sizes are
// checked before anything is allocated, and every step has a deadline. Whoever is no peer (wrong
// secret, wrong version, garbage, silence) is refused, and the real one still gets in.
//
// This proves who is there; it does not hide what is said, nor protect it against somebody who can
// change packets on their way.
//
// In a job that an MPI launched, the processes have met already, and talk over the MPI.
#pragma once

#include "control/connection.h"  // framed messages to a proven peer
#include "control/hang_alarm.h"  // a time limit for what MPI has none for
#include "control/listener.h"    // waiting for a peer, connecting to one
#include "control/mpi_job.h"     // all ranks of a job
#include "control/mpi_wire.h"    // a connection between two of them
#include "control/secret.h"      // what both ends know
