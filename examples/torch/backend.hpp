#pragma once

#include <mutex>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "group.hpp"
#include "tensors.hpp"

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

/// Properties of an operation for PyTorch, and its functions before and after the transfer.
struct work_options {
    c10d::OpType type;
    milliseconds timeout;
    tensors outputs{};
    tensors kept{};                                         ///< inputs and intermediate tensors
    std::function<void()> before{};                         ///< fills the input, after the operations before
    std::function<void()> after{};                          ///< completes the output, before the operations after it
    c10d::ReduceOp::RedOpType op = c10d::ReduceOp::UNUSED;  ///< of a reduction
    at::ScalarType element = at::ScalarType::Undefined;     ///< of a reduction
};

/// The c10d backend "collsched": CPU tensors, over shared memory or TCP. All arguments are checked before an operation
/// has a number, so a call that throws leaves the group as it was. An operation that fails breaks the group: all later
/// ones throw the first error.
class backend final : public c10d::ProcessGroup {
  public:
    using work = c10::intrusive_ptr<c10d::Work>;

    backend(c10d::Store& store, int rank, int size, milliseconds timeout);
    ~backend() override;
    /// Ends all operations, and each later one, with an error; the other ranks report that this one has left.
    void close();

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
    /// Returns the group. Throws after close().
    std::shared_ptr<rank_group> group() const;
    work submit(const std::shared_ptr<rank_group>& group, std::shared_ptr<operation> run, work_options options,
                bool at_once);
    work collective_work(const tensor_call& call, work_options options);
    work reduction_work(tensor_call call, const at::Tensor& data, const c10d::ReduceOp& op, work_options options);
    work reduce_scatter_work(const at::Tensor& output, const at::Tensor& input, const c10d::ReduceOp& op,
                             work_options options);
    work message_work(const at::Tensor& data, int peer, int tag, bool sends);
    using parts = std::vector<std::pair<std::byte*, bytes_t>>;
    work exchange(const parts& to, const parts& from, work_options options);
    static std::exception_ptr error_of(const run_status& end, const group_link& link, const work_options& options);

    mutable std::mutex group_lock_;
    std::shared_ptr<rank_group> group_;
    milliseconds timeout_;
    std::uint64_t sequence_ = 0;
};

}  // namespace examples
