// SPDX-License-Identifier: BSD-3-Clause
//
// How the two ends of a tcp rail connect. The near side makes a secret for this rail, and sends it
// through the exchange. Each side proves to the other that it knows it, by the handshake of control
// (control/pending_connection.h).
//
// A rail is two connections. Messages go over the first. The second carries the acknowledgements of
// rendezvous, so that they never wait behind a message whose receive is not posted (else two ends
// that both wait for their own rendezvous would wait for ever). The near side listens only on the
// rail's own address, at a port that the kernel chooses. A connection without the secret is
// dropped, and the wait goes on; a silent connection does not delay it.
#pragma once

#include <string>

#include "control/control.h"
#include "core/descriptor.h"
#include "drivers/driver.h"

namespace nmt::drivers {

struct TcpConnections {
  Descriptor messages;
  Descriptor acknowledgements;
};

// Both throw Error(kPeer) at the deadline, which starts after the exchange.
TcpConnections tcp_listen(const std::string& rail, control::Address own, Exchange& exchange);
TcpConnections tcp_connect(const std::string& rail, control::Address own, Exchange& exchange);

}  // namespace nmt::drivers
