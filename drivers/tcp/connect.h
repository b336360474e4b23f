// SPDX-License-Identifier: BSD-3-Clause
//
// How the two ends of a tcp rail connect. Each proves to the other that it knows the secret that it
// got through the exchange.
//
// A rail is two connections. Messages go over the first. The second carries the acknowledgements of
// rendezvous, so that they never wait behind a message whose receive is not posted (else two ends
// that both wait for their own rendezvous would wait for ever). The near side listens only on the
// rail's own address, at a port that the kernel chooses. A connection without the secret is
// dropped, and the wait goes on; a silent connection does not delay it.
#pragma once

#include <string>

#include "core/descriptor.h"
#include "drivers/driver.h"
#include "drivers/tcp/interfaces.h"

namespace nmt::drivers {

struct TcpConnections {
  Descriptor messages;
  Descriptor acknowledgements;
};

// Both throw Error(kPeer) at the deadline, which starts after the exchange.
TcpConnections tcp_listen(const std::string& rail, TcpAddress own, Exchange& exchange);
TcpConnections tcp_connect(const std::string& rail, TcpAddress own, Exchange& exchange);

}  // namespace nmt::drivers
