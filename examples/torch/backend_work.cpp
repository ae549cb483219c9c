#include "backend.hpp"

namespace examples {

void backend_work::end(std::exception_ptr error) {
    c10::intrusive_ptr<c10::ivalue::Future> future;
    {
        const std::lock_guard hold(mutex_);
        completed_ = true;
        exception_ = error;
        future = future_;
        kept.clear();
    }
    if (future) finish_future(future);
}
bool backend_work::isCompleted() {
    if (has_ended()) return true;
    attend();
    return false;
}
bool backend_work::has_ended() const {
    const std::lock_guard hold(mutex_);
    return completed_;
}
/// A caller that does not wait here needs the thread of the driver.
void backend_work::attend() const {
    if (const std::shared_ptr<rank_group> group = group_.lock()) group->runs().attend();
}
bool backend_work::isSuccess() const {
    const std::lock_guard hold(mutex_);
    return completed_ && exception_ == nullptr;
}
bool backend_work::wait(milliseconds timeout) {
    if (!has_ended()) {
        const auto until =
            timeout == kNoTimeout ? operation::clock::time_point::max() : operation::clock::now() + timeout;
        const std::shared_ptr<rank_group> group = group_.lock();
        if (group != nullptr) group->runs().wait(*run_, until);
        TORCH_CHECK(has_ended(), "collsched ", c10d::opTypeToString(retrieveOpType()), ": not complete after ",
                    timeout.count(), " ms");
    }
    const std::lock_guard hold(mutex_);
    if (exception_) std::rethrow_exception(exception_);
    return true;
}
c10::intrusive_ptr<c10::ivalue::Future> backend_work::getFuture() {
    bool over = false;
    {
        const std::lock_guard hold(mutex_);
        if (future_) return future_;
        future_ = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()));
        over = completed_;
    }
    if (over) finish_future(future_);
    else attend();
    return future_;
}
void backend_work::finish_future(const c10::intrusive_ptr<c10::ivalue::Future>& future) const {
    if (exception_) future->setError(exception_);
    else future->markCompleted(c10::IValue(outputs_));
}

}  // namespace examples
