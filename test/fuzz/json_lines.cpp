// Schedules as JSON Lines. What is read can be verified, and written and read again.

#include <iterator>
#include <string>

#include "collsched/format/readers/read_json_lines.hpp"
#include "collsched/format/write_json_lines.hpp"
#include "collsched/verify.hpp"
#include "input.hpp"

using namespace collsched;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::try_to([&] {
        const named_schedule read = read_json_lines(fuzz::text_of({data, size}));
        fuzz::expect(!read.schedule.check(), "a schedule that its own check refuses");
        if (read.schedule.ranks > 1000) return;
        (void)verify(read.schedule);
        std::string text;
        write_json_lines(std::back_inserter(text), read.schedule, read.name);
        const named_schedule again = read_json_lines(text_file{"written", text});
        fuzz::expect(again.name == read.name && again.schedule == read.schedule, "another schedule after writing");
    });
    return 0;
}
