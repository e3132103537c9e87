import Tensors

/// The positions of all numbers in a TensorFlow Lite file. They are found by following the file's own tables, without
/// any code of our reader.
struct LiteFile {
  enum Kind: CaseIterable {
    /// A scalar field of a table, or an element of a list of integers.
    case integer
    case real
    /// The length of a list.
    case length
    /// The offset of a table or list.
    case offset
    /// An entry of a vtable. Zero means that the field is absent.
    case entry
    /// A part of a constant's data: eight bytes, or fewer at the end. A part begins at every fourth byte.
    case constant
  }

  struct Site {
    let kind: Kind
    let position: Int
    let width: Int
  }

  /// A small constant int32 tensor: sizes, axes or counts.
  struct SmallConstant {
    let graph: Int
    let tensor: Int
    let name: String
    let numbers: [Int32]
    /// The byte position of the field that holds the index of the tensor's buffer.
    let bufferField: Int
  }

  private(set) var sites: [Kind: [Site]] = [:]
  private(set) var constants: [SmallConstant] = []
  /// For each graph: the position of the offset that leads to the graph's list of inputs, and the tensor indices in
  /// this list.
  private(set) var inputs: [(field: Int, tensors: [Int32])] = []
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let model: Int = number(0, 4)
    for code in tables(model, 1) { scalars(code, [0, 2, 3]) }
    let graphs: [Int] = tables(model, 2)
    let buffers: [Int] = tables(model, 4)
    for buffer in buffers {
      guard let list = list(buffer, 0) else { continue }
      for position in stride(from: list.position, to: list.position + list.count, by: 4) {
        add(.constant, position, min(8, list.position + list.count - position))
      }
    }
    for (index, graph) in graphs.enumerated() {
      integers(graph, 1)
      integers(graph, 2)
      if let field = field(graph, 1), let list = list(graph, 1) {
        inputs.append((field, (0..<list.count).map { int32(list.position + 4 * $0) }))
      } else {
        inputs.append((0, []))
      }
      for (position, tensor) in tables(graph, 0).enumerated() {
        walk(tensor: tensor, at: position, of: index, buffers)
      }
      for node in tables(graph, 3) {
        scalars(node, [0, 3])
        integers(node, 1)
        integers(node, 2)
        if let options = table(node, 4) { scalars(options, nil) }
        if let list = list(node, 5) {
          for position in list.position..<list.position + list.count { add(.integer, position, 1) }
        }
      }
    }
  }

  private mutating func walk(tensor: Int, at position: Int, of graph: Int, _ buffers: [Int]) {
    integers(tensor, 0)
    integers(tensor, 7)
    scalars(tensor, [1, 2, 5, 8])
    if let quantization = table(tensor, 4) {
      for (slot, width, kind) in [
        (0, 4, Kind.real), (1, 4, .real), (2, 4, .real), (3, 8, .integer),
      ] {
        guard let list = list(quantization, slot) else { continue }
        for index in 0..<list.count { add(kind, list.position + width * index, width) }
      }
      scalars(quantization, [4, 6])
    }
    guard let typeField = field(tensor, 1), bytes[typeField] == 2,
      let bufferField = field(tensor, 2), let shape = list(tensor, 0), shape.count <= 2
    else { return }
    let buffer: Int = number(bufferField, 4)
    guard buffer > 0, buffer < buffers.count, let data = list(buffers[buffer], 0),
      data.count <= 64, data.count >= 4, data.count % 4 == 0, let name = list(tensor, 3)
    else { return }
    constants.append(
      SmallConstant(
        graph: graph, tensor: position,
        name: String(decoding: bytes[name.position..<name.position + name.count], as: UTF8.self),
        numbers: stride(from: 0, to: data.count, by: 4).map { int32(data.position + $0) },
        bufferField: bufferField))
  }

  private mutating func add(_ kind: Kind, _ position: Int, _ width: Int) {
    guard position + width <= bytes.count else { return }
    sites[kind, default: []].append(Site(kind: kind, position: position, width: width))
  }

  private func number(_ position: Int, _ width: Int) -> Int {
    guard position >= 0, position + width <= bytes.count else { return 0 }
    return (0..<width).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
  }

  private func int32(_ position: Int) -> Int32 { Int32(truncatingIfNeeded: number(position, 4)) }

  private func vtable(_ table: Int) -> Int { table - Int(int32(table)) }

  /// Returns where a table's field begins, as a byte position in the file. Nil if the field is absent.
  private func field(_ table: Int, _ slot: Int) -> Int? {
    let list: Int = vtable(table)
    guard number(list, 2) > 4 + 2 * slot + 1 else { return nil }
    let offset: Int = number(list + 4 + 2 * slot, 2)
    return offset == 0 ? nil : table + offset
  }

  private mutating func table(_ parent: Int, _ slot: Int) -> Int? {
    guard let field = field(parent, slot) else { return nil }
    add(.offset, field, 4)
    addEntry(parent, slot)
    return field + number(field, 4)
  }

  private mutating func list(_ parent: Int, _ slot: Int) -> (position: Int, count: Int)? {
    guard let field = field(parent, slot) else { return nil }
    add(.offset, field, 4)
    addEntry(parent, slot)
    let start: Int = field + number(field, 4)
    add(.length, start, 4)
    return (start + 4, number(start, 4))
  }

  private mutating func tables(_ parent: Int, _ slot: Int) -> [Int] {
    guard let list = list(parent, slot) else { return [] }
    return (0..<list.count).map {
      let position: Int = list.position + 4 * $0
      add(.offset, position, 4)
      return position + number(position, 4)
    }
  }

  private mutating func integers(_ parent: Int, _ slot: Int) {
    guard let list = list(parent, slot) else { return }
    for index in 0..<list.count { add(.integer, list.position + 4 * index, 4) }
  }

  private mutating func addEntry(_ table: Int, _ slot: Int) {
    add(.entry, vtable(table) + 4 + 2 * slot, 2)
  }

  /// Records the positions of a table's scalar fields. If `slots` is nil, records all scalar fields. Otherwise, records
  /// only the fields in these slots.
  private mutating func scalars(_ table: Int, _ slots: [Int]?) {
    let list: Int = vtable(table)
    let count: Int = max(0, (number(list, 2) - 4) / 2)
    let positions: [Int] = (0..<count).compactMap { field(table, $0) }
    let end: Int = table + number(list + 2, 2)
    for slot in slots ?? Array(0..<count) {
      guard let position = field(table, slot) else { continue }
      let next: Int = positions.filter { $0 > position }.min() ?? end
      add(.integer, position, [1, 2, 4, 8].last { $0 <= max(1, next - position) } ?? 1)
      addEntry(table, slot)
    }
  }

  /// Returns a damaged copy. Usually one to three numbers change. One copy in sixteen has damage at arbitrary positions
  /// instead.
  func damaged(using generator: inout SplitMix64) -> [UInt8] {
    if Int.random(in: 0..<16, using: &generator) == 0 {
      return ByteDamage.damaged(bytes, using: &generator)
    }
    var result: [UInt8] = bytes
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let kinds: [Kind] = [
        .integer, .integer, .integer, .real, .constant, .constant, .entry, .length, .offset,
      ]
      guard let kind = kinds.randomElement(using: &generator),
        let site = sites[kind]?.randomElement(using: &generator)
      else { continue }
      let old = UInt64(truncatingIfNeeded: number(site.position, site.width))
      var value: UInt64 = ByteDamage.other(than: old, site.width, using: &generator)
      var width: Int = site.width
      switch kind {
      case .entry: value = Bool.random(using: &generator) ? 0 : value
      case .real: value = UInt64(ByteDamage.real(using: &generator))
      case .constant:
        width = min(width, Bool.random(using: &generator) ? 4 : 8)
        if Bool.random(using: &generator), width >= 4 {
          value = UInt64(ByteDamage.real(using: &generator))
        }
      case .integer where width == 1:
        value = UInt64.random(in: 0..<40, using: &generator)
      case .integer where width == 4 && Int.random(in: 0..<6, using: &generator) == 0:
        value = UInt64(ByteDamage.real(using: &generator))
      case .offset where Bool.random(using: &generator):
        // Redirects the offset to the target of another offset.
        if let other = sites[.offset]?.randomElement(using: &generator) {
          value = UInt64(
            truncatingIfNeeded: other.position + number(other.position, 4) - site.position)
        }
      default: break
      }
      result.replaceSubrange(
        site.position..<site.position + width, with: ByteDamage.little(value, width))
    }
    return result
  }

  /// Returns the file with a constant of the main graph as an additional input. Nil if the constant belongs to another
  /// graph, or if the main graph has no list of inputs.
  func withInput(_ constant: SmallConstant) -> [UInt8]? {
    guard constant.graph == 0, let main = inputs.first, main.field > 0 else { return nil }
    var result: [UInt8] = bytes
    while result.count % 4 != 0 { result.append(0) }
    let list: Int = result.count
    let all: [Int32] = main.tensors + [Int32(constant.tensor)]
    result += ByteDamage.little(UInt64(all.count), 4)
    for tensor in all { result += ByteDamage.little(UInt64(truncatingIfNeeded: tensor), 4) }
    result.replaceSubrange(
      main.field..<main.field + 4, with: ByteDamage.little(UInt64(list - main.field), 4))
    result.replaceSubrange(
      constant.bufferField..<constant.bufferField + 4, with: ByteDamage.little(0, 4))
    return result
  }
}
