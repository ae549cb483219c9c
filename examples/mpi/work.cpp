#include "work.hpp"

#include <algorithm>

namespace collsched::preload {

namespace {

using enum placement_of_buffers;

/// Fills in the members that depend on the function.
class builder {
  public:
    builder(const arguments& call, int rank, int ranks, work& made)
        : call_(call), rank_(rank), ranks_(ranks), made_(made) {
        made_.key.how = {.what = call.what, .ranks = ranks, .root = has_root(call.what) ? call.root : 0};
    }

    void build() {
        switch (call_.what) {
            case function::barrier: break;
            case function::bcast: bcast(); break;
            case function::scatter: scatter(); break;
            case function::gather: gather(); break;
            case function::allgather: allgather(); break;
            case function::allgatherv: allgatherv(); break;
            case function::alltoall: alltoall(); break;
            case function::reduce:
            case function::allreduce:
            case function::scan:
            case function::exscan: reduce(); break;
            case function::reduce_scatter:
            case function::reduce_scatter_block: reduce_scatter(); break;
            case function::scatterv:
            case function::gatherv:
            case function::alltoallv:
            case function::alltoallw: exchange(); break;
        }
        if (!knows_own_counts_alone(call_.what)) read_first();
        if (made_.place != separate) made_.key.place = binding::in_place;
    }

  private:
    bool is_root() const { return call_.root == rank_; }
    void* in() const { return const_cast<void*>(call_.in); }  // of a buffer that is only read

    void bcast() {
        const datatype type = describe(call_.receive.type);
        made_.key.how.bytes = call_.receive.count * type.size;
        made_.output = side(call_.out, call_.receive.count, type);
        if (!is_root()) return;
        made_.input = made_.output;
        made_.place = input_in_output;
        made_.gives_back = false;
    }

    void scatter() {
        if (is_root()) {
            const datatype type = describe(call_.send.type);
            made_.key.how.bytes = call_.send.count * type.size;
            made_.input = side(in(), call_.send.count * ranks_, type);
        }
        if (call_.out == MPI_IN_PLACE) {
            made_.place = output_in_input;
            made_.offset = rank_ * made_.key.how.bytes;
            return;
        }
        const datatype type = describe(call_.receive.type);
        const bytes_t received = call_.receive.count * type.size;
        if (is_root() && received != made_.key.how.bytes) {
            const datatype sent = describe(call_.send.type);
            copy_own(side(element(in(), rank_ * call_.send.count, sent), call_.send.count, sent),
                     side(call_.out, call_.receive.count, type));
            made_.place = output_in_input;
            made_.offset = rank_ * made_.key.how.bytes;
            return;
        }
        made_.key.how.bytes = received;
        made_.output = side(call_.out, call_.receive.count, type);
    }

    /// Copies the rank's block for itself apart from the operation. It is an error if it is too long.
    void copy_own(const side& from, const side& into) {
        made_.own = {from, into};
        if (from.bytes() > into.bytes()) made_.length_error = MPI_ERR_TRUNCATE;
    }

    void gather() {
        if (!is_root()) {
            const datatype type = describe(call_.send.type);
            made_.key.how.bytes = call_.send.count * type.size;
            made_.input = side(in(), call_.send.count, type);
            return;
        }
        allgather();
    }

    void allgather() {
        const datatype type = describe(call_.receive.type);
        const std::int64_t count = call_.receive.count;
        made_.key.how.bytes = count * type.size;
        made_.output = side(call_.out, count * ranks_, type);
        take_own_block(element(call_.out, rank_ * count, type), count, type, rank_ * made_.key.how.bytes);
    }

