import ModelFormat
import Tensors

/// Reads the parts of HDF5 that networks need: groups, attributes, and arrays of numbers and strings.
///
/// The file may be damaged or hostile. The reader checks every address and length against the file's size. It never
/// allocates memory because of a claimed size alone. Contiguous arrays stay in the mapped file.
///
/// The reader supports superblocks 0 to 3, object headers 1 and 2, and groups that store their links in symbol tables
/// or in their headers. It supports contiguous and chunked arrays, and the filters deflate and shuffle. It skips
/// checksums of chunks without verifying them. The reader throws for other features that `libver="latest"` enables.
///
/// This reader exists because Debian's libhdf5 1.10 is not safe: in a test with 1,500 damaged files it crashed with a
/// segmentation fault.
///
/// **Source:** HDF5 File Format Specification, version 3.0.
final class HDF5File {
  /// The bytes of the file.
  let bytes: ByteValues
  /// The size of an address, in bytes.
  let offsetSize: Int
  /// The size of a length, in bytes.
  let lengthSize: Int
  /// The position in the file from which all addresses count, in bytes from the file's start.
  private let base: Int
  /// The root group.
  private(set) var root = HDF5Object(address: 0, messages: [])
  /// The objects read so far, by address. Each object is read once, even if many links refer to it.
  private var objects: [Int: HDF5Object] = [:]
  /// The links of the groups read so far, by address.
  private var groups: [Int: [(name: String, address: Int)]] = [:]
  /// The strings of the attributes read so far. The keys combine the object's address and the attribute's name.
  private var attributes: [String: [String]?] = [:]
  /// The arrays read so far, by address.
  private var arrays: [Int: HDF5Array] = [:]
  /// The number of list entries plus the number of bytes of strings that were read so far.
  private var readCount = 0
  /// The number of compressed bytes of the chunks that were read so far.
  private var packedCount = 0

  static let signature: [UInt8] = [0x89, 0x48, 0x44, 0x46, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The largest number of objects that the reader reads from one file.
  private static let mostObjects = 1 << 18

  /// The reader may read as many list entries and string bytes as the file has bytes, plus this number. So the parts of
  /// a small file may refer to the same bytes several times.
  private static let smallFile = 1 << 20

  /// Opens a file.
  ///
  /// - Throws: ``EngineError`` if the bytes are not an HDF5 file or are damaged.
  init(_ bytes: ByteValues) throws {
    guard bytes.count > 64, bytes.starts(with: Self.signature) else {
      throw Self.damaged("it does not begin with the HDF5 signature")
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
    guard let address else { throw Self.damaged("it has no root group") }
    root = try object(at: address)
  }

  /// Counts list entries or bytes of strings before they are read. A valid file refers to each entry and byte once.
  ///
  /// - Throws: ``EngineError`` for a file whose parts refer to the same bytes many times.
  func count(_ read: Int) throws {
    readCount = [readCount, read].saturatingSum
    guard readCount <= [bytes.count, Self.smallFile].saturatingSum else {
      throw Self.damaged("its parts refer to the same bytes many times")
    }
  }

  /// Counts compressed bytes of chunks before they are decompressed. In a valid file no two chunks share bytes.
  func count(packed: Int) throws {
    packedCount = [packedCount, packed].saturatingSum
    guard packedCount <= bytes.count else {
      throw Self.damaged("chunks of arrays share their bytes")
    }
  }

  /// Returns an error for a damaged file. `what` says how the file is damaged.
  static func damaged(_ what: String) -> EngineError {
    EngineError(.invalidModel, "the HDF5 file is damaged: \(what).")
  }

  /// Returns a cursor at an address in the file.
  func cursor(at address: Int) throws -> HDF5Cursor {
    let (position, overflow) = address.addingReportingOverflow(base)
    guard !overflow, (0...bytes.count).contains(position) else {
      throw Self.damaged("the address \(address) is outside of its \(bytes.count) bytes")
    }
    return HDF5Cursor(bytes, at: position, offsetSize, lengthSize)
  }

  /// Returns `count` bytes of the file, beginning at an address, without a copy.
  func slice(at address: Int, count: Int) throws -> ByteValues {
    let start: Int = try cursor(at: address).position
    guard let slice = bytes.slice(from: start, count: count) else {
      throw Self.damaged(
        "\(count) bytes at \(address) reach beyond its \(bytes.count). It may be truncated")
    }
    return slice
  }

  /// Reads the object at an address, with its header messages.
  func object(at address: Int) throws -> HDF5Object {
    if let known = objects[address] { return known }
    guard objects.count < Self.mostObjects else { throw Self.damaged("it has too many objects") }
    let object = HDF5Object(address: address, messages: try HDF5Header.messages(self, at: address))
    objects[address] = object
    return object
  }

  /// Returns the names and addresses of a group's objects, in the file's order.
  func children(of group: HDF5Object) throws -> [(name: String, address: Int)] {
    if let known = groups[group.address] { return known }
    let found = try links(of: group)
    groups[group.address] = found
    return found
  }

  /// Returns the strings of an attribute. Nil if the object has no attribute with this name.
  func texts(_ name: String, of object: HDF5Object) throws -> [String]? {
    let key = "\(object.address)/\(name)"
    if let known = attributes[key] { return known }
    let found: [String]? = try readTexts(name, of: object)
    attributes[key] = .some(found)
    return found
  }

  /// Returns the array of an object.
  func array(_ object: HDF5Object) throws -> HDF5Array {
    if let known = arrays[object.address] { return known }
    let array = try HDF5Array(object, self)
    arrays[object.address] = array
    return array
  }

  /// Reads a string that the file stores in a global heap. The cursor must be at the string's length. The address of
  /// the string follows the length.
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
        guard length <= size else { throw Self.damaged("a string is longer than its heap object") }
        try count(length)
        return String(decoding: try heap.bytes(length), as: UTF8.self)
      }
      try heap.skip(size)
      try heap.align(to: 8, from: heap.base)
    }
    throw Self.damaged("a string is missing from its heap")
  }
}
