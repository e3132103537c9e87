import Glibc

extension Draft {
  /// Removes those drafts of a target that no running process writes, and completes an interrupted replacement.
  static func clean(_ folder: String, _ name: String) {
    for path in DraftName.leftovers(of: name, in: folder, ending: DraftName.replaced) {
      var status = stat()
      if lstat("\(folder)/\(name)", &status) == 0 {
        remove(path)
      } else {
        rename(path, "\(folder)/\(name)")
      }
    }
    for path in DraftName.leftovers(of: name, in: folder, ending: DraftName.draft) {
      // Without O_NONBLOCK, opening would block if a pipe had that name.
      let descriptor: Int32 = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { remove(path) }
      close(descriptor)
    }
  }

  /// Removes a file, or a folder with its content. Removes links and does not follow them.
  static func remove(_ path: String) {
    guard unlink(path) != 0, errno == EISDIR || errno == EPERM else { return }
    for entry in entries(of: path) { remove(entry) }
    rmdir(path)
  }

  /// Returns the paths of the entries of a folder.
  static func entries(of folder: String) -> [String] {
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var found: [String] = []
    while let entry = readdir(listing) {
      // Safe: the system ends the name with a zero byte within the entry.
      let name: String = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { found.append("\(folder)/\(name)") }
    }
    return found
  }

  /// Waits until the files of a folder, and the folder's list of names, are on the disk.
  static func synchronize(folder: String) throws {
    for entry in entries(of: folder) {
      var status = stat()
      guard lstat(entry, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: try synchronize(folder: entry)
      case S_IFREG:
        guard synchronize(path: entry) || errno == EINVAL || errno == EROFS else {
          throw FileError(entry, "written")
        }
      default: break
      }
    }
    synchronize(path: folder)
  }

  /// Waits until a file's bytes, or a folder's list of names, are on the disk. Returns false if the system cannot do
  /// this.
  @discardableResult
  static func synchronize(path: String) -> Bool {
    let descriptor: Int32 = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }
}
