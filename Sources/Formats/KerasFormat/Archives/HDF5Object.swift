import ModelFormat
import Tensors

/// A group or an array in the file: its address and its header messages.
struct HDF5Object {
  /// The address of the object's header in the file.
  let address: Int
  /// The header messages, each with its type number and its bytes.
  let messages: [(type: Int, bytes: ByteValues)]

  /// Returns the bytes of the first header message of this type. Nil if there is no such message.
  func message(_ type: Int) -> ByteValues? { messages.first { $0.type == type }?.bytes }

  /// Whether the object is an array.
  var isArray: Bool { message(0x08) != nil }
}

/// Reads object headers.
enum HDF5Header {
  /// The largest number of header messages per object. The number of blocks per header has the same limit.
  private static let mostMessages = 1 << 16

  /// Reads the messages of the header at an address, including those in continuation blocks.
  static func messages(_ file: HDF5File, at address: Int) throws -> [(type: Int, bytes: ByteValues)]
  {
    var cursor: HDF5Cursor = try file.cursor(at: address)
    var blocks: [ByteValues] = []
    var isNew = false
    var hasOrder = false
    if cursor.remaining > 4, try cursor.bytes(4).array() == Array("OHDR".utf8) {
      isNew = true
      let version: Int = try cursor.number(1)
      let flags: Int = try cursor.number(1)
      guard version == 2 else {
        throw HDF5File.damaged("an object's header has version \(version)")
      }
      hasOrder = flags & 4 != 0
      if flags & 32 != 0 { try cursor.skip(16) }
      if flags & 16 != 0 { try cursor.skip(4) }
      blocks.append(try cursor.bytes(try cursor.number(1 << (flags & 3))))
    } else {
      cursor = try file.cursor(at: address)
      let version: Int = try cursor.number(1)
      guard version == 1 else {
        throw HDF5File.damaged("an object's header has version \(version)")
      }
      try cursor.skip(7)
      let size: Int = try cursor.number(4)
      try cursor.skip(4)
      blocks.append(try cursor.bytes(size))
    }
    var messages: [(type: Int, bytes: ByteValues)] = []
    var next = 0
    while next < blocks.count {
      var block: HDF5Cursor = cursor.inside(blocks[next])
      next += 1
      while block.remaining >= (isNew ? 4 : 8) {
        let type: Int = try block.number(isNew ? 1 : 2)
        let size: Int = try block.number(2)
        let flags: Int = try block.number(1)
        try block.skip(isNew ? (hasOrder ? 2 : 0) : 3)
        let bytes: ByteValues = try block.bytes(size)
        try file.count(1)
        guard messages.count < mostMessages, blocks.count < mostMessages else {
          throw HDF5File.damaged("an object's header does not end")
        }
        if type == 0x10 {
          var location: HDF5Cursor = cursor.inside(bytes)
          guard let start = try location.offset() else { continue }
          blocks.append(
            try continuation(file, at: start, count: try location.length(), isNew: isNew))
        } else if flags & 2 == 0 {
          messages.append((type, bytes))
        } else {
          throw EngineError(
            .unsupported,
            "the HDF5 file has shared header messages, which are not supported. Save it again with Keras."
          )
        }
      }
    }
    return messages
  }

  /// Returns the bytes of the messages in a continuation block of a header. In header version 2, skips the signature
  /// and the checksum of the block.
  private static func continuation(_ file: HDF5File, at start: Int, count: Int, isNew: Bool) throws
    -> ByteValues
  {
    let bytes: ByteValues = try file.slice(at: start, count: count)
    guard isNew else { return bytes }
    guard count >= 8, bytes.starts(with: Array("OCHK".utf8)),
      let inner = bytes.slice(from: 4, count: count - 8)
    else { throw HDF5File.damaged("there is no 'OCHK' at \(start)") }
    return inner
  }
}
