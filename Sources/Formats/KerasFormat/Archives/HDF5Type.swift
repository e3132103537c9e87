import ModelFormat
import Tensors

/// The element type of an array or an attribute.
enum HDF5Type {
  /// Numbers, little-endian.
  case numbers(ElementType)
  /// A string of this many bytes, padded with zeros or spaces.
  case text(Int)
  /// A string of any length, which the file stores in a global heap.
  case heapText
  /// A type that this reader does not support. Its elements have this many bytes.
  case other(Int)

  /// Reads the type from a datatype message.
  init(_ bytes: ByteValues, _ file: HDF5File) throws {
    var cursor: HDF5Cursor = try file.cursor(at: 0).inside(bytes)
    let kind: Int = try cursor.number(1) & 15
    let flags: Int = try cursor.number(3)
    let size: Int = try cursor.number(4)
    let isLittle: Bool = flags & 1 == 0
    switch (kind, size) {
    case (0, 1) where isLittle: self = .numbers(flags & 8 != 0 ? .int8 : .uint8)
    case (0, 2) where isLittle: self = .numbers(flags & 8 != 0 ? .int16 : .uint16)
    case (0, 4) where isLittle: self = .numbers(flags & 8 != 0 ? .int32 : .uint32)
    case (0, 8) where isLittle: self = .numbers(flags & 8 != 0 ? .int64 : .uint64)
    case (1, 2) where isLittle: self = .numbers(.float16)
    case (1, 4) where isLittle: self = .numbers(.float32)
    case (1, 8) where isLittle: self = .numbers(.float64)
    case (3, 1...): self = .text(size)
    case (9, _) where flags & 15 == 1: self = .heapText
    default: self = .other(size)
    }
  }

  /// Returns the size of an element in the file, in bytes.
  func byteCount(_ file: HDF5File) -> Int {
    switch self {
    case .numbers(let element): element.byteCount
    case .text(let size), .other(let size): size
    case .heapText: 8 + file.offsetSize
    }
  }
}

extension HDF5File {
  /// Reads the extents from a dataspace message.
  func extents(_ bytes: ByteValues) throws -> [Int] {
    var cursor: HDF5Cursor = try cursor(at: 0).inside(bytes)
    let (version, rank) = (try cursor.number(1), try cursor.number(1))
    try cursor.skip(version == 1 ? 6 : 2)
    guard version == 1 || version == 2, rank <= 32 else {
      throw Self.damaged("an array's extents have version \(version) and \(rank) axes")
    }
    let extents: [Int] = try (0..<rank).map { _ in try cursor.length() }
    guard Shape(extents).isMeasurable else {
      throw Self.damaged("an array is \(Shape(extents)), more than any machine can hold")
    }
    return extents
  }

  /// Reads the strings of an attribute. Nil if the object has no attribute with this name.
  func readTexts(_ name: String, of object: HDF5Object) throws -> [String]? {
    guard let (type, extents, bytes) = try attribute(name, of: object) else { return nil }
    var cursor: HDF5Cursor = try cursor(at: 0).inside(bytes)
    let count: Int = extents.product
    guard count <= bytes.count else { throw Self.damaged("the attribute '\(name)' is truncated") }
    try self.count(count)
    return try (0..<count).map { _ in
      switch type {
      case .text(let size):
        let text: ByteValues = try cursor.bytes(size)
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
      case .heapText: return try heapText(&cursor)
      default: throw Self.damaged("the attribute '\(name)' does not hold strings")
      }
    }
  }

  /// Returns the first string of an attribute. Nil if the object has no attribute with this name.
  func text(_ name: String, of object: HDF5Object) throws -> String? {
    try texts(name, of: object)?.first
  }

  private func attribute(_ name: String, of object: HDF5Object) throws -> (
    HDF5Type, [Int], ByteValues
  )? {
    for (type, bytes) in object.messages where type == 0x0C {
      var cursor: HDF5Cursor = try cursor(at: 0).inside(bytes)
      let version: Int = try cursor.number(1)
      guard (1...3).contains(version) else {
        throw Self.damaged("an attribute has version \(version)")
      }
      try cursor.skip(1)
      let sizes: [Int] = try (0..<3).map { _ in try cursor.number(2) }
      if version == 3 { try cursor.skip(1) }
      func part(_ size: Int) throws -> ByteValues {
        let part: ByteValues = try cursor.bytes(size)
        if version == 1 { try cursor.skip((8 - size % 8) % 8) }
        return part
      }
      let own: ByteValues = try part(sizes[0])
      guard String(decoding: own.prefix { $0 != 0 }, as: UTF8.self) == name else { continue }
      let element = try HDF5Type(try part(sizes[1]), self)
      let extents: [Int] = try extents(try part(sizes[2]))
      return (element, extents, try cursor.bytes(cursor.remaining))
    }
    return nil
  }
}
