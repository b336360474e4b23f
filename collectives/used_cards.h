// SPDX-License-Identifier: BSD-3-Clause
//
// Which network cards of this node an MPI uses, as far as variables of its users and the kernel
// say.
//
// An MPI uses InfiniBand and RoCE cards if it has any, else Ethernet cards by TCP. So the first of
// these that leaves a card counts:
//   1. UCX_NET_DEVICES; for Open MPI also OMPI_MCA_btl_openib_if_include, _exclude
//   2. InfiniBand and RoCE cards with an active port
//   3. OMPI_MCA_btl_tcp_if_include, _exclude; for MPICH FI_TCP_IFACE, FI_SOCKETS_IFACE
//   4. Ethernet cards that are up
// 1 and 2 are passed over if the user has chosen TCP: OMPI_MCA_pml=ob1 where OMPI_MCA_btl does not
// name openib, or excludes it (^openib), or FI_PROVIDER=tcp or sockets. A variable of another MPI
// never counts.
#pragma once

#include <set>
#include <string>

namespace nmt::collectives {

enum class MpiFamily { kOpenMpi, kMpich };

// The NUMA nodes of the cards that count; "" for a card without one. Among several cards an MPI
// takes one near the process, so all of them count.
//
// A variable names cards (mlx5_0:1, eth0) or, for TCP, subnets of theirs (192.168.0.0/16); with ^
// in front, those that are not used; of a card with several active ports, all of them. `root` is
// prefixed to /proc and /sys.
std::set<std::string> numas_of_used_cards(MpiFamily mpi, const std::string& root);

}  // namespace nmt::collectives
