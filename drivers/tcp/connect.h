// SPDX-License-Identifier: BSD-3-Clause
//
// How the two ends of a tcp rail find each other: each proves to the other the secret that it was
// told through the exchange.
//
// A rail is two connections. Messages go over the first; the second carries the acknowledgements
// of rendezvous, so that they never wait behind a message that nobody has asked for yet (two ends
// that each wait for their own rendezvous would wait for ever). The near side listens on the
// rail's own address only, at a port the kernel chooses. Whoever connects without the secret is
// dropped, and the wait goes on; nobody can hold it up by saying nothing.
#pragma once

#include <string>

#include "core/descriptor.h"
#include "drivers/driver.h"
#include "drivers/tcp/interfaces.h"

namespace nmt {

struct TcpConnections {
  Descriptor messages;
  Descriptor acknowledgements;
};

// Both throw Error(kPeer) at the deadline, which starts when the exchange is done.
TcpConnections tcp_listen(const std::string& rail, TcpAddress own, Exchange& exchange);
TcpConnections tcp_connect(const std::string& rail, TcpAddress own, Exchange& exchange);

}  // namespace nmt
