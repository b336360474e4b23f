// SPDX-License-Identifier: BSD-3-Clause
//
// Face of control: how two processes of one job on two hosts meet, and talk beside their rails.
//
// One listens at one address of its host, the other connects; each proves to the other that it
// knows the job's one-time secret, without ever sending it (control/pending_connection.h). From
// then on they exchange framed messages. Nothing from the other side is trusted with memory or
// time: sizes are checked before anything is allocated, and every step has a deadline. Whoever is
// no peer (wrong secret, wrong version, garbage, silence) is refused, and the real one still gets
// in.
//
// This proves who is there; it does not hide what is said, nor protect it against somebody who can
// change packets on their way.
//
// In a job that an MPI launched, the processes have met already, and talk over the MPI.
//
// In reading order:
//   secret               what both ends know: 256 random bits
//   listener             waits for a peer at one address, or connects to one
//   pending_connection   the handshake, as the listening end sees it
//   proof                how an end proves that it knows the secret
//   connection           framed messages to a proven peer
//   frame                the 16 bytes before every message
//   wire                 what messages travel through: bytes in order
//   socket_wire          the wire that is a socket
//   socket               addresses, and waiting with a deadline
//   mpi_job              all ranks of a job that an MPI launched
//   mpi_wire             the wire that is an MPI, to one rank
//   hang_alarm           a time limit for calls of MPI, which have none
//   mpi/                 the module that is built for each MPI
#pragma once

#include "control/connection.h"
#include "control/hang_alarm.h"
#include "control/listener.h"
#include "control/mpi_job.h"
#include "control/mpi_wire.h"
#include "control/secret.h"
