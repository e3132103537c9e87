import Foundation
import Imaging

/// EXIF data. They are changed in place, so that offsets in the notes of camera makers stay valid.
///
/// **Source:** CIPA DC-008 (Exif 2.32), 4.5 and 4.6.
struct EXIFBlock {
  private var block: ByteOrder

  /// Takes EXIF data, which begin with their TIFF header. Nil if there is no such header.
  init?(_ data: Data) {
    guard let block = ByteOrder(Array(data)), block.firstDirectory != nil else { return nil }
    self.block = block
  }

  /// Makes EXIF data of the tags of a TIFF file that describe the photo. Nil if there are none.
  init?(ofTIFF bytes: [UInt8]) {
    guard let file = ByteOrder(bytes), let position = file.firstDirectory,
      let tags = TIFFTags(file, at: position)?.describing(),
      !tags.tags.isEmpty || !tags.directories.isEmpty
    else { return nil }
    let (content, directory) = tags.encoded(isBig: file.isBig, offset: 8)
    let header: [UInt8] = Array(bytes[..<4]) + ByteOrder.bytes(directory, 4, isBig: file.isBig)
    guard let block = ByteOrder(header + content) else { return nil }
    self.block = block
  }

  /// The EXIF data, which begin with their TIFF header.
  var data: Data { Data(block.bytes) }

  /// The tags and the byte order.
  var tags: (tags: TIFFTags, isBig: Bool)? {
    block.firstDirectory.flatMap { TIFFTags(block, at: $0) }.map { ($0, block.isBig) }
  }

  /// The resolution for printing. Nil if the data state none, or state no unit.
  var resolution: PictureResolution? {
    guard let first = block.firstDirectory else { return nil }
    let unit: Int = entry(0x0128, in: first).flatMap { block.number($0 + 8, 2) } ?? 2
    func ratio(_ tag: Int) -> Double? {
      guard let place = entry(tag, in: first).flatMap({ block.number($0 + 8, 4) }),
        let above = block.number(place, 4), let below = block.number(place + 4, 4), above > 0,
        below > 0
      else { return nil }
      return Double(above) / Double(below)
    }
    guard unit == 2 || unit == 3, let across = ratio(0x011A), let down = ratio(0x011B) else {
      return nil
    }
    let length: Double = unit == 2 ? 25.4 : 10
    return PictureResolution(horizontal: across / length, vertical: down / length)
  }

  /// Adapts the data to a painting of the given size. Resets the orientation, because the pixels are stored upright.
  /// Removes the thumbnail, because it would show the photo.
  mutating func describe(_ size: PictureSize) {
    guard let first = block.firstDirectory else { return }
    setNumber(0x0112, in: first, to: 1)
    setNumber(0x0100, in: first, to: size.width)
    setNumber(0x0101, in: first, to: size.height)
    if let exif = directory(0x8769, in: first) {
      setNumber(0xA002, in: exif, to: size.width)
      setNumber(0xA003, in: exif, to: size.height)
    }
    removeThumbnail(after: first)
  }

  /// Removes the place where the photo was taken.
  mutating func removeLocation() {
    guard let first = block.firstDirectory, let at = entry(0x8825, in: first),
      let count = block.number(first, 2)
    else { return }
    if let location = directory(0x8825, in: first) { clear(directory: location) }
    // Move the following entries, and the position of the next directory, over the removed entry.
    let end: Int = min(first + 2 + count * 12 + 4, block.count)
    guard at + 12 <= end else { return }
    let moved: [UInt8] = Array(block.bytes[(at + 12)..<end])
    block.bytes.replaceSubrange(at..<end, with: moved + [UInt8](repeating: 0, count: 12))
    block.set(first, 2, to: count - 1)
  }

  private mutating func removeThumbnail(after first: Int) {
    guard let count = block.number(first, 2),
      let next = block.number(first + 2 + count * 12, 4), next != 0
    else { return }
    block.set(first + 2 + count * 12, 4, to: 0)
    let start: Int? = entry(0x0201, in: next).flatMap { block.number($0 + 8, 4) }
    let length: Int? = entry(0x0202, in: next).flatMap { block.number($0 + 8, 4) }
    clear(directory: next)
    guard let start, let length, start >= 8, start <= block.count else { return }
    let end: Int = min(block.count, start + length)
    clear(start..<end)
    // Most cameras store the thumbnail at the end.
    if end >= block.count - 4 { block.bytes.removeSubrange(start...) }
  }

  // MARK: Directories

  /// Returns the position of a tag's entry, or nil if the directory does not have the tag.
  private func entry(_ tag: Int, in directory: Int) -> Int? {
    guard let count = block.number(directory, 2), count <= 1000 else { return nil }
    return (0..<count).map { directory + 2 + $0 * 12 }.first { block.number($0, 2) == tag }
  }

  private func directory(_ tag: Int, in directory: Int) -> Int? {
    entry(tag, in: directory).flatMap { block.number($0 + 8, 4) }
      .flatMap { $0 >= 8 && $0 < block.count ? $0 : nil }
  }

  /// Replaces the value of a tag that holds one integer of 16 or 32 bits. Does nothing if there is no such tag.
  private mutating func setNumber(_ tag: Int, in directory: Int, to value: Int) {
    guard let at = entry(tag, in: directory), block.number(at + 4, 4) == 1 else { return }
    switch block.number(at + 2, 2) {
    case 3: block.set(at + 8, 2, to: min(value, 0xFFFF))
    case 4: block.set(at + 8, 4, to: value)
    default: break
    }
  }

  /// Overwrites a directory and its values with zeros.
  private mutating func clear(directory: Int) {
    guard let count = block.number(directory, 2), count <= 1000 else { return }
    let sizes: [Int] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
    for entry in 0..<count {
      let at: Int = directory + 2 + entry * 12
      guard let type = block.number(at + 2, 2), let elements = block.number(at + 4, 4),
        let place = block.number(at + 8, 4), type < sizes.count, elements <= block.count
      else { continue }
      let size: Int = elements * sizes[type]
      if size > 4, place >= 8, place <= block.count, size <= block.count - place {
        clear(place..<place + size)
      }
    }
    clear(directory..<min(block.count, directory + 2 + count * 12 + 4))
  }

  private mutating func clear(_ range: Range<Int>) {
    block.bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
  }
}
