#pragma once

#include "collsched/combine/placed.hpp"
#include "collsched/combine/relabelled.hpp"
#include "collsched/combine/reversed.hpp"
#include "collsched/combine/segmented.hpp"
#include "collsched/combine/sequence.hpp"
