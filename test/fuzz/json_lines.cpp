// Schedules as JSON Lines. An accepted schedule can be verified, and written and read again.

#include <iterator>
#include <string>

#include "collsched/format/schedules/read_json_lines.hpp"
#include "collsched/format/schedules/write_json_lines.hpp"
#include "collsched/verify.hpp"
#include "input.hpp"

using namespace collsched;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::try_to([&] {
        const auto [name, schedule] = read_json_lines(fuzz::text_of({data, size}));
        fuzz::expect(!schedule.check(), "a schedule that its own check refuses");
        if (schedule.ranks > 1000) return;
        (void)verify(schedule);
        std::string text;
        write_json_lines(std::back_inserter(text), schedule, name);
        const auto again = read_json_lines(text_file{"written", text});
        fuzz::expect(again.first == name && again.second == schedule, "another schedule after writing");
    });
    return 0;
}
