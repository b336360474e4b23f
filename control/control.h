// SPDX-License-Identifier: BSD-3-Clause
//
// Face of control: how two processes of one job on two hosts meet, and exchange messages besides
// their rails.
//
// One process listens at one address of its host, the other connects. Each proves to the other that
// it knows the job's one-time secret, without sending it (control/pending_connection.h). From then
// on they exchange framed messages. Input from the other side is not trusted: sizes are checked
// before memory is allocated, and every step has a deadline. A connection that is not the peer's
// (wrong secret, wrong version, garbage, silence) is refused, and the real peer can still connect.
//
// The proof authenticates the peer. It does not encrypt messages, nor protect them against an
// attacker that can change packets on their way.
//
// In a job that an MPI launched, the processes have met already, and communicate over the MPI.
//
// In reading order:
//   secret               256 random bits that both ends know
//   listener             waits for a peer at one address, or connects to one
//   pending_connection   the handshake, as the listening end runs it
//   proof                how an end proves that it knows the secret
//   connection           framed messages to a proven peer
//   frame                the 16 bytes before every message
//   wire                 the transport below the messages: bytes in order
//   socket_wire          a wire over a socket
//   socket               addresses, and waiting with a deadline
//   mpi_job              all ranks of a job that an MPI launched
//   gather               texts of its ranks, brought to rank 0
//   mpi_wire             a wire over MPI, to one rank
//   hang_alarm           a time limit for calls of MPI, which has none
//   mpi/                 the module that is built for each MPI
#pragma once

#include "control/connection.h"
#include "control/gather.h"
#include "control/hang_alarm.h"
#include "control/listener.h"
#include "control/mpi_job.h"
#include "control/mpi_wire.h"
#include "control/secret.h"
