// SPDX-License-Identifier: BSD-3-Clause
#include "tests/verbs/stub.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <set>

// Names that infiniband/verbs.h gives another meaning.
#undef ibv_query_port
#undef ibv_reg_mr

namespace nmt::stub {
namespace {

struct Handle : ibv_device {
  Device* description = nullptr;
};

struct OpenDevice : ibv_context {
  std::string name;
  std::deque<ibv_async_event> events;
  bool cut = false;
};

struct Region : ibv_mr {
  int access = 0;
};

struct Channel : ibv_comp_channel {
  std::deque<ibv_cq*> told;
};

struct Completions : ibv_cq {
  std::deque<ibv_wc> waiting;
  bool armed = false;
};

struct Receive {
  std::uint64_t id;
  ibv_sge place;
};

struct Queue : ibv_qp {
  std::deque<Receive> receives;
  std::uint32_t far = 0;
  std::uint32_t inline_bytes_max = 0;
  std::uint32_t pieces_max = 0;
  std::uint32_t sends_max = 0;
};

// One lock for all: endpoints of a test may live in several threads.
struct World {
  std::mutex mutex;
  Settings settings;
  Counts counts;
  std::vector<std::unique_ptr<Handle>> handles;
  std::set<OpenDevice*> contexts;
  std::map<std::uint32_t, Region*> regions;  // by key, local and remote
  std::map<std::uint32_t, Queue*> queues;    // by number
  std::uint64_t locked_bytes = 0;
  std::uint32_t next_key = 1000;
  std::uint32_t next_queue = 17;
};

World& world() {
  static World* all = new World;  // endpoints may outlive any order of statics
  return *all;
}

// Sets errno and says true where the test wants this call to fail.
bool fails(const char* call) {
  const auto found = world().settings.failing.find(call);
  if (found == world().settings.failing.end()) return false;
  errno = found->second;
  return true;
}

const Device* description(const std::string& name) {
  for (const Device& device : world().settings.devices) {
    if (device.name == name) return &device;
  }
  return nullptr;
}

void tell(OpenDevice& context, const ibv_async_event& event) {
  context.events.push_back(event);
  ::eventfd_write(context.async_fd, 1);
}

OpenDevice& device_of(ibv_qp& queue) { return *static_cast<OpenDevice*>(queue.context); }

void complete(ibv_cq* to, const ibv_wc& completion) {
  auto& queue = *static_cast<Completions*>(to);
  if (world().settings.queues_hold_nothing ||
      queue.waiting.size() >= static_cast<std::size_t>(queue.cqe)) {
    ibv_async_event event{};
    event.element.cq = to;
    event.event_type = IBV_EVENT_CQ_ERR;
    tell(*static_cast<OpenDevice*>(to->context), event);
    return;
  }
  queue.waiting.push_back(completion);
  if (!queue.armed || queue.channel == nullptr) return;
  queue.armed = false;
  static_cast<Channel*>(queue.channel)->told.push_back(to);
  ::eventfd_write(queue.channel->fd, 1);
}

// A queue pair that failed gives all receives back.
void fail(Queue& queue) {
  queue.state = IBV_QPS_ERR;
  while (!queue.receives.empty()) {
    ibv_wc flushed{};
    flushed.wr_id = queue.receives.front().id;
    flushed.status = IBV_WC_WR_FLUSH_ERR;
    queue.receives.pop_front();
    complete(queue.recv_cq, flushed);
  }
}

bool allows(std::uint32_t key, std::uint64_t address, std::uint64_t size_bytes, int access) {
  const auto found = world().regions.find(key);
  if (found == world().regions.end()) return false;
  const Region& region = *found->second;
  const auto begin = reinterpret_cast<std::uint64_t>(region.addr);
  return address >= begin && address + size_bytes <= begin + region.length &&
         (region.access & access) == access;
}

void copy(std::uint64_t to, std::uint64_t from, std::size_t size_bytes) {
  if (size_bytes > 0) {
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), size_bytes);
  }
}

ibv_wc_status do_send(Queue& queue, Queue& far, const ibv_send_wr& work, std::uint64_t total) {
  (void)queue;
  if (far.receives.empty()) return IBV_WC_RNR_RETRY_EXC_ERR;
  const Receive receive = far.receives.front();
  far.receives.pop_front();
  ibv_wc arrival{};
  arrival.wr_id = receive.id;
  arrival.opcode = IBV_WC_RECV;
  arrival.byte_len = static_cast<std::uint32_t>(total);
  if (total > receive.place.length) {
    arrival.status = IBV_WC_LOC_LEN_ERR;
    complete(far.recv_cq, arrival);
    fail(far);
    return IBV_WC_REM_INV_REQ_ERR;
  }
  if (!allows(receive.place.lkey, receive.place.addr, receive.place.length,
              IBV_ACCESS_LOCAL_WRITE)) {
    return IBV_WC_REM_OP_ERR;
  }
  std::uint64_t to = receive.place.addr;
  for (int i = 0; i < work.num_sge; ++i) {
    copy(to, work.sg_list[i].addr, work.sg_list[i].length);
    to += work.sg_list[i].length;
  }
  complete(far.recv_cq, arrival);
  return IBV_WC_SUCCESS;
}

