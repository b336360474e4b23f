// SPDX-License-Identifier: BSD-3-Clause
#include "drivers/verbs/device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <infiniband/verbs.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <random>

#include "core/error.h"
#include "drivers/verbs/port.h"

namespace nmt::drivers {
namespace {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* handle) const {
    Free(handle);
  }
};
using Context = std::unique_ptr<ibv_context, Freed<ibv_close_device>>;
using Domain = std::unique_ptr<ibv_pd, Freed<ibv_dealloc_pd>>;
using Channel = std::unique_ptr<ibv_comp_channel, Freed<ibv_destroy_comp_channel>>;
using CompletionQueue = std::unique_ptr<ibv_cq, Freed<ibv_destroy_cq>>;
using QueuePair = std::unique_ptr<ibv_qp, Freed<ibv_destroy_qp>>;
using DeviceList = std::unique_ptr<ibv_device*, Freed<ibv_free_device_list>>;

constexpr unsigned kPiecesMax = 16;  // requested from the device; more would make its work larger
constexpr unsigned kInlineBytes = 256;  // requested too; smaller if the device offers less
constexpr unsigned kWorkPerSignal = 16;
constexpr std::size_t kWorkBytesMax = std::size_t{1} << 30;
constexpr int kCompletionsPerPoll = 32;
constexpr std::uint8_t kReadsMax = 16;

// A packet that is not acknowledged within 4.096 us * 2^16 = 268 ms is sent again, seven times, so
// a connection is lost after about two seconds. With less time, a slow wire with half a megabyte in
// its queues would count as lost. If no receive is posted, the device waits instead; credits
// prevent that (drivers/verbs/endpoint.h).
constexpr std::uint8_t kTimeout = 16;
constexpr std::uint8_t kRetries = 7;
constexpr std::uint8_t kReceiverRetries = 6;
constexpr std::uint8_t kReceiverTimer = 12;  // 0.64 ms

// Identifiers of sent work are odd, those of receives even: a failed completion gives no other
// field.
constexpr std::uint64_t kIsWork = 1;

void require(int error, std::string_view rail, std::string_view call,
             std::string_view remedy = {}) {
  if (error != 0) {
    throw system_error(Fault::kFailed, fmt::format("{}: {}", rail, call), error, remedy);
  }
}

template <class T>
T* require(T* handle, std::string_view rail, std::string_view call, std::string_view remedy = {}) {
  if (handle == nullptr) require(errno != 0 ? errno : EIO, rail, call, remedy);
  return handle;
}

DeviceList list_devices(int* count) { return DeviceList(ibv_get_device_list(count)); }

Context open_device(const std::string& rail, const std::string& name) {
  int count = 0;
  const DeviceList devices = list_devices(&count);
  for (int i = 0; i < count; ++i) {
    ibv_device* device = devices.get()[i];
    if (ibv_get_device_name(device) != name) continue;
    return Context(require(ibv_open_device(device), rail, fmt::format("ibv_open_device({})", name),
                           "is it still there, and may this user open /dev/infiniband?"));
  }
  throw Error(
      Fault::kFailed,
      rail + ": this node has no such device any more; nmad-sample --list prints the rails");
}

std::vector<VerbsGid> gids_of(ibv_context* context, unsigned port, int count) {
  std::vector<VerbsGid> gids;
  for (int i = 0; i < count; ++i) {
    ibv_gid_entry entry{};
    if (ibv_query_gid_ex(context, port, static_cast<unsigned>(i), &entry, 0) != 0) continue;
    VerbsGid gid{.index = static_cast<unsigned>(i), .interface = entry.ndev_ifindex};
    std::copy_n(entry.gid.raw, gid.bytes.size(), gid.bytes.begin());
    gid.kind = entry.gid_type == IBV_GID_TYPE_ROCE_V2   ? GidKind::kRoceV2
               : entry.gid_type == IBV_GID_TYPE_ROCE_V1 ? GidKind::kRoceV1
                                                        : GidKind::kInfiniBand;
    gids.push_back(gid);
  }
  return gids;
}

