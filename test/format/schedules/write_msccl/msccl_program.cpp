#include "collsched/collective/gather/linear.hpp"
#include "collsched/format/schedules/write_msccl.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/barrier/over_tree.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/tree/binomial.hpp"

using namespace collsched;

TEST_CASE("msccl_program: a chunk is the largest size that divides all, and buffers are equally large on every rank") {
    const msccl_program gathered(allgather::ring{.ranks = 3, .block = 12});
    CHECK(gathered.chunk_bytes() == 12);
    CHECK(gathered.chunks() == 3);
    CHECK(gathered.gpus().size() == 3);
    CHECK(gathered.gpus()[1].input == 1);
    CHECK(gathered.gpus()[1].output == 3);
    const msccl_program summed(allreduce::ring{.ranks = 3, .bytes = 24, .element = 4});
    CHECK(summed.chunk_bytes() == 8);
    CHECK(summed.chunks() == 3);
    const msccl_program uneven(allreduce::ring{.ranks = 4, .bytes = 24, .element = 4});  // 8, 8, 4 and 4 bytes
    CHECK(uneven.chunk_bytes() == 4);
    const msccl_program program(broadcast::over_tree<trees::binomial>{.ranks = 4, .bytes = 9});
    CHECK(program.gpus()[3].input == 1);  // as the root's, though it brings nothing
    CHECK(msccl_program(allgather::bruck{.ranks = 5, .block = 3}).gpus()[0].scratch == 5);
}

TEST_CASE("msccl_program: more chunks than a step takes are several steps, and a part waits for a part") {
    const msccl_program program(allreduce::ring{.ranks = 2, .bytes = 999, .element = 1});  // 500 and 499 bytes
    for (const msccl_program::gpu& one : program.gpus())
        for (const msccl_program::thread_block& block : one.blocks)
            for (const msccl_program::step& step : block.steps) CHECK(step.chunks <= msccl_program::most_chunks);
    CHECK(program.chunk_bytes() == 1);
    std::size_t steps = 0;
    for (const msccl_program::thread_block& block : program.gpus()[0].blocks)
        if (block.sends_to == 1) steps += block.steps.size();
    CHECK(steps >= 16);
}

TEST_CASE("msccl_program: a chunk may be as large as sizes are") {
    for (const bytes_t bytes : {bytes_t{1} << 57, bytes_t{1} << 60, std::numeric_limits<bytes_t>::max()}) {
        const msccl_program program(broadcast::over_tree<trees::binomial>{.ranks = 2, .bytes = bytes});
        CHECK(program.chunk_bytes() == bytes);
        CHECK(program.gpus()[1].blocks.at(0).steps.at(0).chunks == 1);
    }
}

TEST_CASE("msccl_program: a thread block has one peer, and local edges have a separate block") {
    const msccl_program program(alltoall::linear{.ranks = 4, .block = 8});
    for (const msccl_program::gpu& one : program.gpus()) {
        CHECK(one.blocks.size() == 7);
        for (const msccl_program::thread_block& block : one.blocks) {
            CHECK((block.sends_to < 0 || block.hears_from < 0));
            CHECK(block.steps.size() == 1);
        }
    }
}

TEST_CASE("msccl_program: schedules that MSCCL cannot express are rejected") {
    const auto refusal = [](const auto& s) {
        try {
            const msccl_program program(s);
        } catch (const bad_argument& wrong) {
            return std::string(wrong.error().argument);
        }
        return std::string();
    };
    CHECK(refusal(scatter::linear{.ranks = 4, .block = 4}) == "collective");
    CHECK(refusal(barrier::linear{.ranks = 4}) == "collective");
    CHECK(refusal(allgather::ring{.ranks = 2, .block = block_layout(std::vector<bytes_t>{1, 2})}) == "counts");
    CHECK(refusal(allgather::ring{.ranks = 2, .block = 0}) == "bytes");
    CHECK(refusal(allgather::ring{.ranks = 0}) == "ranks");
    CHECK(refusal(allreduce::ring{.ranks = 2, .bytes = std::numeric_limits<bytes_t>::max()}) == "parts");
    CHECK(refusal(allreduce::ring{.ranks = 64, .bytes = 12'000'001}) == "parts");
    CHECK(refusal(alltoall::linear{.ranks = 2, .block = block_matrix(std::vector<bytes_t>{1, 2, 3, 4})}) == "matrix");
}
