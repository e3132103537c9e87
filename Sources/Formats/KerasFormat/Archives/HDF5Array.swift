import CDeflate
import ModelFormat
import Platform
import Tensors

/// An array of numbers in an HDF5 file. HDF5 calls it a dataset.
struct HDF5Array: Sendable {
  /// The extents, outermost first.
  let shape: Shape
  /// The values. A contiguous dataset stays in the mapped file.
  let constant: Constant

  /// Reads the array that an object of the file holds.
  ///
  /// - Throws: ``EngineError`` if the object is not an array, is damaged, or has an unsupported layout.
  init(_ object: HDF5Object, _ file: HDF5File) throws {
    guard let space = object.message(0x01), let type = object.message(0x03),
      let layout = object.message(0x08)
    else { throw HDF5File.damaged("an array has no extents, type or layout") }
    shape = Shape(try file.extents(space))
    guard case .numbers(let element) = try HDF5Type(type, file) else {
      throw EngineError(
        .unsupported, "an array of the HDF5 file has elements of an unsupported type.")
    }
    let size: Int = element.byteCount(of: shape.count)
    var cursor: HDF5Cursor = try file.cursor(at: 0).inside(layout)
    let (version, kind) = (try cursor.number(1), try cursor.number(1))
    guard version == 3 || (version == 4 && kind < 2) else {
      throw EngineError(
        .unsupported,
        "the HDF5 file has an array with an unsupported layout (version \(version)). Save it again without libver='latest'."
      )
    }
    let filters: [HDF5Filter] = try object.message(0x0B).map { try HDF5Filter.list($0, file) } ?? []
    let bytes: ByteValues
    switch kind {
    case 0: bytes = try cursor.bytes(try cursor.number(2))
    case 1:
      let address: Int? = try cursor.offset()
      bytes = try address.map { try file.slice(at: $0, count: size) } ?? ByteValues()
    default:
      let chunks = try HDF5Chunks(&cursor, shape, element, filters, file)
      guard SystemMemory.has(size) else {
        throw EngineError(
          .outOfMemory,
          "an array of \(shape) of the HDF5 file needs \(size / 1_048_576) MB of memory, more than is free."
        )
      }
      constant = Constant(TensorType(shape), StoredValues(try chunks.unpacked(), of: element))
      return
    }
    guard bytes.count == size else {
      throw HDF5File.damaged("an array of \(shape) holds \(bytes.count) bytes, expected \(size)")
    }
    constant = Constant(TensorType(shape), StoredValues(bytes, of: element))
  }
}

/// A filter that the file's writer applied to the bytes of each chunk.
enum HDF5Filter: Sendable {
  case deflate
  /// Stores the first bytes of all elements, then the second bytes of all elements, and so on.
  case shuffle
  /// Appends a checksum of four bytes.
  case checksum

  /// Reads the filters from a filter-pipeline message, in the order in which the writer applied them.
  static func list(_ bytes: ByteValues, _ file: HDF5File) throws -> [HDF5Filter] {
    var cursor: HDF5Cursor = try file.cursor(at: 0).inside(bytes)
    let (version, count) = (try cursor.number(1), try cursor.number(1))
    guard version == 1 || version == 2, count <= 32 else {
      throw HDF5File.damaged("\(count) filters have version \(version)")
    }
    if version == 1 { try cursor.skip(6) }
    return try (0..<count).map { _ in
      let identifier: Int = try cursor.number(2)
      let nameSize: Int = version == 1 || identifier >= 256 ? try cursor.number(2) : 0
      try cursor.skip(2)
      let values: Int = try cursor.number(2)
      try cursor.skip(version == 1 ? (nameSize + 7) / 8 * 8 : nameSize)
      try cursor.skip(4 * values + (version == 1 && values % 2 == 1 ? 4 : 0))
      switch identifier {
      case 1: return .deflate
      case 2: return .shuffle
      case 3: return .checksum
      default:
        throw EngineError(
          .unsupported,
          "an array of the HDF5 file uses the filter \(identifier); only deflate and shuffle are supported."
        )
      }
    }
  }
}

/// An array that the file stores in chunks. All chunks have the same extents. A B-tree lists the chunks.
struct HDF5Chunks {
  private let shape: Shape
  private let extents: [Int]
  private let element: ElementType
  private let filters: [HDF5Filter]
  private let file: HDF5File
  private let tree: Int?

