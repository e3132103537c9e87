import Foundation

/// Memory that byte and float slices point into; it lives as long as the last slice.
///
/// `@unchecked Sendable`: the bytes that a slice covers never change. `OwnedBytes` may be appended
/// to behind its last slice, and only while one reference to it exists.
public class ByteStorage: @unchecked Sendable {
  /// The first byte, or nil for an empty storage.
  let base: UnsafeMutableRawPointer?
  /// How many bytes may be read.
  let count: Int
  /// How many bytes may be written to: zero for files.
  let writableCapacity: Int

  init(base: UnsafeMutableRawPointer?, count: Int, writableCapacity: Int) {
    self.base = base
    self.count = count
    self.writableCapacity = writableCapacity
  }

  /// Tells the system that some bytes are not needed for a while; for those of files.
  func giveBackPages(_ range: Range<Int>) {}
}

/// Memory of our own, aligned to a cache line.
final class OwnedBytes: ByteStorage, @unchecked Sendable {
  init(capacity: Int) {
    let base = UnsafeMutableRawPointer.allocate(byteCount: max(capacity, 1), alignment: 64)
    super.init(base: base, count: capacity, writableCapacity: capacity)
  }

  deinit {
    base?.deallocate()
  }
}

/// Memory of our own that no core dump holds: for what was encrypted.
final class SecretBytes: ByteStorage, @unchecked Sendable {
  init(capacity: Int) throws {
    let size: Int = max(capacity, 1)
    guard
      let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      base != MAP_FAILED
    else {
      throw ModelFormatError(
        code: .unreadable,
        message: "\(capacity) bytes of memory for what is decrypted could not be had:"
          + " \(systemMessage(errno)).")
    }
    // Advice that a system does not know leaves the memory as good as other memory.
    _ = madvise(base, size, MADV_DONTDUMP)
    super.init(base: base, count: capacity, writableCapacity: capacity)
  }

  deinit {
    if let base { munmap(base, max(count, 1)) }
  }
}

/// A file mapped read-only into memory; pages are read when they are touched.
///
/// The mapping ends with the last slice of it. A file that another process truncates while it is
/// mapped ends this process (SIGBUS); replace model files by renaming.
public final class MappedFile: ByteStorage, @unchecked Sendable {
  /// Maps a regular file.
  public init(path: String) throws {
    // Without O_NONBLOCK a named pipe would wait for a writer here.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw ModelFormatError(
        code: .unreadable, message: "'\(path)' cannot be opened: \(systemMessage(errno)).")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw ModelFormatError(
        code: .unreadable, message: "'\(path)' cannot be read: \(systemMessage(errno)).")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ModelFormatError(
        code: .unreadable,
        message: "'\(path)' is \(fileKind(status.st_mode)), expected a file. "
          + "Write the model into a file first.")
    }
    let count = Int(status.st_size)
    guard count > 0 else {
      super.init(base: nil, count: 0, writableCapacity: 0)
      return
    }
    guard let base = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), base != MAP_FAILED
    else {
      throw ModelFormatError(
        code: .unreadable, message: "'\(path)' cannot be mapped: \(systemMessage(errno)).")
    }
    super.init(base: base, count: count, writableCapacity: 0)
  }

  deinit {
    if let base { munmap(base, count) }
  }

  /// Where a file is large its weights are, and reading ahead would read them for nothing.
  private static let readAheadLimit = 8 << 20

  /// Calls `body`, which touches a few bytes between weights, and gives back the pages it touched.
  ///
  /// For each touch the kernel may read and map two megabytes around it: 500 MB of weights in 100
  /// layers opened in 0.6 s from a cold disk, and in 0.02 s with this advice.
  func whileReadingStructure<R>(_ body: (ByteValues) throws -> R) rethrows -> R {
    guard let base, count >= MappedFile.readAheadLimit else { return try body(bytes) }
    // Nothing is written to the mapping, so nothing is lost; advice may be refused without harm.
    _ = madvise(base, count, MADV_RANDOM)
    defer {
      _ = madvise(base, count, MADV_DONTNEED)
      _ = madvise(base, count, MADV_NORMAL)
    }
    return try body(bytes)
  }

  /// Gives back the pages that hold these bytes alone. Nothing is written to the mapping, so nothing is lost.
  override func giveBackPages(_ range: Range<Int>) {
    let page: Int = Int(sysconf(Int32(_SC_PAGESIZE)))
    let first: Int = (range.lowerBound + page - 1) / page * page
    let end: Int = range.upperBound / page * page
    if let base, end > first { _ = madvise(base + first, end - first, MADV_DONTNEED) }
  }

  /// The whole file.
  public var bytes: ByteValues { ByteValues(storage: self, start: 0, count: count) }
}

/// What the mode of something that is not a file says, in words.
func fileKind(_ mode: mode_t) -> String {
  switch mode & S_IFMT {
  case S_IFDIR: "a folder"
  case S_IFIFO: "a pipe"
  case S_IFSOCK: "a socket"
  case S_IFCHR, S_IFBLK: "a device"
  default: "no file"
  }
}

extension Data {
  /// The bytes of a regular file; throws for folders, pipes and devices rather than wait for them.
  init(contentsOfRegularFile url: URL) throws {
    let file = try MappedFile(path: url.path)
    self = file.bytes.withUnsafeBytes { Data($0) }
  }
}

/// The system's words for an `errno`.
func systemMessage(_ code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
