#pragma once

#include "benchmarks/studies/grouped_runs.hpp"
#include "examples/programs/collsched/options.hpp"
#include "benchmarks/studies/study_grouped.hpp"

/// Reads the parameters of `study grouped`. Throws usage_error for values out of range.
grouped_study::condition read_condition(const text_option& ranks, const text_option& seed,
                                        const grouped_options& options);