    void allgatherv() {
        const datatype type = describe(call_.receive.type);
        bytes_t before = 0;
        for (int i = 0; i < ranks_; ++i) {
            const std::int64_t count = call_.receive.counts[i];
            made_.output.blocks().push_back({element(call_.out, call_.receive.displs[i], type), count, type});
            made_.numbers.push_back(count * type.size);
            if (i < rank_) before += count * type.size;
            made_.key.how.bytes += count * type.size;
        }
        made_.output.settle(false);
        const element_block& own = made_.output.blocks()[static_cast<std::size_t>(rank_)];
        take_own_block(own.at, own.count, type, before);
    }

    /// Adds the input of a gathering call: the program's, or in place a block of the output.
    void take_own_block(std::byte* at, std::int64_t count, const datatype& type, bytes_t offset) {
        const side place(at, count, type);
        if (!call_.in_place()) {
            made_.input = side(in(), call_.send.count, describe(call_.send.type));
            if (made_.input.bytes() == place.bytes()) return;
            copy_own(made_.input, place);
        }
        made_.input = place;
        made_.place = input_in_output;
        made_.offset = offset;
    }

    void alltoall() {
        const datatype type = describe(call_.receive.type);
        made_.key.how.bytes = call_.receive.count * type.size;
        made_.output = side(call_.out, call_.receive.count * ranks_, type);
        const datatype sent = call_.in_place() ? type : describe(call_.send.type);
        const bool same = call_.in_place() || call_.send.count * sent.size == made_.key.how.bytes;
        if (!call_.in_place() && same) {
            made_.input = side(in(), call_.send.count * ranks_, sent);
            return;
        }
        if (!same) {
            copy_own(side(element(in(), rank_ * call_.send.count, sent), call_.send.count, sent),
                     side(element(call_.out, rank_ * call_.receive.count, type), call_.receive.count, type));
            made_.lengths = message_lengths::different;
            made_.length_error = MPI_ERR_TRUNCATE;
        }
        made_.input = made_.output;
        made_.input.use_copy();
    }

    void reduce() {
        const std::int64_t count = call_.receive.count;
        operands(count);
        made_.key.how.bytes = count * made_.element.size;
        if (call_.what != function::reduce || is_root()) made_.output = side(call_.out, count, made_.element);
        if (call_.in_place()) made_.input = made_.output, made_.place = input_in_output;
    }

    void reduce_scatter() {
        const bool block = call_.what == function::reduce_scatter_block;
        const datatype type = describe(call_.receive.type);
        std::int64_t all = 0;
        for (int i = 0; i < ranks_; ++i) {
            const std::int64_t count = block ? call_.receive.count : call_.receive.counts[i];
            if (!block) made_.numbers.push_back(count * type.size);
            all += count;
        }
        operands(all);
        made_.key.how.bytes = all * type.size;
        made_.output = side(call_.out, block ? call_.receive.count : call_.receive.counts[rank_], type);
        if (!call_.in_place()) return;
        made_.input = side(call_.out, all, type);
        made_.place = input_in_output;
        if (!made_.input.direct()) made_.output.use_copy();  // also if the own block is empty
    }

    void operands(std::int64_t count) {
        made_.element = describe(call_.receive.type);
        made_.key.element = std::max<bytes_t>(1, made_.element.size);
        made_.op = call_.op;
        made_.key.how.commutative = commutative(call_.op);
        if (!call_.in_place()) made_.input = side(in(), count, made_.element);
    }

    /// If one buffer is input and output without being in place, the input is copied before the output is written. So is
    /// an input among the blocks of the output: a plan takes buffers that do not overlap.
    void read_first() {
        const bool same = call_.in == call_.out && made_.input.bytes() > 0;
        if (made_.place == separate && (same || made_.input.meets(made_.output))) made_.input.use_copy();
    }

