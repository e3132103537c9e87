import CFiles
import Glibc

/// A file or folder that a caller writes under a hidden name beside a target. When the draft is complete, it replaces
/// the target. Even if the process or the machine stops at any time, the target is either unchanged or completely
/// replaced. There is one exception: on a file system that cannot exchange names, a folder may be missing until the
/// next draft of the same target restores it.
///
/// The process that writes a draft holds a lock on the draft. If a draft is not locked, the process that wrote it has
/// ended, and the next draft of the same target removes the abandoned one. Two threads must not use a draft at once.
public final class Draft {
  /// The path of the file or folder to replace or create.
  public let target: String
  /// The path of the draft, beside the target.
  public let path: String
  /// Whether the draft is a folder.
  public let isFolder: Bool
  /// The descriptor of the draft, which holds the lock.
  public let descriptor: Int32
  /// Whether the draft has replaced the target. If not, `deinit` removes the draft.
  private var isPlaced = false

  /// Makes an empty draft.
  ///
  /// - Throws: `FileError` if the target's folder is missing or cannot be written to.
  public init(of target: String, isFolder: Bool = false) throws {
    self.target = target
    self.isFolder = isFolder
    let (folder, name) = DraftName.split(target)
    Self.clean(folder, name)
    while true {
      let path = "\(folder)/\(DraftName.make(name, ending: DraftName.draft))"
      if let descriptor = try Self.create(path, isFolder: isFolder) {
        self.path = path
        self.descriptor = descriptor
        return
      }
    }
  }

  deinit {
    if !isPlaced { Self.remove(path) }
    close(descriptor)
  }

  /// Creates and locks a file or folder. Returns nil if the name is taken, or if another process removed the draft
  /// before it was locked.
  private static func create(_ path: String, isFolder: Bool) throws -> Int32? {
    if isFolder, mkdir(path, 0o777) != 0 {
      guard errno == EEXIST else { throw FileError(path, "made") }
      return nil
    }
    let descriptor: Int32 =
      isFolder
      ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else {
      let code: Int32 = errno
      if isFolder { rmdir(path) }
      guard code == EEXIST || (isFolder && code == ENOENT) else {
        throw FileError(path, "made", code: code)
      }
      return nil
    }
    // If the file system has no locks, abandoned drafts are not removed, which is harmless. If another process has
    // locked this draft, that process is about to remove it.
    let isTaken: Bool = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    guard !isTaken, isAt(path, descriptor) else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Returns whether the path still names the open file.
  static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
    var (named, opened) = (stat(), stat())
    return lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0
      && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev
  }

  // MARK: Filling

  /// Appends bytes to the draft, which must be a file.
  public func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest: UnsafeRawBufferPointer = bytes
    while !rest.isEmpty {
      // Safe: the system reads only the bytes of `rest`.
      let count: Int = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileError(target, "written") }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  // MARK: Placing

  /// Replaces the target with the draft, after all bytes of the draft are on the disk.
  ///
  /// A file can replace a file, and a folder can replace a folder. For files, the replacement is one atomic step. For
  /// folders, it is one atomic step if the file system can exchange names.
  public func place() throws {
    if isFolder {
      try Self.synchronize(folder: path)
      try placeFolder()
    } else {
      guard fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS else {
        throw FileError(target, "written")
      }
      guard rename(path, target) == 0 else { throw FileError(target, "put in its place") }
    }
    isPlaced = true
    Self.synchronize(path: DraftName.split(target).folder)
  }

  private func placeFolder() throws {
    var status = stat()
    guard lstat(target, &status) == 0 else {
      guard rename(path, target) == 0 else { throw FileError(target, "put in its place") }
      return
    }
    let kind: mode_t = status.st_mode & S_IFMT
    guard kind == S_IFDIR || kind == S_IFLNK else {
      throw FileError(target, "replaced by a folder", code: ENOTDIR)
    }
    let code: Int32 = cfiles_exchange(path, target)
    if code == 0 {
      Self.remove(path)
      return
    }
    guard [EINVAL, ENOSYS, ENOTSUP, EPERM].contains(code) else {
      throw FileError(target, "put in its place", code: code)
    }
    try replaceInTwoSteps()
  }

  /// Renames the old folder, then the draft, for file systems that cannot exchange names. If the process stops between
  /// the two steps, the next draft of the target restores the old folder.
  func replaceInTwoSteps() throws {
    let (folder, name) = DraftName.split(target)
    let old = "\(folder)/\(DraftName.make(name, ending: DraftName.replaced))"
    guard rename(target, old) == 0 else { throw FileError(target, "put in its place") }
    guard rename(path, target) == 0 else {
      let code: Int32 = errno
      rename(old, target)
      throw FileError(target, "put in its place", code: code)
    }
    Self.remove(old)
  }
}
