import Foundation

@testable import Imaging

// The tests create these image files byte by byte. So they do not test the reading library with its own output.

/// A temporary folder for one test.
struct TemporaryFolder: ~Copyable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "atelier-imaging-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}

/// Creates a gradient. Red increases from left to right, green increases from top to bottom, and blue is constant.
func gradient(width: Int, height: Int, alpha: Bool = false) throws -> Picture {
  var pixels: [UInt8] = []
  var opacity: [UInt8] = []
  for y in 0..<height {
    for x in 0..<width {
      pixels.append(UInt8(x * 255 / max(1, width - 1)))
      pixels.append(UInt8(y * 255 / max(1, height - 1)))
      pixels.append(77)
      opacity.append(UInt8((x + y) * 255 / (width + height - 2)))
    }
  }
  return try Picture(
    width: width, height: height, pixels: pixels, alpha: alpha ? opacity : nil)
}

extension Picture {
  /// Returns the red, green and blue samples of one pixel.
  func pixel(_ x: Int, _ y: Int) -> [Int] {
    let start: Int = (y * width + x) * 3
    return withPixels { [Int($0[start]), Int($0[start + 1]), Int($0[start + 2])] }
  }

  /// Returns the largest difference from another image's samples, or 256 if the sizes differ.
  func largestDifference(to other: Picture) -> Int {
    guard width == other.width, height == other.height else { return 256 }
    return zip(pixels, other.pixels).reduce(0) { (worst: Int, pair: (UInt8, UInt8)) -> Int in
      max(worst, abs(Int(pair.0) - Int(pair.1)))
    }
  }
}

extension Data {
  mutating func appendBig(_ value: UInt32) {
    for shift: UInt32 in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  mutating func appendLittle16(_ value: Int) {
    append(UInt8(truncatingIfNeeded: value))
    append(UInt8(truncatingIfNeeded: value >> 8))
  }

  mutating func appendLittle32(_ value: Int) {
    appendLittle16(value & 0xFFFF)
    appendLittle16(value >> 16)
  }
}

/// Adds an EXIF segment to a JPEG. The segment contains only an orientation.
func addingOrientation(_ orientation: Int, toJPEG jpeg: Data) -> Data {
  var segment = Data("Exif\0\0MM".utf8)
  segment.append(contentsOf: [0, 42, 0, 0, 0, 8, 0, 1])
  segment.append(contentsOf: [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0])
  segment.append(contentsOf: [0, 0, 0, 0])
  let length: Int = segment.count + 2
  var result = Data([0xFF, 0xD8, 0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)])
  result.append(segment)
  result.append(jpeg.dropFirst(2))
  return result
}

/// Creates a PNG according to the PNG specification. The pixels are in Deflate blocks that are stored, not compressed.
/// This function adds the filter byte of each row, so `rows` contain only samples.
func png(
  width: Int, height: Int, bitDepth: UInt8, colourType: UInt8, rows: [[UInt8]]
) -> Data {
  var header = Data()
  header.appendBig(UInt32(width))
  header.appendBig(UInt32(height))
  header.append(contentsOf: [bitDepth, colourType, 0, 0, 0])
  let raw: [UInt8] = rows.flatMap { [0] + $0 }
  var stream = Data([0x78, 0x01])
  var rest: ArraySlice<UInt8> = raw[...]
  repeat {
    let block: ArraySlice<UInt8> = rest.prefix(65535)
    rest = rest.dropFirst(block.count)
    stream.append(rest.isEmpty ? 1 : 0)
    stream.appendLittle16(block.count)
    stream.appendLittle16(~block.count & 0xFFFF)
    stream.append(contentsOf: block)
  } while !rest.isEmpty
  var sums: (UInt32, UInt32) = (1, 0)
  for byte in raw {
    sums.0 = (sums.0 + UInt32(byte)) % 65521
    sums.1 = (sums.1 + sums.0) % 65521
  }
  stream.appendBig(sums.1 << 16 | sums.0)
  var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
  for (kind, body) in [("IHDR", header), ("IDAT", stream), ("IEND", Data())] {
    var chunk = Data(kind.utf8)
    chunk.append(body)
    file.appendBig(UInt32(body.count))
    file.append(chunk)
    file.appendBig(checksum(chunk))
  }
  return file
}

/// Computes the CRC-32 of a PNG chunk.
private func checksum(_ bytes: Data) -> UInt32 {
  var value: UInt32 = 0xFFFF_FFFF
  for byte in bytes {
    value ^= UInt32(byte)
    for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }
  return ~value
}

