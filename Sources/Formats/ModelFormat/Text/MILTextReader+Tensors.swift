extension MILTextReader {
  /// The largest number of dimensions of a tensor in the text.
  static let maximumRank = 32

  /// Reads the elements of a tensor from nested brackets, one nesting level per dimension. Returns the elements with
  /// the exact length of each dimension.
  mutating func tensorElements(of type: Spec.MILSpec.TensorType) throws
    -> (elements: Spec.MILSpec.TensorValue, lengths: [UInt64])
  {
    guard type.rank >= 0, type.dimensions.count <= Self.maximumRank else {
      throw fault(
        "a value has a tensor of \(type.rank < 0 ? "unknown rank" : "rank \(type.rank)"), expected "
          + "one of rank \(Self.maximumRank) at most")
    }
    var elements = MILElements(type.dataType)
    var lengths: [UInt64?] = type.dimensions.map(\.length)
    try readElements(into: &elements, lengths: &lengths, level: 0)
    return (elements.tensor, lengths.map { $0 ?? 0 })
  }

  private mutating func readElements(
    into elements: inout MILElements, lengths: inout [UInt64?], level: Int
  ) throws {
    guard level < lengths.count else {
      try readElement(into: &elements)
      return
    }
    try expect("[")
    var count: UInt64 = 0
    while !isAt("]") {
      try readElements(into: &elements, lengths: &lengths, level: level + 1)
      count += 1
      guard isAt(",") else { break }
      try lexer.advance()
    }
    // A tensor without elements has no inner brackets.
    let isEmpty: Bool =
      level == 0 && count == 0 && lengths.contains { $0 == 0 || $0 == nil }
    if let known = lengths[level], known != count, !isEmpty {
      throw fault("a tensor has \(count) elements along dimension \(level), expected \(known)")
    }
    if lengths[level] == nil { lengths[level] = count }
    try expect("]")
  }

  private mutating func readElement(into elements: inout MILElements) throws {
    let isTaken: Bool
    switch lexer.kind {
    case .string: isTaken = elements.append(try lexer.stringValue())
    case .word, .number: isTaken = elements.append(lexer.slice)
    default: throw expected(elements.elementDescription)
    }
    guard isTaken else { throw expected(elements.elementDescription) }
    try lexer.advance()
  }
}
