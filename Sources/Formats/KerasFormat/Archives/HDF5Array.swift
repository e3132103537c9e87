import CDeflate
import ModelFormat
import Platform
import Tensors

/// An array of numbers in a file.
struct HDF5Array: Sendable {
  /// The extents, outermost first.
  let shape: Shape
  /// The values: in the mapped file where they stand there in one piece.
  let constant: Constant

  /// The array that an object is.
  ///
  /// - Throws: ``EngineError`` where it is none, is damaged, or is kept in a way that is not read.
  init(_ object: HDF5Object, _ file: HDF5File) throws {
    guard let space = object.message(0x01), let type = object.message(0x03),
      let layout = object.message(0x08)
    else { throw HDF5File.damaged("an array has no extents, type or place") }
    shape = Shape(try file.extents(space))
    guard case .numbers(let element) = try HDF5Type(type, file) else {
      throw EngineError(
        .unsupported, "an array of the HDF5 file holds no numbers of a type that is read.")
    }
    let size: Int = element.byteCount(of: shape.count)
    var cursor: HDF5Cursor = try file.cursor(at: 0).inside(layout)
    let (version, kind) = (try cursor.number(1), try cursor.number(1))
    guard version == 3 || (version == 4 && kind < 2) else {
      throw EngineError(
        .unsupported,
        "the HDF5 file keeps an array in a way (version \(version)) that is not read. Save it anew without libver='latest'."
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
          "an array of \(shape) of the HDF5 file needs \(size / 1_048_576) MB of memory, which are not free."
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

/// What was done to the bytes of a piece of an array, in the order of its doing.
enum HDF5Filter: Sendable {
  case deflate
  /// The first bytes of all elements stand together, and so on.
  case shuffle
  /// Four bytes at the end sum the others up.
  case checksum

  /// The filters in a message.
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
          "an array of the HDF5 file is packed by the filter \(identifier); deflate and shuffle are read."
        )
      }
    }
  }
}

/// An array in pieces of equal extents, which a tree lists.
struct HDF5Chunks {
  private let shape: Shape
  private let extents: [Int]
  private let element: ElementType
  private let filters: [HDF5Filter]
  private let file: HDF5File
  private let tree: Int?

  /// Reads the rest of a message that says where the pieces are.
  init(
    _ cursor: inout HDF5Cursor, _ shape: Shape, _ element: ElementType, _ filters: [HDF5Filter],
    _ file: HDF5File
  ) throws {
    let rank: Int = try cursor.number(1) - 1
    tree = try cursor.offset()
    extents = try (0..<max(0, rank)).map { _ in try cursor.number(4) }
    (self.shape, self.element, self.filters, self.file) = (shape, element, filters, file)
    guard rank == shape.rank, extents.allSatisfy({ $0 > 0 }), Shape(extents).isMeasurable else {
      throw HDF5File.damaged("an array of \(shape) stands in pieces of \(extents)")
    }
    let most: Int = [file.bytes.count, Self.mostUnpacked].product
    guard element.byteCount(of: max(shape.count, Shape(extents).count)) <= most else {
      throw HDF5File.damaged("an array of \(shape) cannot be packed into \(file.bytes.count) bytes")
    }
  }

  /// A piece of the array: where it is in the file, and where it belongs.
  private struct Piece {
    let bytes: ByteValues
    /// The filters that were left out.
    let mask: Int
    let corner: [Int]
  }

  /// The bytes of the whole array. No memory is taken before all of its pieces were found in the file.
  func unpacked() throws -> [UInt8] {
    guard shape.count > 0 else { return [] }
    let pieces: [Piece] = try self.pieces()
    var target = [UInt8](repeating: 0, count: element.byteCount(of: shape.count))
    for piece in pieces {
      copy(
        try plain(piece.bytes, mask: piece.mask), to: &target, at: piece.corner, element.byteCount)
    }
    return target
  }

  private func pieces() throws -> [Piece] {
    guard let tree else { throw HDF5File.damaged("an array has no pieces") }
    let counts: [Int] = zip(shape.dimensions, extents).map { ($0 + $1 - 1) / $1 }
    let wanted: Int = counts.product
    let expected: Int = element.byteCount(of: Shape(extents).count)
    var pieces: [Piece] = []
    try file.leaves(of: tree, kind: 1, keySize: 8 + 8 * (shape.rank + 1)) { address, key in
      var key: HDF5Cursor = key
      let (count, mask) = (try key.number(4), try key.number(4))
      let corner: [Int] = try (0..<shape.rank).map { _ in try key.number(8) }
      guard zip(corner, shape.dimensions).allSatisfy({ $0 < $1 }),
        zip(corner, extents).allSatisfy({ $0 % $1 == 0 }), pieces.count < wanted
      else { throw HDF5File.damaged("a piece of an array lies outside of it") }
      try file.count(packed: count)
      guard expected / Self.mostUnpacked <= count else {
        throw HDF5File.damaged("\(count) bytes cannot hold a piece of an array of \(expected)")
      }
      pieces.append(
        Piece(bytes: try file.slice(at: address, count: count), mask: mask, corner: corner))
    }
    guard pieces.count == wanted else {
      throw HDF5File.damaged("\(wanted - pieces.count) pieces of an array are missing")
    }
    return pieces
  }

  /// Deflate makes at most so many bytes of one.
  private static let mostUnpacked = 1032

  /// A piece as it was before the filters.
  private func plain(_ bytes: ByteValues, mask: Int) throws -> [UInt8] {
    let expected: Int = element.byteCount(of: Shape(extents).count)
    var piece: [UInt8] = bytes.array()
    for (index, filter) in filters.enumerated().reversed() where mask >> index & 1 == 0 {
      switch filter {
      case .checksum: piece.removeLast(min(4, piece.count))
      case .deflate:
        var made = [UInt8](repeating: 0, count: expected)
        guard deflate_unpack(piece, piece.count, &made, expected, true) else {
          throw HDF5File.damaged("a packed piece of an array cannot be unpacked")
        }
        piece = made
      case .shuffle:
        let count: Int = piece.count / element.byteCount
        var made: [UInt8] = piece
        for index in 0..<count {
          for byte in 0..<element.byteCount {
            made[index * element.byteCount + byte] = piece[byte * count + index]
          }
        }
        piece = made
      }
    }
    guard piece.count == expected else {
      throw HDF5File.damaged("a piece of an array has \(piece.count) bytes, expected \(expected)")
    }
    return piece
  }

  /// Copies the rows of a piece that lie within the array.
  private func copy(_ piece: [UInt8], to target: inout [UInt8], at corner: [Int], _ size: Int) {
    guard let inner = extents.last, let width = shape.dimensions.last, let start = corner.last
    else {
      target = piece
      return
    }
    let length: Int = min(inner, width - start) * size
    Shape(Array(extents.dropLast())).forEachIndex { index, position in
      var row = 0
      for (axis, place) in index.enumerated() {
        let at: Int = corner[axis] + place
        guard at < shape[axis] else { return }
        row = row * shape[axis] + at
      }
      let (from, to) = (position * inner * size, (row * width + start) * size)
      target.replaceSubrange(to..<to + length, with: piece[from..<from + length])
    }
  }
}
