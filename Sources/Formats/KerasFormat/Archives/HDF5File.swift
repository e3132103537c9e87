import ModelFormat
import Tensors

/// An HDF5 file as far as networks need it: groups, attributes and arrays of numbers and text.
///
/// Nothing in the file is trusted: every address and length is checked against the file's size, and no memory is
/// taken by what it claims. Arrays that stand in one piece stay in the mapped file.
///
/// Superblocks 0 to 3, object headers 1 and 2, groups by symbol tables and by links in their headers; arrays in one
/// piece and in pieces, packed by deflate and shuffle. What `libver="latest"` adds beyond that is refused in words.
///
/// Debian's libhdf5 1.10 ended in a segmentation fault within 1,500 damaged files; hence a reader of our own.
///
/// **Source:** HDF5 File Format Specification, version 3.0.
final class HDF5File {
  /// The file.
  let bytes: ByteValues
  /// The size of an address, in bytes.
  let offsetSize: Int
  /// The size of a length, in bytes.
  let lengthSize: Int
  /// What all addresses count from.
  private let base: Int
  /// The group that holds all others.
  private(set) var root = HDF5Object(address: 0, messages: [])
  /// The objects that were read, by their addresses: each is read once, however many lead to it.
  private var objects: [Int: HDF5Object] = [:]
  /// The groups that were listed, by their addresses.
  private var groups: [Int: [(name: String, address: Int)]] = [:]
  /// The texts of attributes that were read, by the objects' addresses and their names.
  private var attributes: [String: [String]?] = [:]
  /// The arrays that were read, by their addresses.
  private var arrays: [Int: HDF5Array] = [:]
  /// How much of the file was read so far: entries of lists and bytes of texts.
  private var readCount = 0
  /// The bytes of the file that packed pieces of arrays take so far.
  private var packedCount = 0

  static let signature: [UInt8] = [0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The most objects that are read.
  private static let mostObjects = 1 << 18

  /// Files up to this size may be read a few times over, in bytes.
  private static let smallFile = 1 << 20

  /// Opens a file.
  ///
  /// - Throws: ``EngineError`` for what is no HDF5 file, or is damaged.
  init(_ bytes: ByteValues) throws {
    guard bytes.count > 64, bytes.starts(with: Self.signature) else {
      throw Self.damaged("it does not begin as an HDF5 file does")
    }
    self.bytes = bytes
    let version: UInt8 = bytes[8]
    let isOld: Bool = version <= 1
    (offsetSize, lengthSize) =
      isOld ? (Int(bytes[13]), Int(bytes[14])) : (Int(bytes[9]), Int(bytes[10]))
    guard version <= 3, [4, 8].contains(offsetSize), [4, 8].contains(lengthSize) else {
      throw Self.damaged(
        "its superblock has the version \(version) and addresses of \(offsetSize) bytes")
    }
    var cursor = HDF5Cursor(
      bytes, at: isOld ? (version == 0 ? 24 : 28) : 12, offsetSize, lengthSize)
    base = try cursor.offset() ?? 0
    let address: Int?
    if isOld {
      try cursor.skip(4 * offsetSize)
      address = try cursor.offset()
    } else {
      try cursor.skip(2 * offsetSize)
      address = try cursor.offset()
    }
    guard let address else { throw Self.damaged("it has no root") }
    root = try object(at: address)
  }

  /// Counts entries of lists or bytes of texts that are about to be read. A sound file holds each of them once.
  ///
  /// - Throws: ``EngineError`` for a file whose parts lead to the same place again and again.
  func count(_ read: Int) throws {
    readCount = [readCount, read].saturatingSum
    guard readCount <= [bytes.count, Self.smallFile].saturatingSum else {
      throw Self.damaged("its parts lead to the same places again and again")
    }
  }

  /// Counts bytes of packed pieces that are about to be unpacked: no two pieces share any.
  func count(packed: Int) throws {
    packedCount = [packedCount, packed].saturatingSum
    guard packedCount <= bytes.count else {
      throw Self.damaged("pieces of arrays share their bytes")
    }
  }

  /// An error that the file is damaged.
  static func damaged(_ what: String) -> EngineError {
    EngineError(.invalidModel, "the HDF5 file is damaged: \(what).")
  }

  /// A place in the file from which to read.
  func cursor(at address: Int) throws -> HDF5Cursor {
    let (place, overflow) = address.addingReportingOverflow(base)
    guard !overflow, (0...bytes.count).contains(place) else {
      throw Self.damaged("an address, \(address), lies outside of its \(bytes.count) bytes")
    }
    return HDF5Cursor(bytes, at: place, offsetSize, lengthSize)
  }

  /// A part of the file.
  func slice(at address: Int, count: Int) throws -> ByteValues {
    let start: Int = try cursor(at: address).position
    guard let slice = bytes.slice(from: start, count: count) else {
      throw Self.damaged(
        "\(count) bytes at \(address) end beyond its \(bytes.count). It may be cut off")
    }
    return slice
  }

  /// The object at an address, with the messages of its header.
  func object(at address: Int) throws -> HDF5Object {
    if let known = objects[address] { return known }
    guard objects.count < Self.mostObjects else { throw Self.damaged("it has too many objects") }
    let object = HDF5Object(address: address, messages: try HDF5Header.messages(self, at: address))
    objects[address] = object
    return object
  }

  /// The objects of a group with their names, in the order of the file.
  func children(of group: HDF5Object) throws -> [(name: String, address: Int)] {
    if let known = groups[group.address] { return known }
    let found = try links(of: group)
    groups[group.address] = found
    return found
  }

  /// The texts of an attribute; nil where the object has none of the name.
  func texts(_ name: String, of object: HDF5Object) throws -> [String]? {
    let key = "\(object.address)/\(name)"
    if let known = attributes[key] { return known }
    let found: [String]? = try readTexts(name, of: object)
    attributes[key] = .some(found)
    return found
  }

  /// The array that an object is.
  func array(_ object: HDF5Object) throws -> HDF5Array {
    if let known = arrays[object.address] { return known }
    let array = try HDF5Array(object, self)
    arrays[object.address] = array
    return array
  }

  /// A text that stands in a heap of the file's: its length, then where it is.
  func heapText(_ cursor: inout HDF5Cursor) throws -> String {
    let length: Int = try cursor.number(4)
    let address: Int? = try cursor.offset()
    let index: Int = try cursor.number(4)
    guard length > 0, let address else { return "" }
    var heap: HDF5Cursor = try self.cursor(at: address)
    try heap.expect("GCOL")
    try heap.skip(4)
    let start: Int = heap.position - 8
    let size: Int = try heap.length()
    let end: Int = start + min(size, bytes.count - start)
    while heap.position + 8 + lengthSize <= end {
      let number: Int = try heap.number(2)
      try heap.skip(6)
      let size: Int = try heap.length()
      guard number != 0 else { break }
      if number == index {
        guard length <= size else { throw Self.damaged("a text is longer than its place") }
        try count(length)
        return String(decoding: try heap.bytes(length), as: UTF8.self)
      }
      try heap.skip(size)
      try heap.align(to: 8, from: heap.base)
    }
    throw Self.damaged("a text is missing from its heap")
  }
}
