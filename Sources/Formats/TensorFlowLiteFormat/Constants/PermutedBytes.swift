import Tensors

/// Numbers in a mapped file, presented with their axes in another order. Every read permutes the numbers. So no second
/// copy of them stays in memory between reads.
struct PermutedBytes: ByteSource {
  /// The numbers in the file's order.
  let source: any ByteSource
  /// The extents in the file's order.
  let shape: [Int]
  /// The axes of the result, as indices of the file's axes.
  let axes: [Int]
  /// The size of a number, in bytes.
  let size: Int

  var byteCount: Int { source.byteCount }

  func releasePages() { source.releasePages() }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    let moved: [UInt8] = source.withBytes { bytes in
      [UInt8](unsafeUninitializedCapacity: bytes.count) { target, count in
        move(bytes, to: target)
        count = bytes.count
      }
    }
    return try moved.withUnsafeBytes(body)
  }

  private func move(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableBufferPointer<UInt8>) {
    let steps: [Int] = Shape(shape).strides
    let extents: [Int] = axes.map { shape[$0] }
    let strides: [Int] = axes.map { steps[$0] * size }
    guard let from = bytes.baseAddress, let to = target.baseAddress, !extents.contains(0) else {
      return
    }
    var index = [Int](repeating: 0, count: extents.count)
    var (read, written) = (0, 0)
    while written < bytes.count {
      // Safe: both buffers hold as many numbers as the shape counts. The caller has checked this.
      (to + written).withMemoryRebound(to: UInt8.self, capacity: size) {
        $0.update(from: (from + read).assumingMemoryBound(to: UInt8.self), count: size)
      }
      written += size
      var axis: Int = extents.count - 1
      while axis >= 0 {
        index[axis] += 1
        read += strides[axis]
        if index[axis] < extents[axis] { break }
        read -= index[axis] * strides[axis]
        index[axis] = 0
        axis -= 1
      }
    }
  }
}

/// 4-bit integers, presented as integers of one byte. Every read widens the integers.
struct WidenedNibbles: ByteSource {
  /// The packed integers: two per byte, the first in the low bits.
  let source: any ByteSource
  /// The number of integers.
  let byteCount: Int
  /// Whether the highest bit of an integer is its sign.
  let isSigned: Bool

  func releasePages() { source.releasePages() }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    let widened: [UInt8] = source.withBytes { bytes in
      (0..<byteCount).map { index in
        let nibble: UInt8 = index % 2 == 0 ? bytes[index / 2] & 15 : bytes[index / 2] >> 4
        return isSigned && nibble > 7 ? nibble | 0xF0 : nibble
      }
    }
    return try widened.withUnsafeBytes(body)
  }
}