/// Creates an uncompressed little-endian TIFF with one strip.
///
/// - Parameters:
///   - photometric: 1 for grey, 2 for RGB, 5 for CMYK.
///   - samples: All samples as bytes, in the order of the file.
func tiff(
  width: Int, height: Int, bits: Int, samplesPerPixel: Int, photometric: Int, samples: [UInt8],
  profile: Data? = nil
) -> Data {
  var file = Data("II".utf8)
  file.appendLittle16(42)
  file.appendLittle32(8)
  var entries: [(tag: Int, type: Int, count: Int, value: Int)] = [
    (256, 4, 1, width), (257, 4, 1, height), (258, 3, samplesPerPixel, bits), (259, 3, 1, 1),
    (262, 3, 1, photometric), (273, 4, 1, 0), (277, 3, 1, samplesPerPixel), (278, 4, 1, height),
    (279, 4, 1, samples.count),
  ]
  if let profile { entries.append((34675, 7, profile.count, 0)) }
  let afterDirectory: Int = 8 + 2 + entries.count * 12 + 4
  let bitsSize: Int = samplesPerPixel > 2 ? samplesPerPixel * 2 : 0
  let samplesAt: Int = afterDirectory + bitsSize
  file.appendLittle16(entries.count)
  for entry in entries {
    file.appendLittle16(entry.tag)
    file.appendLittle16(entry.type)
    file.appendLittle32(entry.count)
    switch entry.tag {
    case 258 where samplesPerPixel > 2: file.appendLittle32(afterDirectory)
    case 258 where samplesPerPixel == 2:
      file.appendLittle16(bits)
      file.appendLittle16(bits)
    case 273: file.appendLittle32(samplesAt)
    case 34675: file.appendLittle32(samplesAt + samples.count)
    default: file.appendLittle32(entry.value)
    }
  }
  file.appendLittle32(0)
  if bitsSize > 0 {
    for _ in 0..<samplesPerPixel { file.appendLittle16(bits) }
  }
  file.append(contentsOf: samples)
  if let profile { file.append(profile) }
  return file
}

/// Creates an ICC profile with sRGB's primaries. Its transfer curve is a power curve with the exponent `gamma`.
///
/// **Source:** ICC.1:2001-04. The primaries are adapted to D50, as in the usual profile of IEC 61966-2-1.
func powerCurveProfile(gamma: Double, description: String) -> Data {
  func fixed(_ value: Double) -> UInt32 { UInt32(bitPattern: Int32((value * 65536).rounded())) }
  func xyz(_ x: Double, _ y: Double, _ z: Double) -> Data {
    var data = Data("XYZ \0\0\0\0".utf8)
    for value in [x, y, z] { data.appendBig(fixed(value)) }
    return data
  }
  var curve = Data("curv\0\0\0\0".utf8)
  curve.appendBig(1)
  curve.append(contentsOf: [UInt8(Int(gamma * 256) >> 8), UInt8(Int(gamma * 256) & 255), 0, 0])
  var text = Data("desc\0\0\0\0".utf8)
  text.appendBig(UInt32(description.utf8.count + 1))
  text.append(Data(description.utf8))
  text.append(Data(count: 79 + (4 - (description.utf8.count + 12 + 79) % 4) % 4))
  let tags: [(String, Data)] = [
    ("desc", text), ("wtpt", xyz(0.9642, 1, 0.8249)), ("rXYZ", xyz(0.4361, 0.2225, 0.0139)),
    ("gXYZ", xyz(0.3851, 0.7169, 0.0971)), ("bXYZ", xyz(0.1431, 0.0606, 0.7141)),
    ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
  ]
  var table = Data()
  var body = Data()
  table.appendBig(UInt32(tags.count))
  for (name, content) in tags {
    table.append(Data(name.utf8))
    table.appendBig(UInt32(128 + 4 + tags.count * 12 + body.count))
    table.appendBig(UInt32(content.count))
    body.append(content)
  }
  var header = Data()
  header.appendBig(UInt32(128 + table.count + body.count))
  header.append(Data(count: 4))
  header.appendBig(0x0210_0000)
  header.append(Data("mntrRGB XYZ ".utf8))
  header.append(Data(count: 12))
  header.append(Data("acsp".utf8))
  header.append(Data(count: 28))
  for value in [0.9642, 1, 0.8249] { header.appendBig(fixed(value)) }
  header.append(Data(count: 128 - header.count))
  return header + table + body
}
