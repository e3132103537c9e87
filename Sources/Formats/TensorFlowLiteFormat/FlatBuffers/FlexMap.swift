import ModelFormat
import Tensors

/// The numbers in a map of the flexbuffer format. Files store the options of custom operators in such maps.
///
/// The root is at the end of the bytes. The last byte is the width of the root in bytes. The byte before it holds the
/// root's type, and the width of the elements. A map is a list of values. The types of the values follow the list.
/// Before the list are the offset of the map's keys, the width of the keys, and the length of the map.
///
/// **Source:** “FlexBuffers” and its binary encoding, flatbuffers.dev.
struct FlexMap {
  private var numbers: [String: Double] = [:]
  /// The names of all values, including those that are not numbers.
  private(set) var names: Set<String> = []

  /// Reads a map. Ignores values that are not numbers.
  init(_ bytes: ByteValues) throws {
    let buffer = FlatBuffer(bytes: bytes)
    guard bytes.count >= 3 else { throw Self.damaged("there are \(bytes.count) bytes") }
    let rootWidth = Int(bytes[bytes.count - 1])
    let kind = Int(bytes[bytes.count - 2])
    guard kind >> 2 == 9 else { throw Self.damaged("the root is not a map") }
    let width: Int = 1 << (kind & 3)
    let position: Int = bytes.count - 2 - rootWidth
    let map: Int = position - (try Self.integer(buffer, position, rootWidth))
    let count: Int = try Self.integer(buffer, map - width, width)
    let keyWidth: Int = try Self.integer(buffer, map - 2 * width, width)
    let keysPosition: Int = map - 3 * width
    let keys: Int = keysPosition - (try Self.integer(buffer, keysPosition, width))
    guard count <= bytes.count / width else { throw Self.damaged("it holds \(count) values") }
    for index in 0..<count {
      let keyPosition: Int = keys + index * keyWidth
      let key: String = try Self.text(
        buffer, keyPosition - (try Self.integer(buffer, keyPosition, keyWidth)))
      let kind = Int(try buffer.read(map + count * width + index, as: UInt8.self))
      names.insert(key)
      numbers[key] = try Self.number(buffer, map + index * width, width, kind)
    }
  }

  /// The number with this name. Nil if the map has no such number.
  subscript(name: String) -> Double? { numbers[name] }

  private static func integer(_ buffer: FlatBuffer, _ position: Int, _ width: Int) throws -> Int {
    switch width {
    case 1: return Int(try buffer.read(position, as: UInt8.self))
    case 2: return Int(try buffer.read(position, as: UInt16.self))
    case 4: return Int(try buffer.read(position, as: UInt32.self))
    case 8:
      let value: UInt64 = try buffer.read(position)
      guard value <= 1 << 40 else { throw damaged("the number \(value) is too large") }
      return Int(value)
    default: throw damaged("numbers of \(width) bytes do not exist")
    }
  }

  private static func number(_ buffer: FlatBuffer, _ position: Int, _ width: Int, _ kind: Int)
    throws
    -> Double?
  {
    switch kind >> 2 {
    case 1:
      switch width {
      case 1: return Double(try buffer.read(position, as: Int8.self))
      case 2: return Double(try buffer.read(position, as: Int16.self))
      case 4: return Double(try buffer.read(position, as: Int32.self))
      default: return Double(try buffer.read(position, as: Int64.self))
      }
    case 2, 26: return Double(try integer(buffer, position, width))
    case 3 where width == 4: return Double(Float(bitPattern: try buffer.read(position)))
    case 3 where width == 8: return Double(bitPattern: try buffer.read(position))
    // The number is not inside the map. The map holds the distance back to the number. The type byte holds the number's
    // width.
    case 6:
      return try number(
        buffer, position - integer(buffer, position, width), 1 << (kind & 3), 1 << 2)
    case 8:
      return try number(
        buffer, position - integer(buffer, position, width), 1 << (kind & 3), 3 << 2)
    default: return nil
    }
  }

  private static func text(_ buffer: FlatBuffer, _ start: Int) throws -> String {
    var letters: [UInt8] = []
    while letters.count < 256 {
      let letter: UInt8 = try buffer.read(start + letters.count)
      if letter == 0 { break }
      letters.append(letter)
    }
    return String(decoding: letters, as: UTF8.self)
  }

  private static func damaged(_ what: String) -> EngineError {
    EngineError(.invalidModel, "the operator's options are not a valid flexbuffer map: \(what).")
  }
}
