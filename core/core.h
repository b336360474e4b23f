// SPDX-License-Identifier: BSD-3-Clause
//
// Map of the core: the vocabulary of all other folders, as values. Other folders include these
// headers one by one. In reading order:
//   error          the two kinds of error: bugs, and operations that failed
//   units          sizes, durations, fractions and lists as people write them
//   fields         named text: fingerprints of machines, options of campaigns
//   effect         what a change of a fingerprint can change about measurements
//   id             random identifiers, and digests of stored content
//   hex            bytes as hex digits
//   rail           platforms, nodes and rails
//   path_name      the two nodes and the rail of a path, by name
//   mpi_name       the name and version of an MPI
//   version        finds a version in a text, and compares two
//   method         transfer methods, and the decisions between them
//   sample         what was measured, as it was measured
//   collective_sample  which samples compare the algorithms of a collective
//   flow_time      how long a message took from one node to another, beside others
//   statistics     medians, intervals and spreads that outliers do not move
//   drift          how speed changes between rounds and sessions, estimated and removed
//   curve          the predicted duration of one method by size
//   interpolate    the value between two measured points
//   plan           what is derived from samples: curves and thresholds
//   shape_index    which ranges of job shapes contain a shape
//   signature      what contention does to an alltoall on one network
//   alltoall       how long an alltoall takes by a signature
//   json           JSON values, and a reader that checks its input
//   plan_json      a plan and its parts as JSON
//   clock          time as a parameter, real or virtual
//   deadline       when to stop waiting
//   descriptor     a file descriptor that closes itself
//   durable_file   writes a file completely or not at all
//   confirmation   what the last check of a profile found on this node
//   site_switch    whether the site has turned all advice off
//   fmt            {fmt}, compiled once for all sources
//   log            NMADTUNE_LOG: the decisions that the libraries print
//   launcher       what launched this process as one of several ranks, and its version
#pragma once
