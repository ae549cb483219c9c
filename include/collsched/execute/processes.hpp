#pragma once

#include "collsched/execute/shared_memory/process_group.hpp"
#include "collsched/execute/shared_memory/transport.hpp"

/// Transport between the processes of a node: a process joins a process_group, and process_group::transport carries its
/// messages. See shared_memory_transport.