ibv_wc_status do_remote(const ibv_send_wr& work, std::uint64_t total) {
  const bool reads = work.opcode == IBV_WR_RDMA_READ;
  std::uint64_t remote = work.wr.rdma.remote_addr;
  if (total > 0 && !allows(work.wr.rdma.rkey, remote, total,
                           reads ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE)) {
    return IBV_WC_REM_ACCESS_ERR;
  }
  for (int i = 0; i < work.num_sge; ++i) {
    const ibv_sge& local = work.sg_list[i];
    copy(reads ? local.addr : remote, reads ? remote : local.addr, local.length);
    remote += local.length;
  }
  return IBV_WC_SUCCESS;
}

ibv_wc_status carry_out(Queue& queue, const ibv_send_wr& work) {
  if (queue.state != IBV_QPS_RTS) return IBV_WC_WR_FLUSH_ERR;
  const ibv_wc_status wanted = std::exchange(world().settings.next_work, IBV_WC_SUCCESS);
  if (wanted != IBV_WC_SUCCESS) return wanted;
  std::uint64_t total = 0;
  for (int i = 0; i < work.num_sge; ++i) {
    const ibv_sge& piece = work.sg_list[i];
    const int access = work.opcode == IBV_WR_RDMA_READ ? IBV_ACCESS_LOCAL_WRITE : 0;
    if ((work.send_flags & IBV_SEND_INLINE) == 0 &&
        !allows(piece.lkey, piece.addr, piece.length, access)) {
      return IBV_WC_LOC_PROT_ERR;
    }
    total += piece.length;
  }
  if ((work.send_flags & IBV_SEND_INLINE) != 0) {
    if (total > queue.inline_bytes_max) return IBV_WC_LOC_LEN_ERR;
    ++world().counts.inlined;
  }
  const auto far = world().queues.find(queue.far);
  const bool there = far != world().queues.end() && !device_of(queue).cut &&
                     !device_of(*far->second).cut &&
                     (far->second->state == IBV_QPS_RTR || far->second->state == IBV_QPS_RTS);
  if (!there) return IBV_WC_RETRY_EXC_ERR;
  return work.opcode == IBV_WR_SEND ? do_send(queue, *far->second, work, total)
                                    : do_remote(work, total);
}

int post_send(ibv_qp* pair, ibv_send_wr* work, ibv_send_wr** refused) {
  const std::lock_guard lock(world().mutex);
  auto& queue = *static_cast<Queue*>(pair);
  *refused = work;
  if (fails("ibv_post_send")) return errno;
  if (work->num_sge > static_cast<int>(queue.pieces_max)) return EINVAL;
  ++world().counts.posted;
  const bool signalled = (work->send_flags & IBV_SEND_SIGNALED) != 0;
  if (signalled) ++world().counts.signalled;
  ibv_wc done{};
  done.wr_id = work->wr_id;
  done.status = carry_out(queue, *work);
  if (signalled || done.status != IBV_WC_SUCCESS) complete(queue.send_cq, done);
  if (done.status != IBV_WC_SUCCESS) fail(queue);
  return 0;
}

int post_receive(ibv_qp* pair, ibv_recv_wr* work, ibv_recv_wr** refused) {
  const std::lock_guard lock(world().mutex);
  auto& queue = *static_cast<Queue*>(pair);
  *refused = work;
  if (fails("ibv_post_recv")) return errno;
  queue.receives.push_back({work->wr_id, work->sg_list[0]});
  if (queue.state == IBV_QPS_ERR) fail(queue);
  return 0;
}

int poll_completions(ibv_cq* from, int count, ibv_wc* completed) {
  const std::lock_guard lock(world().mutex);
  auto& queue = *static_cast<Completions*>(from);
  if (fails("ibv_poll_cq")) return -1;
  int taken = 0;
  for (; taken < count && !queue.waiting.empty(); ++taken) {
    completed[taken] = queue.waiting.front();
    queue.waiting.pop_front();
  }
  return taken;
}

int request_notice(ibv_cq* queue, int) {
  const std::lock_guard lock(world().mutex);
  static_cast<Completions*>(queue)->armed = true;
  return 0;
}

}  // namespace

Settings& settings() { return world().settings; }

void reset() {
  const std::lock_guard lock(world().mutex);
  world().settings = Settings();
}

