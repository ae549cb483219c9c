#pragma once

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "group.hpp"

namespace examples {

/// The end of an operation, for PyTorch. It keeps the tensors of the operation alive.
class backend_work final : public c10d::Work {
  public:
    backend_work(int rank, c10d::OpType type, std::weak_ptr<rank_group> group, std::shared_ptr<operation> run,
                 std::vector<at::Tensor> outputs)
        : Work(rank, type), group_(std::move(group)), run_(std::move(run)), outputs_(std::move(outputs)) {}

    /// Called once, by the driver. @param error  null: success
    void end(std::exception_ptr error);

    bool isCompleted() override;
    bool isSuccess() const override;
    bool wait(std::chrono::milliseconds timeout = kNoTimeout) override;
    void synchronize() override { wait(); }
    void abort() override { TORCH_CHECK(false, "abort: collsched cannot end an operation of all ranks on one rank"); }
    std::vector<at::Tensor> result() override { return outputs_; }
    int sourceRank() const override { return source; }
    c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

    int source = -1;
    std::vector<at::Tensor> kept;  ///< inputs and intermediate tensors

  private:
    bool has_ended() const;
    void attend() const;
    void finish_future(const c10::intrusive_ptr<c10::ivalue::Future>& future) const;

    std::weak_ptr<rank_group> group_;
    std::shared_ptr<operation> run_;
    std::vector<at::Tensor> outputs_;
    c10::intrusive_ptr<c10::ivalue::Future> future_;
};

/// The c10d backend "collsched": CPU tensors, over shared memory or TCP. A failed operation breaks the group: all later
/// ones throw the first error.
class backend final : public c10d::ProcessGroup {
  public:
    using work = c10::intrusive_ptr<c10d::Work>;
    using tensors = std::vector<at::Tensor>;

    backend(c10d::Store& store, int rank, int size, std::chrono::milliseconds timeout);
    ~backend() override;

    const std::string getBackendName() const override { return "collsched"; }
    void setSequenceNumberForGroup() override {}
    std::uint64_t getSequenceNumberForGroup() override { return sequence_; }

    work broadcast(tensors& data, const c10d::BroadcastOptions& how) override;
    work allreduce(tensors& data, const c10d::AllreduceOptions& how) override;
    work allreduce_coalesced(tensors& data, const c10d::AllreduceCoalescedOptions& how) override;
    work reduce(tensors& data, const c10d::ReduceOptions& how) override;
    work allgather(std::vector<tensors>& outputs, tensors& inputs, const c10d::AllgatherOptions& how) override;
    work _allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& how) override;
    work gather(std::vector<tensors>& outputs, tensors& inputs, const c10d::GatherOptions& how) override;
    work scatter(tensors& outputs, std::vector<tensors>& inputs, const c10d::ScatterOptions& how) override;
    work reduce_scatter(tensors& outputs, std::vector<tensors>& inputs, const c10d::ReduceScatterOptions& how) override;
    work _reduce_scatter_base(at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& how) override;
    work alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<std::int64_t>& output_sizes,
                       std::vector<std::int64_t>& input_sizes, const c10d::AllToAllOptions& how) override;
    work alltoall(tensors& outputs, tensors& inputs, const c10d::AllToAllOptions& how) override;
    work send(tensors& data, int target, int tag) override;
    work recv(tensors& data, int source, int tag) override;
    work barrier(const c10d::BarrierOptions& how) override;

  private:
    using after_success = std::function<void()>;
    /// Submits an operation. `after` runs once it has ended well, before the work is complete.
    work submit(std::shared_ptr<operation> run, c10d::OpType type, std::chrono::milliseconds timeout, tensors outputs,
                tensors kept, bool at_once, after_success after = {});
    work collective_work(const collective_call& call, c10d::OpType type, std::chrono::milliseconds timeout,
                         tensors outputs, tensors kept = {}, after_success after = {});
    work message_work(const at::Tensor& data, int peer, int tag, bool sends);
    work exchange(const std::vector<std::pair<std::byte*, bytes_t>>& to,
                  const std::vector<std::pair<std::byte*, bytes_t>>& from, std::chrono::milliseconds timeout,
                  tensors outputs, tensors kept);
    reduction reduction_for(const at::Tensor& data, const c10d::ReduceOp& op) const;
    /// Returns a number for the type and the operator, not 0.
    static std::uint64_t values_of(const at::Tensor& data, const c10d::ReduceOp& op) {
        return static_cast<std::uint64_t>(op.op_) * 256 + static_cast<std::uint64_t>(data.scalar_type()) + 1;
    }
    work reduce_scatter_work(const at::Tensor& output, const at::Tensor& input, const c10d::ReduceScatterOptions& how,
                             std::function<void()> before);
    static std::exception_ptr error_of(const run_status& end, const group_link& link, c10d::OpType type,
                                       std::chrono::milliseconds timeout);

    std::shared_ptr<rank_group> group_;
    std::chrono::milliseconds timeout_;
    std::uint64_t sequence_ = 0;
};

}  // namespace examples
