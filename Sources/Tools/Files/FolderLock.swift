import Glibc

/// An exclusive lock on a folder. It lasts until this object is released or the process ends in any way.
///
/// The lock is on the file `lock` in the folder. Releasing the lock removes this file.
public final class FolderLock: Sendable {
  /// Another process, or another part of this process, holds the lock.
  public struct Taken: Error {}

  private let path: String
  private let descriptor: Int32

  /// Acquires the lock.
  ///
  /// - Throws: `Taken`, or `FileError` if the folder is missing or cannot be written to.
  public init(_ folder: String) throws {
    path = "\(folder)/lock"
    while true {
      let descriptor: Int32 = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
      guard descriptor >= 0 else { throw FileError(path, "made") }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let code: Int32 = errno
        close(descriptor)
        guard code == EWOULDBLOCK else { throw FileError(path, "locked", code: code) }
        throw Taken()
      }
      // The previous owner may have removed the file after it was opened here, and before it was locked here.
      if Draft.isAt(path, descriptor) {
        self.descriptor = descriptor
        return
      }
      close(descriptor)
    }
  }

  deinit {
    unlink(path)
    close(descriptor)
  }
}
