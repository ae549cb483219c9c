#pragma once

#include "collsched/combine/reversed.hpp"
