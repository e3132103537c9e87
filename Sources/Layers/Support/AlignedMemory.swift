/// Memory aligned to 64 bytes that a step owns.
///
/// `@unchecked Sendable`: written before it is shared, read only afterwards.
final class AlignedMemory: @unchecked Sendable {
  /// The first byte.
  let start: UnsafeMutableRawPointer
  /// The size in bytes.
  let byteCount: Int

  /// A copy of the values.
  init(_ values: [Float]) {
    byteCount = values.count * MemoryLayout<Float>.stride
    start = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 64), alignment: 64)
    // Safe: the memory holds as many floats as are copied.
    values.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Void in
      guard let source = bytes.baseAddress else { return }
      start.copyMemory(from: source, byteCount: bytes.count)
    }
  }

  deinit { start.deallocate() }

  /// The memory as floats.
  var floats: UnsafePointer<Float> { UnsafePointer(start.assumingMemoryBound(to: Float.self)) }
}
