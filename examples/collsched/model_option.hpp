#pragma once

#include <string>
#include <variant>

#include "collsched/simulate/contention_model.hpp"
#include "collsched/cost/hockney.hpp"
#include "collsched/cost/loggops.hpp"
#include "collsched/cost/loggp.hpp"
#include "options.hpp"

/// Reads a decimal number such as "1.5" in 10^-6 of its unit (microseconds in picoseconds, nanoseconds in
/// femtoseconds), rounded to the nearest part.
std::int64_t read_decimal(std::string_view argument, std::string_view text);

/// The models that read_model() accepts, for error messages.
inline constexpr const char* expected_models =
    "loggp:L_us=A,o_us=B,g_us=C,G_ns=D and, with commas, copy_ns=, combine_ns=, connection_us=; "
    "hockney:alpha_us=A,beta_ns=B; "
    "loggops: with any of L=,o=,g=,G=,O= (ns) and S= (bytes), whole numbers; "
    "@FILE with one of these; lob, with --cluster; "
    "contention, with --cluster, and, behind a colon, any of copy_ns=, combine_ns=, eager= (bytes), latency_weighted= "
    "(0 or "
    "1), reverse_permille=";

/// The (L, o, b) model of a cluster file.
struct model_of_cluster {};
/// A model. A contention model has the values that a cluster file does not contain; links and overheads are added for a
/// number of ranks.
using any_model = std::variant<collsched::loggp_model, collsched::hockney_model, collsched::loggops_model,
                               model_of_cluster, collsched::contention_model>;

/// Returns whether the model needs a cluster.
bool needs_cluster(const any_model& model);

/// Reads one of the expected models. Throws usage_error for other texts.
any_model read_model(const std::string& argument, const std::string& text);
/// Reads a model "loggp:..." only.
collsched::loggp_model read_loggp(const std::string& argument, const std::string& text);