  /// Reads the rest of the layout message: the extents of the chunks and the address of the B-tree that lists them.
  init(
    _ cursor: inout HDF5Cursor, _ shape: Shape, _ element: ElementType, _ filters: [HDF5Filter],
    _ file: HDF5File
  ) throws {
    let rank: Int = try cursor.number(1) - 1
    tree = try cursor.offset()
    extents = try (0..<max(0, rank)).map { _ in try cursor.number(4) }
    (self.shape, self.element, self.filters, self.file) = (shape, element, filters, file)
    guard rank == shape.rank, extents.allSatisfy({ $0 > 0 }), Shape(extents).isMeasurable else {
      throw HDF5File.damaged("an array of \(shape) has chunks of \(extents)")
    }
    let most: Int = [file.bytes.count, Self.largestExpansion].product
    guard element.byteCount(of: max(shape.count, Shape(extents).count)) <= most else {
      throw HDF5File.damaged("an array of \(shape) cannot be packed into \(file.bytes.count) bytes")
    }
  }

  /// A chunk: its bytes in the file, and its position in the array.
  private struct Chunk {
    let bytes: ByteValues
    /// One bit per filter. The lowest bit belongs to the first filter. A set bit means that the writer did not apply
    /// its filter to this chunk.
    let mask: Int
    let corner: [Int]
  }

  /// Returns the bytes of the whole array. Allocates memory only after every chunk has been found in the file.
  func unpacked() throws -> [UInt8] {
    guard shape.count > 0 else { return [] }
    let chunks: [Chunk] = try self.chunks()
    var target = [UInt8](repeating: 0, count: element.byteCount(of: shape.count))
    for chunk in chunks {
      copy(
        try plain(chunk.bytes, mask: chunk.mask), to: &target, at: chunk.corner, element.byteCount)
    }
    return target
  }

  private func chunks() throws -> [Chunk] {
    guard let tree else { throw HDF5File.damaged("an array has no chunks") }
    let counts: [Int] = zip(shape.dimensions, extents).map { ($0 + $1 - 1) / $1 }
    let wanted: Int = counts.product
    let expected: Int = element.byteCount(of: Shape(extents).count)
    var chunks: [Chunk] = []
    try file.leaves(of: tree, kind: 1, keySize: 8 + 8 * (shape.rank + 1)) { address, key in
      var key: HDF5Cursor = key
      let (count, mask) = (try key.number(4), try key.number(4))
      let corner: [Int] = try (0..<shape.rank).map { _ in try key.number(8) }
      guard zip(corner, shape.dimensions).allSatisfy({ $0 < $1 }),
        zip(corner, extents).allSatisfy({ $0 % $1 == 0 }), chunks.count < wanted
      else { throw HDF5File.damaged("a chunk of an array is outside of it") }
      try file.count(packed: count)
      guard expected / Self.largestExpansion <= count else {
        throw HDF5File.damaged("\(count) bytes cannot hold a chunk of \(expected)")
      }
      chunks.append(
        Chunk(bytes: try file.slice(at: address, count: count), mask: mask, corner: corner))
    }
    guard chunks.count == wanted else {
      throw HDF5File.damaged("\(wanted - chunks.count) chunks of an array are missing")
    }
    return chunks
  }

  /// The largest number of bytes to which deflate can expand one byte.
  private static let largestExpansion = 1032

  /// Undoes the filters of a chunk and returns the bytes of the chunk's elements.
  private func plain(_ bytes: ByteValues, mask: Int) throws -> [UInt8] {
    let expected: Int = element.byteCount(of: Shape(extents).count)
    var chunk: [UInt8] = bytes.array()
    for (index, filter) in filters.enumerated().reversed() where mask >> index & 1 == 0 {
      switch filter {
      case .checksum: chunk.removeLast(min(4, chunk.count))
      case .deflate:
        var made = [UInt8](repeating: 0, count: expected)
        guard deflate_unpack(chunk, chunk.count, &made, expected, true) else {
          throw HDF5File.damaged("a chunk of an array cannot be decompressed")
        }
        chunk = made
      case .shuffle:
        let count: Int = chunk.count / element.byteCount
        var made: [UInt8] = chunk
        for index in 0..<count {
          for byte in 0..<element.byteCount {
            made[index * element.byteCount + byte] = chunk[byte * count + index]
          }
        }
        chunk = made
      }
    }
    guard chunk.count == expected else {
      throw HDF5File.damaged("a chunk of an array has \(chunk.count) bytes, expected \(expected)")
    }
    return chunk
  }

  /// Copies the elements of a chunk that are inside the array. Chunks at the array's edges may extend beyond the array.
  private func copy(_ chunk: [UInt8], to target: inout [UInt8], at corner: [Int], _ size: Int) {
    guard let inner = extents.last, let width = shape.dimensions.last, let start = corner.last
    else {
      target = chunk
      return
    }
    let length: Int = min(inner, width - start) * size
    Shape(Array(extents.dropLast())).forEachIndex { index, position in
      var row = 0
      for (axis, offset) in index.enumerated() {
        let at: Int = corner[axis] + offset
        guard at < shape[axis] else { return }
        row = row * shape[axis] + at
      }
      let (from, to) = (position * inner * size, (row * width + start) * size)
      target.replaceSubrange(to..<to + length, with: chunk[from..<from + length])
    }
  }
}