    /// Rooted functions are exchanges in which all ranks but the root have one partner.
    void exchange() {
        const function what = call_.what;
        const bool all = what == function::alltoallv || what == function::alltoallw;
        const bool receives = all || what == function::scatterv || is_root();
        const bool sent = all || what == function::gatherv || is_root();
        if (receives && call_.out != MPI_IN_PLACE)
            fill(made_.output.blocks(), call_.out, call_.receive, what == function::scatterv);
        if (sent && !call_.in_place()) fill(made_.input.blocks(), call_.in, call_.send, what == function::gatherv);
        if (call_.in_place() && all) made_.input.blocks() = made_.output.blocks();
        if (call_.in_place() && !all) forget_own(made_.output);
        if (call_.out == MPI_IN_PLACE) forget_own(made_.input);
        fit_own();
        made_.input.settle(true);
        made_.output.settle(true);
        if (call_.in_place() && all) made_.input.use_copy();
        read_first();
        made_.lengths = made_.output.direct() ? message_lengths::most : message_lengths::equal;
        note_blocks();
    }

    /// Returns whether the MPI accepts a block of the rank for itself that is shorter than its place.
    bool may_be_shorter() const {
#ifdef OPEN_MPI
        return call_.what != function::alltoallv && call_.what != function::alltoallw;
#else
        return true;
#endif
    }

    /// A block of the rank for itself that is longer than its place is an error, and a shorter one leaves the rest of it.
    void fit_own() {
        if (made_.input.blocks().empty() || made_.output.blocks().empty()) return;
        const bytes_t sent = made_.input.blocks()[static_cast<std::size_t>(rank_)].bytes();
        element_block& place = made_.output.blocks()[static_cast<std::size_t>(rank_)];
        if (sent > place.bytes() || (sent < place.bytes() && !may_be_shorter())) made_.length_error = MPI_ERR_TRUNCATE;
        if (sent < place.bytes()) place.count = sent / place.type.size;
    }

    /// Adds one block per rank; with `single` only the root's block has elements.
    void fill(std::vector<element_block>& blocks, const void* buffer, const buffer_arguments& part, bool single) const {
        blocks.resize(static_cast<std::size_t>(ranks_));
        if (single) {
            blocks[static_cast<std::size_t>(call_.root)] = {element(buffer, 0, {}), part.count, describe(part.type)};
            return;
        }
        datatype type = part.types != nullptr ? datatype{} : describe(part.type);
        for (int i = 0; i < ranks_; ++i) {
            if (part.types != nullptr && part.types[i] != type.handle && part.counts[i] > 0)
                type = describe(part.types[i]);
            const bytes_t displ = part.types != nullptr ? part.displs[i] : part.displs[i] * type.extent;
            blocks[static_cast<std::size_t>(i)] = {element(buffer, 0, {}) + displ, part.counts[i], type};
        }
    }

    /// In place the root's own block is at its destination.
    void forget_own(side& one) const {
        if (!one.blocks().empty()) one.blocks()[static_cast<std::size_t>(rank_)].count = 0;
    }

    void note_blocks() {
        for (std::size_t i = 0; i < static_cast<std::size_t>(ranks_); ++i) {
            const auto note = [&](side& one) {
                const bool there = !one.blocks().empty();
                made_.numbers.push_back(there ? one.offset(i) : 0);
                made_.numbers.push_back(there ? one.blocks()[i].bytes() : 0);
            };
            note(made_.input);
            note(made_.output);
        }
    }

    static std::byte* element(const void* buffer, std::int64_t index, const datatype& type) {
        return static_cast<std::byte*>(const_cast<void*>(buffer)) + index * type.extent;
    }

    const arguments& call_;
    int rank_, ranks_;
    work& made_;
};

}  // namespace

int own_copy::run() const {
    std::vector<std::byte> packed(static_cast<std::size_t>(from.bytes()));
    const int error = from.pack_to(packed.data());
    return error != MPI_SUCCESS ? error : into.first(std::min(from.bytes(), into.bytes())).unpack_from(packed.data());
}

void describe(const arguments& call, int rank, int ranks, work& todo) { builder(call, rank, ranks, todo).build(); }

}  // namespace collsched::preload
