/// A directory of tags in the format of TIFF and EXIF, with its subdirectories.
///
/// Values are bytes in the byte order of their file.
///
/// **Source:** TIFF 6.0, section 2; CIPA DC-008 (Exif 2.32), 4.6.
struct TIFFTags {
  /// A tag with its value.
  struct Tag {
    var number: Int
    /// TIFF's number of the type of the elements, such as 3 for unsigned integers of 16 bits.
    var type: Int
    /// The number of elements.
    var count: Int
    var value: [UInt8]
  }

  var tags: [Tag] = []
  /// The subdirectories by the number of the tag that points to them.
  var directories: [Int: TIFFTags] = [:]

  /// The tags that point to subdirectories: EXIF, GPS, interoperability.
  static let pointers: Set<Int> = [0x8769, 0x8825, 0xA005]
  /// The tags of a TIFF's first directory that describe the photo and not the layout of the file: description, camera,
  /// resolution, program, dates, artist, copyright, and Windows' title, comment, author, keywords and subject.
  static let descriptive: Set<Int> = [
    0x010E, 0x010F, 0x0110, 0x0112, 0x011A, 0x011B, 0x0128, 0x0131, 0x0132, 0x013B, 0x8298, 0x9C9B,
    0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F, 0x8769, 0x8825,
  ]

  /// The number of bytes of an element of each type, from type 0 on.
  private static let sizes: [Int] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
  /// For each type, the number of bytes that are reversed together when the byte order changes.
  private static let units: [Int] = [0, 1, 1, 2, 4, 4, 1, 1, 2, 4, 4, 4, 8, 4]

  /// A directory without tags.
  init() {}

  /// Reads the directory at a position. Nil if it is damaged.
  ///
  /// - Parameter depth: How many levels of subdirectories are read.
  init?(_ bytes: ByteOrder, at position: Int, depth: Int = 2) {
    guard let entryCount = bytes.number(position, 2), entryCount <= 1000 else { return nil }
    for entry in 0..<entryCount {
      let at: Int = position + 2 + entry * 12
      guard let number = bytes.number(at, 2), let type = bytes.number(at + 2, 2),
        let count = bytes.number(at + 4, 4), let stated = bytes.number(at + 8, 4)
      else { return nil }
      guard type > 0, type < Self.sizes.count, count <= bytes.count else { continue }
      let size: Int = count * Self.sizes[type]
      let place: Int = size <= 4 ? at + 8 : stated
      guard place <= bytes.count, size <= bytes.count - place else { continue }
      if Self.pointers.contains(number) {
        if depth > 0 { directories[number] = TIFFTags(bytes, at: stated, depth: depth - 1) }
        continue
      }
      tags.append(
        Tag(
          number: number, type: type, count: count,
          value: Array(bytes.bytes[place..<place + size])))
    }
  }

  /// Returns only the tags that describe the photo.
  func describing() -> TIFFTags {
    var result: TIFFTags = self
    result.tags.removeAll { !Self.descriptive.contains($0.number) }
    return result
  }

  /// Returns the tags with the byte order of all values reversed.
  func swapped() -> TIFFTags {
    var result: TIFFTags = self
    for index in result.tags.indices {
      let unit: Int = Self.units[result.tags[index].type]
      guard unit > 1 else { continue }
      var value: [UInt8] = result.tags[index].value
      for start in stride(from: 0, through: value.count - unit, by: unit) {
        value[start..<start + unit].reverse()
      }
      result.tags[index].value = value
    }
    result.directories = directories.mapValues { $0.swapped() }
    return result
  }

  /// Returns the directory as bytes that follow `offset` other bytes: its subdirectories and values, then the directory
  /// itself.
  ///
  /// - Returns: The bytes, and the position of the directory in the file.
  func encoded(isBig: Bool, offset: Int) -> (bytes: [UInt8], directory: Int) {
    var result: [UInt8] = []
    var entries: [(number: Int, type: Int, count: Int, field: [UInt8])] = []
    func align() { if (offset + result.count) % 2 != 0 { result.append(0) } }
    for (number, directory) in directories {
      align()
      let (bytes, position) = directory.encoded(isBig: isBig, offset: offset + result.count)
      result += bytes
      entries.append((number, 4, 1, ByteOrder.bytes(position, 4, isBig: isBig)))
    }
    for tag in tags {
      guard tag.value.count > 4 else {
        let padding = [UInt8](repeating: 0, count: 4 - tag.value.count)
        entries.append((tag.number, tag.type, tag.count, tag.value + padding))
        continue
      }
      align()
      let place: [UInt8] = ByteOrder.bytes(offset + result.count, 4, isBig: isBig)
      entries.append((tag.number, tag.type, tag.count, place))
      result += tag.value
    }
    align()
    let position: Int = offset + result.count
    entries.sort { $0.number < $1.number }
    result += ByteOrder.bytes(entries.count, 2, isBig: isBig)
    for entry in entries {
      result += ByteOrder.bytes(entry.number, 2, isBig: isBig)
      result += ByteOrder.bytes(entry.type, 2, isBig: isBig)
      result += ByteOrder.bytes(entry.count, 4, isBig: isBig)
      result += entry.field
    }
    result += [0, 0, 0, 0]
    return (result, position)
  }
}

/// The bytes of a TIFF file or of EXIF data. The first two bytes state the byte order: `II` (little-endian) or `MM`
/// (big-endian).
struct ByteOrder {
  var bytes: [UInt8]
  let isBig: Bool

  var count: Int { bytes.count }

  /// Takes the bytes of a TIFF file or of EXIF data. Nil if they do not begin with a TIFF header.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 8 else { return nil }
    if bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
      isBig = true
    } else if bytes.starts(with: [0x49, 0x49, 0x2A, 0]) {
      isBig = false
    } else {
      return nil
    }
    self.bytes = bytes
  }

  /// The position of the first directory.
  var firstDirectory: Int? { number(4, 4) }

  /// Reads an unsigned integer of 2 or 4 bytes. Nil outside of the bytes.
  func number(_ position: Int, _ size: Int) -> Int? {
    guard position >= 0, position <= bytes.count - size else { return nil }
    return (0..<size).reduce(0) { value, index in
      value << 8 | Int(bytes[position + (isBig ? index : size - 1 - index)])
    }
  }

  /// Replaces an unsigned integer.
  mutating func set(_ position: Int, _ size: Int, to value: Int) {
    guard position >= 0, position <= bytes.count - size else { return }
    bytes.replaceSubrange(
      position..<position + size, with: Self.bytes(value, size, isBig: isBig))
  }

  /// The bytes of an unsigned integer.
  static func bytes(_ value: Int, _ size: Int, isBig: Bool) -> [UInt8] {
    let little: [UInt8] = (0..<size).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    return isBig ? little.reversed() : little
  }
}
