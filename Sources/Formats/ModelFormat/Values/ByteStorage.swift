import Foundation

/// Memory that `ByteValues` and `FloatValues` refer to. The memory lives as long as the last value that refers to it.
///
/// `@unchecked Sendable`: the bytes of a slice never change. ``ByteValues`` appends bytes to an `OwnedBytes` only after
/// the end of its last slice, and only while no other value refers to the storage.
public class ByteStorage: @unchecked Sendable {
  /// The first byte, or nil for an empty storage.
  let base: UnsafeMutableRawPointer?
  /// The number of readable bytes.
  let count: Int
  /// The number of writable bytes. Zero for mapped files.
  let writableCapacity: Int

  init(base: UnsafeMutableRawPointer?, count: Int, writableCapacity: Int) {
    self.base = base
    self.count = count
    self.writableCapacity = writableCapacity
  }

  /// Lets the system drop these bytes of a mapped file from memory. The next access reads them again.
  func releasePages(_ range: Range<Int>) {}
}

/// Allocated memory, aligned to a cache line.
final class OwnedBytes: ByteStorage, @unchecked Sendable {
  init(capacity: Int) {
    let base = UnsafeMutableRawPointer.allocate(byteCount: max(capacity, 1), alignment: 64)
    super.init(base: base, count: capacity, writableCapacity: capacity)
  }

  deinit {
    base?.deallocate()
  }
}

/// Allocated memory for decrypted data. Core dumps omit this memory.
final class SecretBytes: ByteStorage, @unchecked Sendable {
  init(capacity: Int) throws {
    let size: Int = max(capacity, 1)
    guard
      let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      base != MAP_FAILED
    else {
      throw ModelFormatError(
        code: .unreadable,
        message: "\(capacity) bytes of memory for decrypted data could not be allocated:"
          + " \(systemMessage(errno)).")
    }
    // On a system that does not know this advice, core dumps include the memory, but nothing else changes.
    _ = madvise(base, size, MADV_DONTDUMP)
    super.init(base: base, count: capacity, writableCapacity: capacity)
  }

  deinit {
    if let base { munmap(base, max(count, 1)) }
  }
}

/// A file that is mapped read-only into memory. The system reads its pages on first access.
///
/// The mapping ends when its last slice is released. If another process truncates the file while it is mapped, this
/// process ends with SIGBUS. So do not overwrite a model file: rename a new file to its path.
public final class MappedFile: ByteStorage, @unchecked Sendable {
  /// Maps a regular file.
  public init(path: String) throws {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
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

  /// Files of this many bytes or more are opened without read-ahead. Such files consist mostly of weights, and opening
  /// a model does not need weights.
  private static let readAheadLimit = 8 << 20

  /// Calls `body`, which reads a few bytes between weights. Then releases the pages that `body` read.
  ///
  /// For each access, the kernel may read and map 2 MB around the accessed bytes. The advice for random access
  /// (`MADV_RANDOM`) prevents that. A file with 500 MB of weights in 100 layers opened from a cold disk in 0.02 s with
  /// this advice, and in 0.6 s without it.
  func whileReadingStructure<R>(_ body: (ByteValues) throws -> R) rethrows -> R {
    guard let base, count >= MappedFile.readAheadLimit else { return try body(bytes) }
    // Releasing pages loses no data, because nobody writes to the mapping. The advice may fail: it only saves time.
    _ = madvise(base, count, MADV_RANDOM)
    defer {
      _ = madvise(base, count, MADV_DONTNEED)
      _ = madvise(base, count, MADV_NORMAL)
    }
    return try body(bytes)
  }

  /// Releases the pages that are entirely within these bytes. No data are lost, because nobody writes to the mapping.
  override func releasePages(_ range: Range<Int>) {
    let page: Int = Int(sysconf(Int32(_SC_PAGESIZE)))
    let first: Int = (range.lowerBound + page - 1) / page * page
    let end: Int = range.upperBound / page * page
    if let base, end > first { _ = madvise(base + first, end - first, MADV_DONTNEED) }
  }

  /// The whole file.
  public var bytes: ByteValues { ByteValues(storage: self, start: 0, count: count) }
}

/// Describes the type of a file that is not a regular file.
func fileKind(_ mode: mode_t) -> String {
  switch mode & S_IFMT {
  case S_IFDIR: "a folder"
  case S_IFIFO: "a pipe"
  case S_IFSOCK: "a socket"
  case S_IFCHR, S_IFBLK: "a device"
  default: "not a file"
  }
}

extension Data {
  /// Reads the bytes of a regular file. Throws for folders, pipes and devices, because reading them could wait without
  /// end.
  init(contentsOfRegularFile url: URL) throws {
    let file = try MappedFile(path: url.path)
    self = file.bytes.withUnsafeBytes { Data($0) }
  }
}

/// Returns the system's message for an `errno`.
func systemMessage(_ code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
