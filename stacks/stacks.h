// SPDX-License-Identifier: BSD-3-Clause
//
// Face of stacks: what other communication stacks understand, which of their settings pay on the
// measured machine, and the files that they load.
//
// Pure: measurements and text go in, choices and text come out. In reading order:
//   settings             names of transports, and the settings that force or move a protocol
//   times                measurements of a stack, regrouped to compare its settings
//   settings_choice      which settings pay
//   collective_rules     which algorithm of a library's collective pays, by size
//   openmpi_tuned_rules  the rules file of Open MPI's coll/tuned
//   mpich_algorithms     the algorithms that MPICH has, and what each needs
//   mpich_selection      the grammar of MPICH's selection tables
//   mpich_tables         MPICH's own tables, with measured cells in them
//   export               what pays, as files
//   readers              readers of these files
//   writers              one writer for each stack, and the comments that they share
#pragma once

#include "stacks/collective_rules.h"
#include "stacks/export.h"
#include "stacks/mpich_tables.h"
#include "stacks/openmpi_tuned_rules.h"
#include "stacks/readers.h"
#include "stacks/settings.h"
#include "stacks/settings_choice.h"
#include "stacks/times.h"
