#include "requests.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "environment.hpp"
#include "never_destroyed.hpp"
#include "progress.hpp"

namespace collsched::preload {

namespace {

constinit never_destroyed<std::vector<lasting_operation*>> lasting;  // in flight, or persistent
constinit never_destroyed<std::vector<MPI_Datatype>> types_to_free;
constinit never_destroyed<std::vector<MPI_Op>> ops_to_free;
constinit never_destroyed<std::set<std::pair<const communicator_state*, std::uint64_t>>> taken_channels;

bool uses(const work& one, MPI_Datatype type) {
    return one.input.uses(type) || one.output.uses(type) || one.own.from.uses(type) || one.own.into.uses(type) ||
           one.element.handle == type;
}

bool type_in_use(MPI_Datatype type) {
    return std::any_of(lasting->begin(), lasting->end(), [&](const auto* one) { return uses(one->todo(), type); });
}

bool op_in_use(MPI_Op op) {
    return std::any_of(lasting->begin(), lasting->end(), [&](const auto* one) { return one->todo().op == op; });
}

/// Frees handles that the program has freed and that no operation uses.
void sweep() {
    std::erase_if(*types_to_free, [](MPI_Datatype type) { return !type_in_use(type) && PMPI_Type_free(&type) >= 0; });
    std::erase_if(*ops_to_free, [](MPI_Op op) { return !op_in_use(op) && PMPI_Op_free(&op) >= 0; });
}

}  // namespace

lasting_operation::lasting_operation(communicator_state& on, work&& todo, std::shared_ptr<prepared_plan> plan,
                                     std::uint64_t channel)
    : operation(on, todo_),
      held_(on.shared_from_this()),
      todo_(std::move(todo)),
      plan_(std::move(plan)),
      channel_(channel),
      way_(on.way()),
      run_(plan_->steps, way_, {.channel = channel, .compare = false}) {
    way_.expect(todo_.lengths, plan_->pattern);
    lasting->push_back(this);
}

lasting_operation::~lasting_operation() {
    leave_channel();
    std::erase(*lasting, this);
    sweep();
}

/// Channels of non-blocking calls are reused. An operation waits for the end of its predecessor on its channel, on this
/// rank; MPI keeps the order of messages with one tag.
bool lasting_operation::startable() { return !taken_channels->contains({held_.get(), channel_}); }

void lasting_operation::start() {
    taken_channels->insert({held_.get(), channel_});
    holds_channel_ = true;
    if (row_ != nullptr) began_ = PMPI_Wtime();
    begin(plan_->steps, run_, way_, space_, number_);
}

void lasting_operation::leave_channel() {
    if (holds_channel_) taken_channels->erase({held_.get(), channel_});
    if (holds_channel_ && row_ != nullptr) end_call(*row_, PMPI_Wtime() - began_, bytes_of_report(*plan_));
    holds_channel_ = false;
}

int lasting_operation::raise(int error) const {
    if (error != MPI_SUCCESS && held_->programs() != MPI_COMM_NULL) PMPI_Comm_call_errhandler(held_->programs(), error);
    return error;
}

namespace {

/// Exists until it is complete and the program has released the request. MPI may hold locks when it calls back, so the
/// callbacks call no MPI function that may lock and take no lock; reclaim() does the rest.
class nonblocking final : public lasting_operation {
  public:
    using lasting_operation::lasting_operation;

    int request(MPI_Request* out) {
        restart(operation::on().nonblocking());
        const int error = PMPI_Grequest_start(query, let_go, cancel, this, out);
        request_ = *out;
        return error;
    }
    void complete(int error) override {
        error_ = error;
        leave_channel();
        PMPI_Grequest_complete(request_);
        complete_ = true;
        if (let_go_) ++the_environment().to_reclaim;
    }
    bool reclaimable() const override { return complete_ && let_go_; }

  private:
    static int query(void* self, MPI_Status* status) {
        PMPI_Status_set_elements(status, MPI_BYTE, 0);
        PMPI_Status_set_cancelled(status, 0);
        status->MPI_SOURCE = MPI_UNDEFINED;
        status->MPI_TAG = MPI_UNDEFINED;
        return static_cast<nonblocking*>(self)->error_;
    }
    static int let_go(void* self) {
        static_cast<nonblocking*>(self)->let_go_ = true;
        ++the_environment().to_reclaim;
        return MPI_SUCCESS;
    }
    static int cancel(void*, int) { return MPI_SUCCESS; }  // MPI cannot cancel collective calls

