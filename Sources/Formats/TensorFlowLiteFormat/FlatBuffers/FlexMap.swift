import ModelFormat
import Tensors

/// The numbers of a map in the flexbuffer format: the settings of operators that TensorFlow Lite does not know
/// itself.
///
/// The root stands at the end: its width in bytes is the last byte, its kind and width the one before. A map is a
/// list of values with their kinds after them; in front of it stand the offset and width of its keys and its length.
///
/// **Source:** “FlexBuffers” and its binary encoding, flatbuffers.dev.
struct FlexMap {
  private var numbers: [String: Double] = [:]
  /// The names of all values, those of other kinds as well.
  private(set) var names: Set<String> = []

  /// Values of no other kind than numbers are left out.
  init(_ bytes: ByteValues) throws {
    let buffer = FlatBuffer(bytes: bytes)
    guard bytes.count >= 3 else { throw Self.damaged("there are \(bytes.count) bytes") }
    let rootWidth = Int(bytes[bytes.count - 1])
    let kind = Int(bytes[bytes.count - 2])
    guard kind >> 2 == 9 else { throw Self.damaged("the root is no map") }
    let width: Int = 1 << (kind & 3)
    let place: Int = bytes.count - 2 - rootWidth
    let map: Int = place - (try Self.whole(buffer, place, rootWidth))
    let count: Int = try Self.whole(buffer, map - width, width)
    let keyWidth: Int = try Self.whole(buffer, map - 2 * width, width)
    let keysPlace: Int = map - 3 * width
    let keys: Int = keysPlace - (try Self.whole(buffer, keysPlace, width))
    guard count <= bytes.count / width else { throw Self.damaged("it holds \(count) values") }
    for index in 0..<count {
      let keyPlace: Int = keys + index * keyWidth
      let key: String = try Self.text(
        buffer, keyPlace - (try Self.whole(buffer, keyPlace, keyWidth)))
      let kind = Int(try buffer.read(map + count * width + index, as: UInt8.self))
      names.insert(key)
      numbers[key] = try Self.number(buffer, map + index * width, width, kind)
    }
  }

  /// A number by its name; nil where the map has none.
  subscript(name: String) -> Double? { numbers[name] }

  private static func whole(_ buffer: FlatBuffer, _ place: Int, _ width: Int) throws -> Int {
    switch width {
    case 1: return Int(try buffer.read(place, as: UInt8.self))
    case 2: return Int(try buffer.read(place, as: UInt16.self))
    case 4: return Int(try buffer.read(place, as: UInt32.self))
    case 8:
      let value: UInt64 = try buffer.read(place)
      guard value <= 1 << 40 else { throw damaged("the number \(value) is too large") }
      return Int(value)
    default: throw damaged("numbers of \(width) bytes do not exist")
    }
  }

  private static func number(_ buffer: FlatBuffer, _ place: Int, _ width: Int, _ kind: Int) throws
    -> Double?
  {
    switch kind >> 2 {
    case 1:
      switch width {
      case 1: return Double(try buffer.read(place, as: Int8.self))
      case 2: return Double(try buffer.read(place, as: Int16.self))
      case 4: return Double(try buffer.read(place, as: Int32.self))
      default: return Double(try buffer.read(place, as: Int64.self))
      }
    case 2, 26: return Double(try whole(buffer, place, width))
    case 3 where width == 4: return Double(Float(bitPattern: try buffer.read(place)))
    case 3 where width == 8: return Double(bitPattern: try buffer.read(place))
    // Numbers apart from the map: an offset leads back to them, their width stands in the kind.
    case 6: return try number(buffer, place - whole(buffer, place, width), 1 << (kind & 3), 1 << 2)
    case 8: return try number(buffer, place - whole(buffer, place, width), 1 << (kind & 3), 3 << 2)
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
    EngineError(.invalidModel, "the operator's settings are no flexbuffer map: \(what).")
  }
}
