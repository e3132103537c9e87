import CFiles
import Glibc

/// A file or folder that is made under a hidden name beside its target and then takes the target's
/// place: it appears complete or not at all, whenever the process or the machine stops.
///
/// The draft is locked while it is made. Drafts of the same target that nobody holds a lock on were
/// left by processes that are gone; they are removed when the next draft of the target is made.
/// Not to be used by two threads at once.
public final class Draft {
  /// What is to be replaced or made.
  public let target: String
  /// Where the draft lies.
  public let path: String
  /// Whether it is a folder.
  public let isFolder: Bool
  /// The open file, or the open folder; its lock says that somebody lives who makes it.
  public let descriptor: Int32
  private var isPlaced = false

  /// Makes an empty draft.
  ///
  /// - Throws: `FileError` where the target's folder is missing or cannot be written to.
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

  /// Makes and locks a file or folder; nil where the name is taken, or another process took the new
  /// one for abandoned before it was locked.
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
    // Where the file system knows no locks nothing is ever cleaned, and nothing else is lost. A lock of
    // another process is that of one which is about to remove the draft.
    let isTaken: Bool = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    guard !isTaken, isAt(path, descriptor) else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Whether the open file is the one that the path names.
  static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
    var (named, opened) = (stat(), stat())
    return lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0
      && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev
  }

  // MARK: Filling

  /// Adds bytes to a file.
  public func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest: UnsafeRawBufferPointer = bytes
    while !rest.isEmpty {
      // Safe: the system reads no more than the buffer has.
      let count: Int = Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileError(target, "written") }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  // MARK: Placing

  /// Puts the draft into the target's place, with all its bytes on the disk before it is named so.
  ///
  /// A file replaces a file, a folder a folder: in one step where the file system can exchange names.
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

  /// For file systems that cannot exchange names. Should the process stop between the two steps, the
  /// next draft of the target puts the old folder back.
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
