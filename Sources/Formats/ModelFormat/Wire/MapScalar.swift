/// A key or value of a map field: a string or a number.
protocol MapScalar: Hashable {
  static var mapDefault: Self { get }
  static func read(_ value: inout Self, from reader: inout WireReader) throws
  /// Writes a key or value as a field of a map entry. Unlike other fields, also writes default values.
  func write(_ number: UInt32, into writer: inout WireWriter)
  /// Returns whether a map's writer writes the key `left` before the key `right`.
  static func precedes(_ left: Self, _ right: Self) -> Bool
}

extension String: MapScalar {
  static var mapDefault: String { "" }

  static func read(_ value: inout String, from reader: inout WireReader) throws {
    try reader.string(&value)
  }

  func write(_ number: UInt32, into writer: inout WireWriter) {
    writer.string(number, self, always: true)
  }

  static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}

extension Int64: MapScalar {
  static var mapDefault: Int64 { 0 }

  static func read(_ value: inout Int64, from reader: inout WireReader) throws {
    try reader.int64(&value)
  }

  func write(_ number: UInt32, into writer: inout WireWriter) {
    writer.int64(number, self, always: true)
  }

  static func precedes(_ left: Int64, _ right: Int64) -> Bool { left < right }
}

extension Double: MapScalar {
  static var mapDefault: Double { 0 }

  static func read(_ value: inout Double, from reader: inout WireReader) throws {
    try reader.double(&value)
  }

  func write(_ number: UInt32, into writer: inout WireWriter) {
    writer.double(number, self, always: true)
  }

  static func precedes(_ left: Double, _ right: Double) -> Bool { left < right }
}
