#pragma once

#include <string>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/verify/association_report.hpp"
#include "options.hpp"

/// The option --bits: a class of the brackets of reductions.
class bits_option {
  public:
    explicit bits_option(CLI::App& command);

    bool given() const { return class_.given(); }
    const std::string& name() const { return class_.name(); }
    /// Returns the class; any if the option is not given. Throws usage_error for other names.
    collsched::association_class read() const;
    /// Returns the class for a collective. Throws usage_error for one without a combination.
    collsched::association_class read_for(collsched::collective what) const;

  private:
    text_option class_;
};

/// Returns whether an algorithm can be a row of a table whose reductions have a class: all its schedules have it, whatever
/// the size and the number of ranks. True for collectives without a combination.
bool may_be_row(const collsched::algorithm_entry& entry, collsched::association_class bits);