    MPI_Request request_ = MPI_REQUEST_NULL;
    int error_ = MPI_SUCCESS;
    bool complete_ = false;
    std::atomic<bool> let_go_ = false;
};

}  // namespace

void reclaim() {
    if (the_environment().to_reclaim.load(std::memory_order_acquire) == 0) return;
    const guard hold;
    the_environment().to_reclaim = 0;
    std::vector<lasting_operation*> done;
    for (lasting_operation* one : *lasting)
        if (one->reclaimable()) done.push_back(one);
    for (lasting_operation* one : done) delete one;
}

int start_nonblocking(communicator_state& on, work&& todo, std::shared_ptr<prepared_plan> plan, MPI_Request* request) {
    reclaim();
    auto made = std::make_unique<nonblocking>(on, std::move(todo), std::move(plan), on.draw_nonblocking_channel());
    const int error = made->request(request);
    if (error != MPI_SUCCESS) return error;
    on.add(*made.release());
    return MPI_SUCCESS;
}

namespace {

/// Returns a number that no other persistent operation has.
int draw_tag(std::set<int>& drawn) {
    int tag = 1;  // 0 is used for packing (datatype.cpp)
    for (const int other : drawn) {
        if (other != tag) break;
        ++tag;
    }
    drawn.insert(tag);
    return tag;
}

class persistent final : public lasting_operation {
  public:
    persistent(communicator_state& on, work&& todo, std::shared_ptr<prepared_plan> plan, std::uint64_t channel)
        : lasting_operation(on, std::move(todo), std::move(plan), channel), tag_(draw_tag(*tags)) {}
    ~persistent() override { tags->erase(tag_); }

    int request(MPI_Request* out) {
        const int error = PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag_, the_environment().self, out);
        request_ = *out;
        return error;
    }
    int begin_again() {
        const int error = PMPI_Start(&request_);
        if (error != MPI_SUCCESS) return error;
        active_ = true;
        started = false;
        restart(++starts_);
        operation::on().add(*this);
        return MPI_SUCCESS;
    }
    void complete(int error) override {
        raise(error);
        leave_channel();
        active_ = false;
        // A message longer than the receive is an error of the function that completes the request.
        const char extra = 0;
        PMPI_Send(&extra, error == MPI_SUCCESS ? 0 : 1, MPI_BYTE, 0, tag_, the_environment().self);
        if (let_go_) delete this;
    }
    void let_go() {
        let_go_ = true;
        if (!active_) delete this;
    }

  private:
    static inline constinit never_destroyed<std::set<int>> tags;

    MPI_Request request_ = MPI_REQUEST_NULL;
    int tag_;
    std::uint64_t starts_ = 0;
    bool active_ = false, let_go_ = false;
};

constinit never_destroyed<std::map<MPI_Request, persistent*>> persistent_requests;

}  // namespace

int make_persistent(communicator_state& on, work&& todo, std::shared_ptr<prepared_plan> plan, std::uint64_t channel,
                    MPI_Request* request) {
    auto made = std::make_unique<persistent>(on, std::move(todo), std::move(plan), channel);
    const int error = made->request(request);
    if (error != MPI_SUCCESS) return error;
    (*persistent_requests)[*request] = made.release();
    return MPI_SUCCESS;
}

bool start_if_ours(MPI_Request request, int* error) {
    const auto found = persistent_requests->find(request);
    if (found == persistent_requests->end()) return false;
    *error = found->second->begin_again();
    return true;
}

void free_if_ours(MPI_Request request) {
    const auto found = persistent_requests->find(request);
    if (found == persistent_requests->end()) return;
    persistent* mine = found->second;
    persistent_requests->erase(found);
    mine->let_go();
}

int free_type(MPI_Datatype* type) {
    const guard hold;
    if (lasting->empty() || type == nullptr || lasting_type(*type) || !type_in_use(*type)) return PMPI_Type_free(type);
    types_to_free->push_back(*type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

int free_op(MPI_Op* op) {
    const guard hold;
    if (lasting->empty() || op == nullptr || lasting_op(*op) || !op_in_use(*op)) return PMPI_Op_free(op);
    ops_to_free->push_back(*op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

}  // namespace collsched::preload
