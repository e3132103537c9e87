import Tensors

/// A protocol buffer that was parsed without its schema. If a field changes, the lengths of all messages around the
/// field are corrected. So a reader parses the complete file, and only the meaning of the field is damaged.
struct WireTree {
  private enum Content {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)
    case message([Field])
  }

  private struct Field {
    var tag: UInt64
    var content: Content
  }

  private var fields: [Field]

  /// Parses a message. Nil if the bytes are not a message.
  init?(_ bytes: ArraySlice<UInt8>) {
    fields = []
    var rest: ArraySlice<UInt8> = bytes
    while !rest.isEmpty {
      guard let tag = WireTree.number(&rest), tag >= 8, tag < 1 << 16 else { return nil }
      switch tag & 7 {
      case 0:
        guard let value = WireTree.number(&rest) else { return nil }
        fields.append(Field(tag: tag, content: .number(value)))
      case 1, 5:
        let size: Int = tag & 7 == 1 ? 8 : 4
        guard rest.count >= size else { return nil }
        fields.append(Field(tag: tag, content: .bytes(rest.prefix(size))))
        rest = rest.dropFirst(size)
      case 2:
        guard let length = WireTree.number(&rest), length <= UInt64(rest.count) else { return nil }
        let inside: ArraySlice<UInt8> = rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        if let message = WireTree(inside), !inside.isEmpty {
          fields.append(Field(tag: tag, content: .message(message.fields)))
        } else {
          fields.append(Field(tag: tag, content: .bytes(inside)))
        }
      default: return nil
      }
    }
  }

  private static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  /// The encoded message.
  var bytes: [UInt8] { WireTree.bytes(of: fields) }

  private static func bytes(of fields: [Field]) -> [UInt8] {
    var result: [UInt8] = []
    for field in fields {
      append(field.tag, to: &result)
      switch field.content {
      case .number(let value): append(value, to: &result)
      case .bytes(let bytes):
        if field.tag & 7 == 2 { append(UInt64(bytes.count), to: &result) }
        result += bytes
      case .message(let fields):
        let inside: [UInt8] = bytes(of: fields)
        append(UInt64(inside.count), to: &result)
        result += inside
      }
    }
    return result
  }

  /// The number of fields, including the fields of nested messages.
  var count: Int { WireTree.count(fields) }

  private static func count(_ fields: [Field]) -> Int {
    fields.reduce(0) { sum, field in
      guard case .message(let inside) = field.content else { return sum + 1 }
      return sum + 1 + count(inside)
    }
  }

  /// Damages the field with this index among all fields. Changes the field's number or bytes, removes the field, or
  /// duplicates the field.
  mutating func damage(_ position: Int, using generator: inout SplitMix64) {
    var position: Int = position
    WireTree.damage(&fields, &position, &generator)
  }

  private static func damage(
    _ fields: inout [Field], _ position: inout Int, _ generator: inout SplitMix64
  ) {
    for index in fields.indices {
      if position == 0 {
        position = -1
        return damage(&fields, at: index, &generator)
      }
      position -= 1
      if case .message(var inside) = fields[index].content {
        damage(&inside, &position, &generator)
        fields[index].content = .message(inside)
      }
      if position < 0 { return }
    }
  }

  private static func damage(_ fields: inout [Field], at index: Int, _ generator: inout SplitMix64)
  {
    let kind = Int.random(in: 0..<8, using: &generator)
    switch fields[index].content {
    case .number(let value) where kind > 1:
      fields[index].content = .number(other(than: value, using: &generator))
    case .bytes(let bytes) where kind > 1 && !bytes.isEmpty:
      fields[index].content = .bytes(
        damaged(bytes, isList: fields[index].tag & 7 == 2, kind, using: &generator))
    default:
      if kind == 0 { fields.remove(at: index) } else { fields.insert(fields[index], at: index) }
    }
  }

  private static func other(than value: UInt64, using generator: inout SplitMix64) -> UInt64 {
    let others: [UInt64] = [
      0, 1, 2, 3, value &+ 1, value &- 1, value &* 2, value &* 1000, 255, 1 << 20, 1 << 31,
      (1 << 31) - 1, 1 << 32, 1 << 40, 1 << 62, 1 << 63, .max, .max - 1,
    ]
    return others.randomElement(using: &generator) ?? 0
  }

  /// Shortens, extends or changes a text or packed numbers. Fixed-width numbers are only changed, and keep their width.
  private static func damaged(
    _ bytes: ArraySlice<UInt8>, isList: Bool, _ kind: Int, using generator: inout SplitMix64
  ) -> ArraySlice<UInt8> {
    var changed: ArraySlice<UInt8> = bytes
    let position = Int.random(in: changed.indices, using: &generator)
    if isList, kind < 4 {
      return kind == 2 ? changed[..<position] : changed + changed[..<position]
    }
    if isList, kind < 6, let numbers = varints(bytes) {
      var numbers: [UInt64] = numbers
      let index = Int.random(in: numbers.indices, using: &generator)
      numbers[index] = other(than: numbers[index], using: &generator)
      var packed: [UInt8] = []
      for number in numbers { append(number, to: &packed) }
      return packed[...]
    }
    if bytes.count % 8 == 0, kind == 7, Bool.random(using: &generator) {
      // Changes one of the 64-bit integers in a tensor's raw bytes.
      let start: Int = changed.startIndex + (position - changed.startIndex) / 8 * 8
      let old: UInt64 = (0..<8).reduce(0) { $0 | UInt64(changed[start + $1]) << UInt64(8 * $1) }
      changed.replaceSubrange(
        start..<start + 8, with: ByteDamage.little(other(than: old, using: &generator), 8))
      return changed
    }
    if bytes.count % 4 == 0, kind > 4 {
      let numbers: [Float] = [
        0, -0.0, 1, -1, 0.5, 2, 3.7, 1e-30, 1e30, -1e30, .nan, .infinity, -.infinity, 2_147_483_648,
      ]
      let bits: UInt32 = (numbers.randomElement(using: &generator) ?? 0).bitPattern
      let start: Int = changed.startIndex + (position - changed.startIndex) / 4 * 4
      for byte in 0..<4 { changed[start + byte] = UInt8(truncatingIfNeeded: bits >> (8 * byte)) }
      return changed
    }
    changed[position] = UInt8.random(in: 0...255, using: &generator)
    return changed
  }

  /// Decodes a packed list of varints. Nil if the bytes are not such a list.
  private static func varints(_ bytes: ArraySlice<UInt8>) -> [UInt64]? {
    var rest: ArraySlice<UInt8> = bytes
    var numbers: [UInt64] = []
    while !rest.isEmpty {
      guard let value = number(&rest) else { return nil }
      numbers.append(value)
    }
    return numbers
  }

  private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var value: UInt64 = value
    while value >= 0x80 {
      bytes.append(UInt8(value & 0x7F) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(value))
  }

  /// Replaces one name in the file by another name from the same file.
  mutating func exchangeNames(using generator: inout SplitMix64) {
    var names: [ArraySlice<UInt8>] = []
    WireTree.forEachName(&fields) { name in
      names.append(name)
      return name
    }
    guard let chosen = names.randomElement(using: &generator) else { return }
    var left = Int.random(in: names.indices, using: &generator)
    WireTree.forEachName(&fields) { name in
      left -= 1
      return left == -1 ? chosen : name
    }
  }

  private static func forEachName(
    _ fields: inout [Field], _ change: (ArraySlice<UInt8>) -> ArraySlice<UInt8>
  ) {
    for index in fields.indices {
      switch fields[index].content {
      case .bytes(let bytes)
      where fields[index].tag & 7 == 2 && (1...64).contains(bytes.count)
        && bytes.allSatisfy({ (0x20..<0x7F).contains($0) }):
        fields[index].content = .bytes(change(bytes))
      case .message(var inside):
        forEachName(&inside, change)
        fields[index].content = .message(inside)
      default: break
      }
    }
  }
}