std::uint32_t bytes_of(ibv_mtu mtu) { return 128u << mtu; }
ibv_mtu mtu_of(std::uint32_t size_bytes) {
  ibv_mtu mtu = IBV_MTU_256;
  while (mtu < IBV_MTU_4096 && bytes_of(mtu) < size_bytes) mtu = static_cast<ibv_mtu>(mtu + 1);
  return mtu;
}

// What verbs report about a port; drivers/verbs/port.h decides the rest without their types.
PortFacts facts_of(ibv_context* context, unsigned number) {
  PortFacts facts{.device = ibv_get_device_name(context->device), .number = number};
  ibv_device_attr device{};
  if (ibv_query_device(context, &device) == 0) facts.firmware = device.fw_ver;
  ibv_port_attr port{};
  facts.error = ibv_query_port(context, static_cast<std::uint8_t>(number), &port);
  if (facts.error != 0) return facts;
  facts.active = port.state == IBV_PORT_ACTIVE;
  facts.state = ibv_port_state_str(port.state);
  facts.ethernet = port.link_layer == IBV_LINK_LAYER_ETHERNET;
  facts.lid = port.lid;
  facts.mtu_bytes = bytes_of(port.active_mtu);
  facts.work_bytes_max = port.max_msg_sz;
  facts.width_code = port.active_width;
  facts.speed_code = port.active_speed;
  facts.gids = gids_of(context, number, port.gid_tbl_len);
  return facts;
}

// The Error for a failed completion: of the peer, or of this node.
Error failure(const std::string& rail, ibv_wc_status status) {
  Fault fault = Fault::kPeer;
  std::string_view cause;
  switch (status) {
    case IBV_WC_RETRY_EXC_ERR:
      cause = "the peer no longer answers";
      break;
    case IBV_WC_RNR_RETRY_EXC_ERR:
      cause = "the peer no longer receives";
      break;
    case IBV_WC_WR_FLUSH_ERR:
      cause = "the connection was shut down";
      break;
    case IBV_WC_LOC_LEN_ERR:
      cause = "the peer sent more than the buffer holds";
      break;
    case IBV_WC_REM_ACCESS_ERR:
      cause = "the peer refused the access to its memory";
      break;
    case IBV_WC_REM_INV_REQ_ERR:
    case IBV_WC_REM_OP_ERR:
    case IBV_WC_REM_ABORT_ERR:
    case IBV_WC_BAD_RESP_ERR:
      cause = "the peer failed";
      break;
    default:
      cause = "the device failed";
      fault = Fault::kFailed;
  }
  return Error(fault, fmt::format("{}: {} ({})", rail, cause, ibv_wc_status_str(status)));
}

// Whether an event outside of completions ends a connection over this port.
bool is_fatal(const ibv_async_event& event, const ibv_qp* queue, unsigned port) {
  switch (event.event_type) {
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
      return event.element.qp == queue;
    case IBV_EVENT_PORT_ERR:
      return event.element.port_num == static_cast<int>(port);
    case IBV_EVENT_CQ_ERR:
    case IBV_EVENT_DEVICE_FATAL:
      return true;
    default:
      return false;
  }
}

// What the event means for the machine, in plain words.
std::string_view meaning(ibv_event_type type) {
  switch (type) {
    case IBV_EVENT_PORT_ERR:
      return "the port went down";
    case IBV_EVENT_DEVICE_FATAL:
      return "the device failed or was removed";
    case IBV_EVENT_CQ_ERR:
      return "the completion queue overflowed";
    default:
      return "the connection failed";
  }
}

}  // namespace

VerbsSurvey survey_verbs() {
  VerbsSurvey survey;
  int count = 0;
  errno = 0;
  const DeviceList devices = list_devices(&count);
  std::vector<std::string> listed;
  for (int i = 0; i < count; ++i) {
    ibv_device* device = devices.get()[i];
    const std::string name = ibv_get_device_name(device);
    listed.push_back(name);
    const Context context(ibv_open_device(device));
    ibv_device_attr attributes{};
    const int error = context == nullptr ? errno : ibv_query_device(context.get(), &attributes);
    if (error != 0) {
      survey.refusals.push_back(refusal_of_device(name, error));
      continue;
    }
    for (unsigned number = 1; number <= attributes.phys_port_cnt; ++number) {
      survey.ports.push_back(describe_port(facts_of(context.get(), number)));
    }
  }
  for (Refusal& refusal : refusals_of_unlisted(listed)) {
    survey.refusals.push_back(std::move(refusal));
  }
  return survey;
}

