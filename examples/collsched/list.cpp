#include <memory>

#include "catalogue.hpp"
#include "collsched/format.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

namespace {

struct list_options {
    explicit list_options(CLI::App& command) : json(command, "--json", "one line of JSON a schedule") {}
    flag_option json;
};

int list(const list_options& options) {
    for (const listed_schedule& one : catalogue()) {
        if (options.json.given()) collsched::write_list_json(standard_output().out(), *one.entry, one.irregular);
        else collsched::write_list(standard_output().out(), *one.entry, one.irregular);
    }
    return success;
}

}  // namespace

command add_list(CLI::App& program) {
    CLI::App* parser = add_command(program, "list", "every schedule there is");
    const auto options = std::make_shared<list_options>(*parser);
    return {parser, [options] { return list(*options); }};
}
