// Small files: matrices of sizes, neighborhoods, decision tables, models. The first byte says which.

#include "collsched/format/model_text.hpp"
#include "collsched/format/readers/read_decisions.hpp"
#include "collsched/format/readers/read_matrix.hpp"
#include "collsched/format/readers/read_neighbors.hpp"
#include "input.hpp"
#include "support/registry.hpp"

using namespace collsched;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const text_file file = fuzz::text_of({data + 1, size - 1});
    fuzz::try_to([&] {
        switch (data[0] % 3) {
            case 0: {
                const sized_matrix read = read_matrix(file);
                fuzz::expect(!read.blocks.check(read.ranks), "a matrix that its own check refuses");
                break;
            }
            case 1: {
                const neighborhood read = read_neighbors(file);
                fuzz::expect(!read.check(read.ranks()), "a neighborhood that its own check refuses");
                break;
            }
            default: {
                for (const decision& one : read_decisions(file, support::registered()))
                    fuzz::expect(one.ranks >= 1 && one.bytes >= 0, "a decision for no ranks");
            }
        }
    });
    return 0;
}
