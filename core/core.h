// SPDX-License-Identifier: BSD-3-Clause
//
// Map of the core: the vocabulary of all other folders, as values. They include its headers one by
// one. In reading order:
//   error          the two kinds of error: bugs, and operations that failed
//   units          sizes, durations, fractions and lists as people write them
//   fields         named text: fingerprints of machines, options of campaigns
//   id             random identifiers, and digests of stored content
//   hex            bytes as hex digits
//   rail           platforms, nodes and rails
//   method         transfer methods, and the decisions between them
//   sample         what was measured, as it was measured
//   statistics     the typical value and the spread that outliers cannot move
//   drift          speed that changes between rounds and sessions, estimated and removed
//   curve          the predicted duration of one method by size
//   interpolate    the value between two measured points
//   plan           what is derived from samples: curves and thresholds
//   signature      what contention does to an alltoall on one network
//   alltoall       how long an alltoall takes by a signature
//   json           JSON values, read without trust
//   plan_json      a plan and its parts as JSON
//   clock          time as a parameter, real or virtual
//   deadline       when to stop waiting
//   descriptor     a file descriptor that closes itself
//   durable_file   a file that is there whole or not at all
//   fmt            {fmt}, compiled once for all
//   log            NMADTUNE_LOG: what the libraries print of what they decide
#pragma once