VerbsRegion::~VerbsRegion() { ibv_dereg_mr(static_cast<ibv_mr*>(handle_)); }

struct VerbsConnection::State {
  std::string rail;
  unsigned port = 0;
  VerbsAddress address;
  std::uint8_t gid_index = 0;
  bool global = false;  // addressed by GID: RoCE
  std::uint8_t reads_max = 1;
  std::size_t inline_bytes_max = 0;
  std::size_t pieces_max = 0;
  std::size_t work_bytes_max = 0;
  std::size_t sends = 0;

  Context context;
  Domain domain;
  Channel channel;
  CompletionQueue completions;
  QueuePair queue;

  std::uint64_t posted = 0;
  std::uint64_t signalled = 0;  // the last signalled work
  std::uint64_t done = 0;
  bool armed = false;
  std::array<VerbsArrival, kCompletionsPerPoll> arrivals;

  void make_queue(VerbsNeeds needs);
  void initialise();
  std::uint64_t post(std::span<const VerbsPiece> pieces, ibv_send_wr& work, bool signaled);
  void take_completion_events();
};

VerbsConnection::VerbsConnection(std::string rail, const std::string& port_name, VerbsNeeds needs)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.rail = std::move(rail);
  const std::size_t slash = port_name.rfind('/');
  NMT_CHECK(slash != std::string::npos);
  s.context = open_device(s.rail, port_name.substr(0, slash));
  s.port = static_cast<unsigned>(std::stoul(port_name.substr(slash + 1)));
  const PortFacts facts = facts_of(s.context.get(), s.port);
  const VerbsPort port = describe_port(facts);
  if (!port.problem.empty()) {
    throw Error(Fault::kFailed, fmt::format("{}: {}; {}", s.rail, port.problem, port.remedy));
  }
  if (const VerbsGid* gid = best_gid(facts)) {
    s.gid_index = static_cast<std::uint8_t>(gid->index);
    s.address.gid = gid->bytes;
  }
  s.global = facts.ethernet;
  s.address.lid = facts.lid;
  s.address.mtu_bytes = facts.mtu_bytes;
  s.work_bytes_max = std::min<std::size_t>(facts.work_bytes_max, kWorkBytesMax);
  s.make_queue(needs);
  s.initialise();
}

VerbsConnection::~VerbsConnection() = default;

void VerbsConnection::State::make_queue(VerbsNeeds needs) {
  ibv_device_attr device{};
  require(ibv_query_device(context.get(), &device), rail, "ibv_query_device");
  const auto at_most = [](unsigned wanted, int limit) {
    return std::min(wanted, static_cast<unsigned>(std::max(1, limit)));
  };
  reads_max = static_cast<std::uint8_t>(
      at_most(kReadsMax, std::min(device.max_qp_rd_atom, device.max_qp_init_rd_atom)));
  domain.reset(require(ibv_alloc_pd(context.get()), rail, "ibv_alloc_pd"));
  channel.reset(require(ibv_create_comp_channel(context.get()), rail, "ibv_create_comp_channel"));
  for (const int descriptor : {channel->fd, context->async_fd}) {
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  }
  completions.reset(
      require(ibv_create_cq(context.get(), static_cast<int>(needs.receives + needs.sends), nullptr,
                            channel.get(), 0),
              rail, "ibv_create_cq"));
  ibv_qp_init_attr wanted{};
  wanted.send_cq = wanted.recv_cq = completions.get();
  wanted.qp_type = IBV_QPT_RC;
  wanted.cap.max_send_wr = needs.sends;
  wanted.cap.max_recv_wr = needs.receives;
  wanted.cap.max_send_sge = at_most(kPiecesMax, device.max_sge);
  wanted.cap.max_recv_sge = 1;
  for (unsigned inline_bytes = kInlineBytes;; inline_bytes /= 2) {  // no call reports the limit
    wanted.cap.max_inline_data = inline_bytes;
    queue.reset(ibv_create_qp(domain.get(), &wanted));
    if (queue || inline_bytes == 0) break;
  }
  require(queue.get(), rail, "ibv_create_qp");
  inline_bytes_max = wanted.cap.max_inline_data;
  pieces_max = std::min(kPiecesMax, wanted.cap.max_send_sge);
  sends = needs.sends;
}

