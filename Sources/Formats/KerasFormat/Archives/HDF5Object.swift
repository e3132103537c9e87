import ModelFormat
import Tensors

/// A group or an array: the messages of its header.
struct HDF5Object {
  let address: Int
  let messages: [(type: Int, bytes: ByteValues)]

  /// The first message of a type.
  func message(_ type: Int) -> ByteValues? { messages.first { $0.type == type }?.bytes }

  /// Whether it is an array.
  var isArray: Bool { message(0x08) != nil }
}

/// Reads headers of objects.
enum HDF5Header {
  /// The most messages of an object, and the most pieces of its header.
  private static let mostMessages = 1 << 16

  /// The messages of the header at an address, those in its later pieces too.
  static func messages(_ file: HDF5File, at address: Int) throws -> [(type: Int, bytes: ByteValues)]
  {
    var cursor: HDF5Cursor = try file.cursor(at: address)
    var pieces: [ByteValues] = []
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
      pieces.append(try cursor.bytes(try cursor.number(1 << (flags & 3))))
    } else {
      cursor = try file.cursor(at: address)
      let version: Int = try cursor.number(1)
      guard version == 1 else {
        throw HDF5File.damaged("an object's header has version \(version)")
      }
      try cursor.skip(7)
      let size: Int = try cursor.number(4)
      try cursor.skip(4)
      pieces.append(try cursor.bytes(size))
    }
    var messages: [(type: Int, bytes: ByteValues)] = []
    var next = 0
    while next < pieces.count {
      var piece: HDF5Cursor = cursor.inside(pieces[next])
      next += 1
      while piece.remaining >= (isNew ? 4 : 8) {
        let type: Int = try piece.number(isNew ? 1 : 2)
        let size: Int = try piece.number(2)
        let flags: Int = try piece.number(1)
        try piece.skip(isNew ? (hasOrder ? 2 : 0) : 3)
        let bytes: ByteValues = try piece.bytes(size)
        try file.count(1)
        guard messages.count < mostMessages, pieces.count < mostMessages else {
          throw HDF5File.damaged("an object's header does not end")
        }
        if type == 0x10 {
          var place: HDF5Cursor = cursor.inside(bytes)
          guard let start = try place.offset() else { continue }
          pieces.append(try continuation(file, at: start, count: try place.length(), isNew: isNew))
        } else if flags & 2 == 0 {
          messages.append((type, bytes))
        } else {
          throw EngineError(
            .unsupported, "the HDF5 file shares parts of headers, which is not read. Save it anew.")
        }
      }
    }
    return messages
  }

  /// A later piece of a header: of newer ones without its name and its checksum.
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
