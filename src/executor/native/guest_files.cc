#include "executor/native/guest_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "executor/native/file_access_as.h"

namespace cove {
namespace {

Result<> write_bytes(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == ENOSPC) {
      return Err(Error::invalid_field("files", "program and files do not fit the disk limit"));
    }
    if (n < 0) return Err(Error::from_errno("write a file of the request"));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<UniqueFd> create_file(int directory, const std::string& name) {
  UniqueFd file(::openat(directory, name.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file) return Err(Error::from_errno("create " + name));
  return file;
}

Result<> write_file(int directory, const std::string& name, std::string_view bytes) {
  COVE_ASSIGN(const UniqueFd file, create_file(directory, name));
  return write_bytes(file.get(), bytes);
}

Result<UniqueFd> open_directory(int parent, const char* name) {
  UniqueFd directory(::openat(parent, name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return Err(Error::from_errno(std::string("open ") + name));
  return directory;
}

// `name` was validated: relative, without dots. Its directories are made on the way.
Result<> write_nested(int root, const std::string& name, std::string_view bytes) {
  UniqueFd below;
  int directory = root;
  std::size_t start = 0;
  for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', start)) {
    const std::string part = name.substr(start, slash - start);
    if (::mkdirat(directory, part.c_str(), 0755) != 0 && errno != EEXIST) {
      return Err(Error::from_errno("mkdir " + part));
    }
    COVE_ASSIGN(below, open_directory(directory, part.c_str()));
    directory = below.get();
    start = slash + 1;
  }
  return write_file(directory, name.substr(start), bytes);
}

// Languages that look for modules beside the program, not in the working directory, find them
// there.
Result<> link_beside_program(int scratch, const std::string& name,
                             const std::string& workspace_path) {
  const std::string top = name.substr(0, name.find('/'));
  const std::string target = workspace_path + "/" + top;
  if (::symlinkat(target.c_str(), scratch, ("code/" + top).c_str()) == 0 || errno == EEXIST)
    return {};
  return Err(Error::from_errno("link " + top));
}

}  // namespace

Result<> make_program_file(sandbox::Guest& guest, const std::string& extension) {
  const FileAccessAs guest_user(guest.uid, guest.gid);
  // It may be there already, empty, made with the sandbox.
  const std::string name = "code/main." + extension;
  guest.program.reset(::openat(guest.scratch.get(), name.c_str(),
                               O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!guest.program) return Err(Error::from_errno("create " + name));
  return {};
}

Result<> write_guest_files(sandbox::Guest& guest, const ExecutionRequest& request,
                           const LanguageProfile& profile, const std::string& workspace_path) {
  if (!guest.program) COVE_TRY(make_program_file(guest, profile.extension));
  COVE_TRY(write_bytes(guest.program.get(), request.code));
  guest.program.reset();
  if (request.files.empty() && !request.input) return {};
  const FileAccessAs guest_user(guest.uid, guest.gid);
  const int scratch = guest.scratch.get();
  if (request.input) {
    COVE_TRY(write_file(scratch, "code/input.json", json::serialize(*request.input)));
  }
  const auto& shown = request.policy.filesystem;
  const bool host_directory = shown.kind == FilesystemPolicy::Kind::WorkspaceReadWrite;
  COVE_ASSIGN(const UniqueFd workspace, host_directory
                                            ? open_directory(AT_FDCWD, shown.root.c_str())
                                            : open_directory(scratch, "workspace"));
  for (const auto& file : request.files) {
    COVE_TRY(write_nested(workspace.get(), file.name, file.content));
    if (profile.link_files) COVE_TRY(link_beside_program(scratch, file.name, workspace_path));
  }
  return {};
}

}  // namespace cove