void VerbsConnection::State::initialise() {
  ibv_qp_attr change{};
  change.qp_state = IBV_QPS_INIT;
  change.port_num = static_cast<std::uint8_t>(port);
  change.qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
  require(ibv_modify_qp(queue.get(), &change,
                        IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
          rail, "ibv_modify_qp(INIT)");
  std::random_device random;  // so that packets of an earlier connection do not match
  address.first_packet = random() & 0xffffff;
  address.queue = queue->qp_num;
  address.reads = reads_max;
}

std::shared_ptr<VerbsRegion> VerbsConnection::register_memory(ConstBytes memory,
                                                              VerbsAccess access) {
  int flags = 0;
  if (access != VerbsAccess::kSource) flags |= IBV_ACCESS_LOCAL_WRITE;
  if (access == VerbsAccess::kSource) flags |= IBV_ACCESS_REMOTE_READ;
  if (access == VerbsAccess::kTarget) flags |= IBV_ACCESS_REMOTE_WRITE;
  errno = 0;
  ibv_mr* region =
      ibv_reg_mr(state_->domain.get(), const_cast<std::byte*>(memory.data()), memory.size(), flags);
  if (region == nullptr) {
    throw Error(Fault::kFailed,
                fmt::format("{}: {}", state_->rail, registration_failure(memory.size(), errno)));
  }
  return std::make_shared<VerbsRegion>(region, region->lkey, region->rkey);
}

const VerbsAddress& VerbsConnection::address() const { return state_->address; }
std::size_t VerbsConnection::inline_bytes_max() const { return state_->inline_bytes_max; }
std::size_t VerbsConnection::pieces_max() const { return state_->pieces_max; }
std::size_t VerbsConnection::work_bytes_max() const { return state_->work_bytes_max; }

void VerbsConnection::connect(const VerbsAddress& far) {
  State& s = *state_;
  ibv_qp_attr change{};
  change.qp_state = IBV_QPS_RTR;
  change.path_mtu = mtu_of(std::min(s.address.mtu_bytes, far.mtu_bytes));
  change.dest_qp_num = far.queue;
  change.rq_psn = far.first_packet;
  change.max_dest_rd_atomic = s.reads_max;
  change.min_rnr_timer = kReceiverTimer;
  change.ah_attr.port_num = static_cast<std::uint8_t>(s.port);
  change.ah_attr.dlid = static_cast<std::uint16_t>(far.lid);
  change.ah_attr.is_global = s.global ? 1 : 0;
  if (s.global) {
    std::copy(far.gid.begin(), far.gid.end(), change.ah_attr.grh.dgid.raw);
    change.ah_attr.grh.sgid_index = s.gid_index;
    change.ah_attr.grh.hop_limit = 64;
  }
  require(ibv_modify_qp(s.queue.get(), &change,
                        IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                            IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
          s.rail, "ibv_modify_qp(RTR)");
  change = {};
  change.qp_state = IBV_QPS_RTS;
  change.sq_psn = s.address.first_packet;
  change.timeout = kTimeout;
  change.retry_cnt = kRetries;
  change.rnr_retry = kReceiverRetries;
  change.max_rd_atomic =
      static_cast<std::uint8_t>(std::clamp<std::uint32_t>(far.reads, 1, s.reads_max));
  require(ibv_modify_qp(s.queue.get(), &change,
                        IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                            IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC),
          s.rail, "ibv_modify_qp(RTS)");
}

std::size_t VerbsConnection::room() const {
  return state_->sends - static_cast<std::size_t>(state_->posted - state_->done);
}

bool VerbsConnection::done(std::uint64_t number) const { return number <= state_->done; }

std::uint64_t VerbsConnection::State::post(std::span<const VerbsPiece> pieces, ibv_send_wr& work,
                                           bool signaled) {
  NMT_CHECK(pieces.size() <= pieces_max && posted - done < sends);
  ibv_sge list[kPiecesMax];
  for (const VerbsPiece& piece : pieces) {
    list[work.num_sge++] = {reinterpret_cast<std::uintptr_t>(piece.memory), piece.size_bytes,
                            piece.key};
  }
  ++posted;
  if (signaled || posted - signalled >= kWorkPerSignal) {
    work.send_flags |= IBV_SEND_SIGNALED;
    signalled = posted;
  }
  work.sg_list = list;
  work.wr_id = posted << 1 | kIsWork;
  ibv_send_wr* refused = nullptr;
  require(ibv_post_send(queue.get(), &work, &refused), rail, "ibv_post_send");
  return posted;
}

std::uint64_t VerbsConnection::send(std::span<const VerbsPiece> pieces, bool inlined,
                                    bool signaled) {
  ibv_send_wr work{};
  work.opcode = IBV_WR_SEND;
  if (inlined) work.send_flags = IBV_SEND_INLINE;
  return state_->post(pieces, work, signaled);
}

std::uint64_t VerbsConnection::write(std::span<const VerbsPiece> pieces, VerbsRemote to,
                                     bool signaled) {
  ibv_send_wr work{};
  work.opcode = IBV_WR_RDMA_WRITE;
  work.wr.rdma = {to.address, to.key};
  return state_->post(pieces, work, signaled);
}

std::uint64_t VerbsConnection::read(std::span<const VerbsPiece> pieces, VerbsRemote from,
                                    bool signaled) {
  ibv_send_wr work{};
  work.opcode = IBV_WR_RDMA_READ;
  work.wr.rdma = {from.address, from.key};
  return state_->post(pieces, work, signaled);
}

void VerbsConnection::receive(VerbsPiece into, std::uint64_t place) {
  ibv_sge list{reinterpret_cast<std::uintptr_t>(into.memory), into.size_bytes, into.key};
  ibv_recv_wr work{};
  work.wr_id = place << 1;
  work.sg_list = &list;
  work.num_sge = 1;
  ibv_recv_wr* refused = nullptr;
  require(ibv_post_recv(state_->queue.get(), &work, &refused), state_->rail, "ibv_post_recv");
}

std::span<const VerbsArrival> VerbsConnection::poll() {
  State& s = *state_;
  if (s.armed) s.take_completion_events();
  ibv_wc completed[kCompletionsPerPoll];
  const int count = ibv_poll_cq(s.completions.get(), kCompletionsPerPoll, completed);
  if (count < 0) throw Error(Fault::kFailed, s.rail + ": ibv_poll_cq failed");
  std::size_t arrived = 0;
  for (const ibv_wc& each : std::span(completed, static_cast<std::size_t>(count))) {
    if (each.status != IBV_WC_SUCCESS) {
      check_events();  // may know the cause
      throw failure(s.rail, each.status);
    }
    if ((each.wr_id & kIsWork) != 0) {
      s.done = each.wr_id >> 1;
    } else {
      s.arrivals[arrived++] = {each.wr_id >> 1, each.byte_len};
    }
  }
  return std::span(s.arrivals).first(arrived);
}

void VerbsConnection::check_events() {
  State& s = *state_;
  ibv_async_event event;
  while (ibv_get_async_event(s.context.get(), &event) == 0) {
    const bool fatal = is_fatal(event, s.queue.get(), s.port);
    ibv_ack_async_event(&event);
    if (fatal) {
      throw Error(Fault::kFailed, fmt::format("{}: {} ({})", s.rail, meaning(event.event_type),
                                              ibv_event_type_str(event.event_type)));
    }
  }
}

bool VerbsConnection::arm() {
  State& s = *state_;
  if (s.armed) return true;
  if (ibv_req_notify_cq(s.completions.get(), 0) != 0) return false;
  s.armed = true;
  return false;  // earlier completions make no event: poll once more
}

std::array<int, 2> VerbsConnection::descriptors() const {
  return {state_->channel->fd, state_->context->async_fd};
}

// The channel reports once; then it has to be armed again.
void VerbsConnection::State::take_completion_events() {
  ibv_cq* reported = nullptr;
  void* context_of_it = nullptr;
  while (ibv_get_cq_event(channel.get(), &reported, &context_of_it) == 0) {
    ibv_ack_cq_events(reported, 1);
    armed = false;
  }
}

}  // namespace nmt::drivers