Counts counts() {
  const std::lock_guard lock(world().mutex);
  Counts now = world().counts;
  now.contexts = world().contexts.size();
  now.queues = world().queues.size();
  now.regions = world().regions.size();
  return now;
}

void raise(ibv_event_type type, const std::string& device, int port) {
  const std::lock_guard lock(world().mutex);
  for (OpenDevice* context : world().contexts) {
    if (context->name != device) continue;
    ibv_async_event event{};
    event.event_type = type;
    event.element.port_num = port;
    tell(*context, event);
  }
}

void cut(const std::string& device) {
  const std::lock_guard lock(world().mutex);
  for (OpenDevice* context : world().contexts) context->cut |= context->name == device;
}

}  // namespace nmt::stub

using namespace nmt::stub;

extern "C" {

ibv_device** ibv_get_device_list(int* count) {
  const std::lock_guard lock(world().mutex);
  if (fails("ibv_get_device_list")) return nullptr;
  auto& handles = world().handles;
  const auto& devices = world().settings.devices;
  auto** list = new ibv_device*[devices.size() + 1]();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    auto known = std::find_if(handles.begin(), handles.end(),
                              [&](const auto& handle) { return devices[i].name == handle->name; });
    if (known == handles.end()) {
      handles.push_back(std::make_unique<Handle>());
      known = std::prev(handles.end());
      std::strncpy((*known)->name, devices[i].name.c_str(), sizeof((*known)->name) - 1);
    }
    list[i] = known->get();
  }
  *count = static_cast<int>(devices.size());
  return list;
}

void ibv_free_device_list(ibv_device** list) { delete[] list; }
const char* ibv_get_device_name(ibv_device* device) { return device->name; }

ibv_context* ibv_open_device(ibv_device* device) {
  const std::lock_guard lock(world().mutex);
  const Device* known = description(device->name);
  if (known == nullptr || known->open_error != 0) {
    errno = known == nullptr ? ENODEV : known->open_error;
    return nullptr;
  }
  auto* context = new OpenDevice();
  context->device = device;
  context->name = device->name;
  context->async_fd = ::eventfd(0, EFD_CLOEXEC);
  context->ops.poll_cq = poll_completions;
  context->ops.req_notify_cq = request_notice;
  context->ops.post_send = post_send;
  context->ops.post_recv = post_receive;
  world().contexts.insert(context);
  return context;
}

int ibv_close_device(ibv_context* context) {
  const std::lock_guard lock(world().mutex);
  auto* open = static_cast<OpenDevice*>(context);
  world().contexts.erase(open);
  ::close(open->async_fd);
  delete open;
  return 0;
}

int ibv_query_device(ibv_context* context, ibv_device_attr* attributes) {
  const std::lock_guard lock(world().mutex);
  if (fails("ibv_query_device")) return errno;
  const Device* known = description(static_cast<OpenDevice*>(context)->name);
  *attributes = {};
  std::strcpy(attributes->fw_ver, "1.0");
  attributes->phys_port_cnt = static_cast<std::uint8_t>(known != nullptr ? known->ports.size() : 0);
  attributes->max_sge = known != nullptr ? known->pieces_max : 0;
  attributes->max_qp_rd_atom = attributes->max_qp_init_rd_atom = 8;
  return 0;
}

int ibv_query_port(ibv_context* context, std::uint8_t number, _compat_ibv_port_attr* attributes) {
  const std::lock_guard lock(world().mutex);
  const Device* known = description(static_cast<OpenDevice*>(context)->name);
  if (known == nullptr || number > known->ports.size()) return ENODEV;
  const Port& port = known->ports[number - 1u];
  auto* full = reinterpret_cast<ibv_port_attr*>(attributes);
  full->state = port.state;
  full->active_mtu = IBV_MTU_1024;
  full->max_msg_sz = 1u << 23;
  full->gid_tbl_len = static_cast<int>(port.gids.size());
  full->lid = port.lid;
  full->link_layer = port.ethernet ? IBV_LINK_LAYER_ETHERNET : IBV_LINK_LAYER_INFINIBAND;
  return 0;
}

int _ibv_query_gid_ex(ibv_context* context, std::uint32_t number, std::uint32_t index,
                      ibv_gid_entry* entry, std::uint32_t, std::size_t) {
  const std::lock_guard lock(world().mutex);
  const Device* known = description(static_cast<OpenDevice*>(context)->name);
  if (known == nullptr) return ENODEV;
  const Gid& gid = known->ports[number - 1].gids[index];
  *entry = {};
  std::memcpy(entry->gid.raw, gid.bytes, sizeof gid.bytes);
  entry->gid_type = gid.type;
  return 0;
}

