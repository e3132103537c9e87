import Platform

/// Whether the memory that pixels take is there, asked before it is filled.
enum MemoryRoom {
  /// Throws where so many bytes are not free now.
  ///
  /// - Parameters:
  ///   - limit: what may be taken; nil for what the machine has free.
  ///   - thing: what needs them, as the beginning of a sentence.
  static func require(
    _ bytes: Int, of limit: Int? = nil, for thing: @autoclosure () -> String
  ) throws {
    guard bytes >= SystemMemory.smallByteCount else { return }
    let free: Int = limit ?? SystemMemory().available
    guard bytes > free else { return }
    throw ImagingError(
      code: .outOfMemory,
      message: "\(thing()) needs \(gigabytes(bytes)) of memory, and \(gigabytes(free)) is free."
        + " Use a smaller picture.")
  }

  private static func gigabytes(_ bytes: Int) -> String {
    let hundredths: Int = bytes / 10_000_000 + (bytes % 10_000_000 >= 5_000_000 ? 1 : 0)
    let fraction: Int = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) GB"
  }
}

extension Picture {
  /// Throws where the memory for pixels beside this module's own is not free now.
  public static func requireMemory(
    _ bytes: Int, for thing: @autoclosure () -> String
  ) throws {
    try MemoryRoom.require(bytes, for: thing())
  }
}
