#pragma once

#include <utility>

#include "collsched/execute/run_async.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The sender that run_sender() returns.
template <class Run, class Start>
class execution_sender {
  public:
    template <class Receiver>
    class operation {
      public:
        operation(const execution_sender& sender, Receiver receiver)
            : sender_(sender), receiver_(std::move(receiver)) {}
        operation(const operation&) = delete;
        operation& operator=(const operation&) = delete;

        void start() noexcept {
            sender_.run_->on_end(&ended, this);
            if (!sender_.start_(*sender_.run_)) ended(this, {});  // refused
        }

      private:
        static void ended(void* context, const run_status& end) {
            auto& self = *static_cast<operation*>(context);
            self.sender_.run_->on_end(nullptr, nullptr);
            if (end.done()) std::move(self.receiver_).set_value();
            else if (end.error == cancelled) std::move(self.receiver_).set_stopped();
            else std::move(self.receiver_).set_error(end);
        }

        execution_sender sender_;
        Receiver receiver_;
    };

    execution_sender(Run& run, const Start& start) : run_(&run), start_(start) {}

    template <class Receiver>
    operation<Receiver> connect(Receiver receiver) const {
        return {*this, std::move(receiver)};
    }

  private:
    Run* run_;
    Start start_;
};

}  // namespace detail

/// Returns a sender in the shape of std::execution, without that library, that starts an execution. connect(receiver)
/// returns an operation; its start() starts the execution, which the program drives as usual. The call that ends the
/// start completes the receiver, in its thread, by one of
/// - set_value()            done
/// - set_stopped()          cancelled
/// - set_error(run_status)  any other failure
///
/// The operation replaces on_end of the execution and stays where it is until it has completed.
/// @pre the execution outlives the call that completes the operation
/// @param run      an execution that is not running
/// @param buffers  memory of the start
/// @param op       operation of a plan that combines
/// @return a sender
template <class Execution>
detail::execution_sender<Execution, detail::start_with> run_sender(Execution& run, const bound_buffers& buffers,
                                                                   const reduction& op = {}) {
    return {run, {buffers, op}};
}
/// As above, of an operation of a group, which has its memory. If it is refused, set_error() has the state idle.
/// @param run  an operation that is not running
/// @return a sender
template <class Operation>
detail::execution_sender<Operation, detail::start_operation> run_sender(Operation& run) {
    return {run, {}};
}

}}  // namespace collsched::COLLSCHED_ABI