ibv_pd* ibv_alloc_pd(ibv_context* context) {
  if (fails("ibv_alloc_pd")) return nullptr;
  auto* domain = new ibv_pd();
  domain->context = context;
  return domain;
}
int ibv_dealloc_pd(ibv_pd* domain) { return delete domain, 0; }

ibv_mr* ibv_reg_mr_iova2(ibv_pd* domain, void* memory, std::size_t size_bytes, std::uint64_t,
                         unsigned access) {
  const std::lock_guard lock(world().mutex);
  if (fails("ibv_reg_mr")) return nullptr;
  if (world().locked_bytes + size_bytes > world().settings.locked_bytes_max) {
    errno = ENOMEM;
    return nullptr;
  }
  world().locked_bytes += size_bytes;
  ++world().counts.registrations;
  auto* region = new Region();
  region->context = domain->context;
  region->pd = domain;
  region->addr = memory;
  region->length = size_bytes;
  region->lkey = region->rkey = world().next_key++;
  region->access = static_cast<int>(access);
  world().regions[region->lkey] = region;
  return region;
}
ibv_mr* ibv_reg_mr(ibv_pd* domain, void* memory, std::size_t size_bytes, int access) {
  return ibv_reg_mr_iova2(domain, memory, size_bytes, 0, static_cast<unsigned>(access));
}
int ibv_dereg_mr(ibv_mr* region) {
  const std::lock_guard lock(world().mutex);
  world().regions.erase(region->lkey);
  world().locked_bytes -= region->length;
  delete static_cast<Region*>(region);
  return 0;
}

ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  if (fails("ibv_create_comp_channel")) return nullptr;
  auto* channel = new Channel();
  channel->context = context;
  channel->fd = ::eventfd(0, EFD_CLOEXEC);
  return channel;
}
int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  ::close(channel->fd);
  return delete static_cast<Channel*>(channel), 0;
}

ibv_cq* ibv_create_cq(ibv_context* context, int count, void*, ibv_comp_channel* channel, int) {
  if (fails("ibv_create_cq")) return nullptr;
  auto* queue = new Completions();
  queue->context = context;
  queue->channel = channel;
  queue->cqe = count;
  return queue;
}
int ibv_destroy_cq(ibv_cq* queue) { return delete static_cast<Completions*>(queue), 0; }

int ibv_get_cq_event(ibv_comp_channel* channel, ibv_cq** queue, void** context) {
  const std::lock_guard lock(world().mutex);
  auto& told = static_cast<Channel*>(channel)->told;
  if (told.empty()) return errno = EAGAIN, -1;
  *queue = told.front();
  *context = nullptr;
  told.pop_front();
  eventfd_t count;
  if (told.empty()) ::eventfd_read(channel->fd, &count);
  return 0;
}
void ibv_ack_cq_events(ibv_cq*, unsigned) {}

ibv_qp* ibv_create_qp(ibv_pd* domain, ibv_qp_init_attr* wanted) {
  const std::lock_guard lock(world().mutex);
  if (fails("ibv_create_qp")) return nullptr;
  const Device* known = description(static_cast<OpenDevice*>(domain->context)->name);
  if (known == nullptr || wanted->cap.max_inline_data > known->inline_bytes_max) {
    errno = known == nullptr ? EIO : EINVAL;
    return nullptr;
  }
  auto* queue = new Queue();
  queue->context = domain->context;
  queue->pd = domain;
  queue->send_cq = wanted->send_cq;
  queue->recv_cq = wanted->recv_cq;
  queue->qp_num = world().next_queue++;
  queue->inline_bytes_max = wanted->cap.max_inline_data;
  queue->pieces_max = wanted->cap.max_send_sge;
  queue->sends_max = wanted->cap.max_send_wr;
  world().queues[queue->qp_num] = queue;
  return queue;
}

int ibv_modify_qp(ibv_qp* pair, ibv_qp_attr* change, int) {
  const std::lock_guard lock(world().mutex);
  if (fails("ibv_modify_qp")) return errno;
  auto* queue = static_cast<Queue*>(pair);
  queue->state = change->qp_state;
  if (change->qp_state == IBV_QPS_RTR) queue->far = change->dest_qp_num;
  return 0;
}

int ibv_destroy_qp(ibv_qp* pair) {
  const std::lock_guard lock(world().mutex);
  world().queues.erase(pair->qp_num);
  return delete static_cast<Queue*>(pair), 0;
}

int ibv_get_async_event(ibv_context* context, ibv_async_event* event) {
  const std::lock_guard lock(world().mutex);
  auto& events = static_cast<OpenDevice*>(context)->events;
  if (events.empty()) return errno = EAGAIN, -1;
  *event = events.front();
  events.pop_front();
  return 0;
}
void ibv_ack_async_event(ibv_async_event*) {}

}  // extern "C"
