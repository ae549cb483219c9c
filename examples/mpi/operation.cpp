#include "operation.hpp"

#include <algorithm>

namespace collsched::preload {

using enum placement_of_buffers;

plan::buffers operation::bind(const plan& steps, workspace& space) {
    plan::buffers bound;
    const side &in = todo_.input, &out = todo_.output;
    const auto note = [&](int error) { error_ = error_ == MPI_SUCCESS ? error : error_; };
    bound.scratch = space.scratch.room(steps.scratch_bytes());
    bound.staging = space.staging.room(steps.staging_bytes());
    packed_output_ = nullptr;
    if (todo_.place != output_in_input) {
        bound.output = out.base();
        const bytes_t guest = todo_.place == input_in_output ? todo_.offset + in.bytes() : 0;
        if (!out.direct()) bound.output = packed_output_ = space.output.room(std::max(out.bytes(), guest));
    }
    if (todo_.place == input_in_output) {
        std::byte* own = bound.output + todo_.offset;
        if (packed_output_ != nullptr) note(in.pack_to(own));
        bound.input = own;
        return bound;
    }
    std::byte* input = in.base();
    if (!in.direct()) note(in.pack_to(input = space.input.room(in.bytes())));
    bound.input = input;
    if (todo_.place == output_in_input) bound.output = input + todo_.offset;
    return bound;
}

void operation::begin(const plan& steps, execution<call_transport>& run, call_transport& over, workspace& space,
                      std::uint64_t number) {
    run_ = &run;
    over_ = &over;
    error_ = todo_.own.exists() ? todo_.own.run() : MPI_SUCCESS;
    if (!still_bound(steps, space)) {
        buffers_ = bind(steps, space);
        bound_ = todo_.input.direct() && todo_.output.direct();
        combiner_.set(todo_.op, todo_.element, todo_.key.how.commutative, space);
        reduction_ = combines(todo_.key.how.what) ? combiner_.as_reduction() : reduction{};
    }
    combiner_.restart();
    run.start(buffers_, reduction_, {number});
}

/// Returns whether nothing is packed and the memory of the plan has not moved.
bool operation::still_bound(const plan& steps, const workspace& space) const {
    return bound_ && space.scratch.holds(buffers_.scratch, steps.scratch_bytes()) &&
           space.staging.holds(buffers_.staging, steps.staging_bytes());
}

int operation::finish() {
    const run_status& state = run_->state();
    const int length_error = over_->take_length_error();
    if (state.failed()) {
        on_.note_failure();
        return mpi_error_of(state.error);
    }
    if (error_ == MPI_SUCCESS) error_ = combiner_.error();
    if (error_ == MPI_SUCCESS && packed_output_ != nullptr && todo_.gives_back)
        error_ = todo_.output.unpack_from(packed_output_);
    return first_of(error_, length_error, todo_.length_error);
}

}  // namespace collsched::preload
