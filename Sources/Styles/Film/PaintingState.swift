import Foundation
import Imaging

/// The data of earlier frames that painting the next frame of a film needs.
struct PaintingState: Sendable {
  /// The number of frames of the shot so far.
  var shotFrames: Int = 0
  /// The held statistics of the network's norms (``NormStatistics/values``).
  var norms: [Double] = []
  /// The state of the colours (``ShotPalette/state``).
  var colors: [Double] = []
  /// The last frame of the film. Nil before the first one.
  var lastFrame: Picture?
  /// The last blended painting, four samples of 16 bits for each pixel. Empty if paintings are not blended.
  var blended: [UInt16] = []

  /// The states of other styles, into which the film's style changes.
  var others: [PaintingState] = []

  init() {}

  /// The state as bytes: six counts of 8 bytes, then the numbers, the pixels and the samples. Then for each other state
  /// its length in 8 bytes, and its bytes.
  var bytes: Data {
    var result = Data()
    func add(_ number: Int) {
      withUnsafeBytes(of: Int64(number).littleEndian) { result.append(contentsOf: $0) }
    }
    for number in [
      shotFrames, norms.count, colors.count, lastFrame?.width ?? 0, lastFrame?.height ?? 0,
      blended.count,
    ] { add(number) }
    (norms + colors).withUnsafeBytes { result.append(contentsOf: $0) }
    lastFrame?.withPixels { result.append(contentsOf: $0) }
    blended.withUnsafeBytes { result.append(contentsOf: $0) }
    for other in others {
      let bytes: Data = other.bytes
      add(bytes.count)
      result.append(bytes)
    }
    return result
  }

  /// Reads a state. Nil if the bytes have another length than they say.
  init?(_ data: Data) {
    // A part of data would keep its indices.
    let bytes = Data(data)
    guard bytes.count >= 48 else { return nil }
    let counts: [Int] = (0..<6).map { index in
      bytes.withUnsafeBytes {
        Int(truncatingIfNeeded: $0.loadUnaligned(fromByteOffset: index * 8, as: Int64.self))
      }
    }
    guard counts.allSatisfy({ $0 >= 0 && $0 < 1 << 40 }) else { return nil }
    let numbers: Int = counts[1] + counts[2]
    let (area, overflows) = counts[3].multipliedReportingOverflow(by: counts[4])
    guard !overflows, area < 1 << 40, bytes.count >= 48 + numbers * 8 + area * 3 + counts[5] * 2
    else {
      return nil
    }
    var offset: Int = 48
    func values<Value: BitwiseCopyable>(_ count: Int, _ zero: Value) -> [Value] {
      defer { offset += count * MemoryLayout<Value>.stride }
      var result = [Value](repeating: zero, count: count)
      result.withUnsafeMutableBytes { target in
        bytes.withUnsafeBytes { source in
          target.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: source[offset..<offset + target.count]))
        }
      }
      return result
    }
    shotFrames = counts[0]
    norms = values(counts[1], 0.0)
    colors = values(counts[2], 0.0)
    let pixels: [UInt8] = values(area * 3, 0)
    lastFrame = area > 0 ? try? Picture(width: counts[3], height: counts[4], pixels: pixels) : nil
    blended = values(counts[5], 0)
    while offset < bytes.count {
      guard bytes.count - offset >= 8 else { return nil }
      let length: Int64 = values(1, 0)[0]
      guard length >= 0, length <= Int64(bytes.count - offset),
        let other = PaintingState(bytes[offset..<offset + Int(length)])
      else { return nil }
      others.append(other)
      offset += Int(length)
    }
  }
}
