/// Writes uncompressed frames with times in microseconds as a Matroska stream. ffmpeg reads this stream from a pipe.
/// Raw frames alone would have no times.
///
/// **Source:** RFC 9559, “Matroska Media Container Format Specification”; RFC 8794, “EBML”.
package enum MatroskaFrames {
  /// How the frames of a track are stored.
  package enum Format: String {
    /// Red, green and blue bytes.
    case pixels = "RGB\u{18}"
    /// Planes of luma and chroma, the latter at half of both sides.
    case planes = "I420"
  }

  /// Returns the header: one video track.
  package static func header(width: Int, height: Int, format: Format = .pixels) -> [UInt8] {
    let ebml: [UInt8] =
      integer([0x42, 0x86], 1) + integer([0x42, 0xF7], 1) + integer([0x42, 0xF2], 4)
      + integer([0x42, 0xF3], 8) + text([0x42, 0x82], "matroska") + integer([0x42, 0x87], 4)
      + integer([0x42, 0x85], 2)
    // One unit of the cluster's time is 1,000 ns.
    let information: [UInt8] =
      integer([0x2A, 0xD7, 0xB1], 1000) + text([0x4D, 0x80], "atelier")
      + text([0x57, 0x41], "atelier")
    let video: [UInt8] =
      integer([0xB0], width) + integer([0xBA], height)
      + element([0x2E, 0xB5, 0x24], Array(format.rawValue.utf8))
    let track: [UInt8] =
      integer([0xD7], 1) + integer([0x73, 0xC5], 1) + integer([0x83], 1) + integer([0x9C], 0)
      + text([0x86], "V_UNCOMPRESSED") + element([0xE0], video)
    return element([0x1A, 0x45, 0xDF, 0xA3], ebml)
      // A segment of unknown length.
      + [0x18, 0x53, 0x80, 0x67, 0x01] + [UInt8](repeating: 0xFF, count: 7)
      + element([0x15, 0x49, 0xA9, 0x66], information)
      + element([0x16, 0x54, 0xAE, 0x6B], element([0xAE], track))
  }

  /// Returns the bytes before a frame of `byteCount` bytes: a cluster with one block.
  package static func prefix(time: Int64, byteCount: Int) -> [UInt8] {
    let clock: [UInt8] = integer([0xE7], Int(max(0, time)))
    let block: [UInt8] = [0xA3] + length(byteCount + 4) + [0x81, 0, 0, 0x80]
    return [0x1F, 0x43, 0xB6, 0x75] + length(clock.count + block.count + byteCount) + clock + block
  }

  private static func element(_ identifier: [UInt8], _ content: [UInt8]) -> [UInt8] {
    identifier + length(content.count) + content
  }

  private static func text(_ identifier: [UInt8], _ text: String) -> [UInt8] {
    element(identifier, Array(text.utf8))
  }

  private static func integer(_ identifier: [UInt8], _ value: Int) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(truncatingIfNeeded: value)]
    var rest: Int = value >> 8
    while rest > 0 {
      bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
      rest >>= 8
    }
    return element(identifier, bytes)
  }

  /// A length of eight bytes.
  private static func length(_ count: Int) -> [UInt8] {
    [0x01] + stride(from: 48, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> $0) }
  }
}
