import Glibc

/// The right to work in a folder alone, held until the value goes or the process ends in whatever way.
///
/// It is a lock on the folder's file `lock`, which is removed when the right is given back.
public final class FolderLock: Sendable {
  /// Another process, or another part of this one, works in the folder.
  public struct Taken: Error {}

  private let path: String
  private let descriptor: Int32

  /// Takes the right.
  ///
  /// - Throws: `Taken`, or `FileError` where the folder is missing or cannot be written to.
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
      // The one before may have removed the file between our opening and our locking.
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
