// SPDX-License-Identifier: BSD-3-Clause
//
// Face of stacks: the settings that other communication stacks understand, which of them pay on the
// measured machine, and the files that these stacks load.
//
// Pure: measurements and text go in, choices and text come out. In reading order:
//   settings             names of transports, and the settings that force or move a protocol
//   versions             which versions are written for, and which of them were tried
//   times                measurements of a stack, regrouped to compare its settings
//   settings_choice      which settings pay
//   collective_winners   which algorithm of a library's collective wins, by size
//   withdrawn_rules      which of them are left out since nmad-tune ab
//   collective_rules     the rules that remain
//   library_rules        the same as rules that programs ask for
//   numbers_file         what Open MPI's rules files are made of
//   openmpi_tuned_rules  the rules file of Open MPI's coll/tuned
//   openmpi_han_rules    the rules file of its coll/han, which may hand calls on to coll/tuned
//   mpich_algorithms     the algorithms that MPICH has, and what each needs
//   mpich_selection      the grammar of MPICH's selection tables
//   mpich_tables         MPICH's own tables, with measured cells in them
//   export               writes the settings that pay as files
//   readers              readers of these files
//   writers              one writer for each stack, and the comments that they share
#pragma once

#include "stacks/collective_rules.h"
#include "stacks/export.h"
#include "stacks/library_rules.h"
#include "stacks/mpich_tables.h"
#include "stacks/openmpi_han_rules.h"
#include "stacks/openmpi_tuned_rules.h"
#include "stacks/readers.h"
#include "stacks/settings.h"
#include "stacks/settings_choice.h"
#include "stacks/times.h"
#include "stacks/versions.h"
