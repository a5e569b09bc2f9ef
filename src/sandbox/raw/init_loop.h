#pragma once

namespace cove::sandbox {

struct InitTask {
  int status_fd;
  int host_fd;      // pidfd of the Cove process
  int main_pid;     // the guest, as this process sees it
  bool group_kill;  // not pid 1: end the tree through the guest's process group
  // The main process is traced, so that its end is known before the kernel takes its memory apart.
  // That takes longer than a small program's whole run.
  bool traced;
  // Several processes of equal standing: pid 1 lives until the Cove process closes the status
  // socket, and tells of each child that ends, as far as the socket has room.
  bool family;
};

// Reaps whatever dies; when the main process is gone, ends everything that it left behind, reports
// how it ended, and exits. Ends everything at once when the Cove process goes away.
[[noreturn]] void init_loop(const InitTask& task);

}  // namespace cove::sandbox
