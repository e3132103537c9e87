import Glibc

extension Draft {
  /// Removes the drafts of a target that no living process makes, and ends a replacement that stopped
  /// half-way.
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
      // A pipe of that name would be waited for without O_NONBLOCK.
      let descriptor: Int32 = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { remove(path) }
      close(descriptor)
    }
  }

  /// Removes a file, or a folder with all that is in it; links are removed and not followed.
  static func remove(_ path: String) {
    guard unlink(path) != 0, errno == EISDIR || errno == EPERM else { return }
    for entry in entries(of: path) { remove(entry) }
    rmdir(path)
  }

  /// The paths of what a folder holds.
  static func entries(of folder: String) -> [String] {
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var found: [String] = []
    while let entry = readdir(listing) {
      // Safe: the system ends the name with a zero within the entry.
      let name: String = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { found.append("\(folder)/\(name)") }
    }
    return found
  }

  /// Waits until a folder's files and names are on the disk.
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

  /// Waits until a file or a folder's names are on the disk; false where the system cannot.
  @discardableResult
  static func synchronize(path: String) -> Bool {
    let descriptor: Int32 = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }
}
