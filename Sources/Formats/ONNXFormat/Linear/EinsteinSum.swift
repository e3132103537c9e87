import Graph
import Operators

/// A sum over products by letters, `bij,bjk->bik`; three points stand for any axes in front.
///
/// Operands are joined one after the other: by a matrix product where one letter is summed over and each side has at
/// most one letter for itself, else by products of stretched operands that are summed.
struct EinsteinSum {
  private let node: ONNXNode
  private let text: String
  private var operands: [[Character]]
  private var result: [Character]?
  private var element = ElementType.float32

  /// Letters that stand for the axes under three points; no equation can name them.
  private static let unnamed: [Character] = (0..<16).compactMap {
    UnicodeScalar(0xE000 + $0).map(Character.init)
  }

  init(_ text: String, _ node: ONNXNode) throws {
    self.node = node
    self.text = text
    let sides: [String] = text.filter { $0 != " " }.replacing("->", with: ">")
      .split(separator: ">", omittingEmptySubsequences: false).map(String.init)
    guard (1...2).contains(sides.count) else {
      throw node.invalid("the equation is '\(text)', expected operands and a result.")
    }
    operands = sides[0].split(separator: ",", omittingEmptySubsequences: false)
      .map { Array($0.replacing("...", with: ".")) }
    result = sides.count == 2 ? Array(sides[1].replacing("...", with: ".")) : nil
    guard (operands + [result ?? []]).joined().allSatisfy({ $0.isLetter || $0 == "." }) else {
      throw node.invalid("the equation is '\(text)', expected letters, commas and an arrow.")
    }
  }

  /// The sum of values of a type.
  mutating func value(of values: [Graph.ValueID], as element: ElementType) throws -> Graph.ValueID {
    self.element = element
    guard values.count == operands.count else {
      throw node.invalid(
        "the equation '\(text)' has \(operands.count) operands, but \(values.count) are given.")
    }
    var unnamed = 0
    var named: [[Character]] = []
    for (letters, value) in zip(operands, values) {
      guard let rank = node.builder.rank(of: value) else {
        throw node.unsupported("the number of axes of an operand is not known.")
      }
      let hidden: Int = rank - letters.count + 1
      guard letters.contains(".") ? (0...16).contains(hidden) : rank == letters.count else {
        throw node.invalid("an operand has \(rank) axes, which do not fit the equation '\(text)'.")
      }
      if letters.contains(".") { unnamed = max(unnamed, hidden) }
      named.append(
        letters.flatMap { $0 == "." ? Array(Self.unnamed.prefix(16).suffix(hidden)) : [$0] })
    }
    let hidden = Array(Self.unnamed.suffix(unnamed))
    let target: [Character] =
      result.map { $0.flatMap { $0 == "." ? hidden : [$0] } }
      ?? hidden
      + Set(named.joined().filter { !hidden.contains($0) }).filter { letter in
        named.joined().count { $0 == letter } == 1
      }.sorted()
    guard Set(target).count == target.count,
      Set(target).subtracting(hidden).isSubset(of: Set(named.joined()))
    else {
      throw node.invalid("the result of the equation '\(text)' repeats letters or has new ones.")
    }
    var (letters, value) = try diagonal(named[0], values[0])
    for index in values.indices.dropFirst() {
      let later = Set(named[(index + 1)...].joined()).union(target)
      let (others, other) = try diagonal(named[index], values[index])
      (letters, value) = try joined(letters, value, others, other, keeping: later)
    }
    (letters, value) = try summed(letters, value, keeping: Set(target))
    let order: [Int] = target.compactMap { letters.firstIndex(of: $0) }
    guard order.count == target.count else {
      throw node.unsupported("the equation '\(text)' stretches a letter that no operand has.")
    }
    return try node.transposed(value, order)
  }

  /// The diagonal of axes with one letter.
  private func diagonal(_ letters: [Character], _ value: Graph.ValueID) throws -> (
    [Character], Graph.ValueID
  ) {
    var (letters, value) = (letters, value)
    while let (first, second) = repeated(letters) {
      guard let extent = node.builder.extents(of: value)?[first], extent > 0 else {
        throw node.unsupported("the extent of a repeated letter in '\(text)' is not known.")
      }
      var shape = [Int](repeating: 1, count: letters.count)
      (shape[first], shape[second]) = (extent, extent)
      _ = try Shape.computed([extent, extent], "the diagonal of a repeated letter in '\(text)'")
      let ones: [Double] = (0..<extent * extent).map { $0 / extent == $0 % extent ? 1 : 0 }
      let mask = ReferenceTensor(Shape(shape), ones, .float32)
      let masked = try node.join(
        .multiply, value, node.constant(mask.converted(to: element.heldFromONNX)), as: element)
      value = try node.add(ReduceAxesOperator(.sum, axes: [second]), masked)
      letters.remove(at: second)
    }
    return (letters, value)
  }

  private func repeated(_ letters: [Character]) -> (Int, Int)? {
    for (first, letter) in letters.enumerated() {
      if let second = letters[(first + 1)...].firstIndex(of: letter) { return (first, second) }
    }
    return nil
  }

  private func summed(
    _ letters: [Character], _ value: Graph.ValueID, keeping kept: Set<Character>
  ) throws -> ([Character], Graph.ValueID) {
    let axes: [Int] = letters.indices.filter { !kept.contains(letters[$0]) }
    guard !axes.isEmpty else { return (letters, value) }
    let sum = try node.reduced(
      value, .sum, axes, keepsAxes: false, rank: letters.count, as: element)
    return (letters.filter { kept.contains($0) }, sum)
  }

  private func joined(
    _ left: [Character], _ x: Graph.ValueID, _ right: [Character], _ y: Graph.ValueID,
    keeping kept: Set<Character>
  ) throws -> ([Character], Graph.ValueID) {
    let (leftOnly, first) = try summed(left, x, keeping: kept.union(right))
    let (rightOnly, second) = try summed(right, y, keeping: kept.union(left))
    let shared: [Character] = leftOnly.filter { rightOnly.contains($0) }
    let (batch, inner) = (shared.filter { kept.contains($0) }, shared.filter { !kept.contains($0) })
    let rows: [Character] = leftOnly.filter { !shared.contains($0) }
    let columns: [Character] = rightOnly.filter { !shared.contains($0) }
    if inner.count == 1, rows.count <= 1, columns.count <= 1 {
      var a = try arranged(leftOnly, first, batch + rows + inner)
      var b = try arranged(rightOnly, second, batch + inner + columns)
      if rows.isEmpty { a = try node.stretched(a, [-2]) }
      if columns.isEmpty { b = try node.stretched(b, [-1]) }
      var made = try node.add(
        BatchedMatMulOperator(overflow: element.overflowFromONNX), a, b)
      let gone: [Int] = (rows.isEmpty ? [-2] : []) + (columns.isEmpty ? [-1] : [])
      made = try node.squeezed(made, gone, rank: batch.count + 2)
      return (batch + rows + columns, made)
    }
    let all: [Character] = leftOnly + columns
    let stretchedLeft = try node.stretched(
      first, columns.isEmpty ? [] : Array(leftOnly.count..<all.count))
    let order: [Character] = all.filter { rightOnly.contains($0) }
    let missing: [Int] = all.indices.filter { !rightOnly.contains(all[$0]) }
    let stretchedRight = try node.stretched(arranged(rightOnly, second, order), missing)
    let product = try node.join(.multiply, stretchedLeft, stretchedRight, as: element)
    return try summed(all, product, keeping: kept)
  }

  private func arranged(_ letters: [Character], _ value: Graph.ValueID, _ order: [Character])
    throws -> Graph.ValueID
  {
    try node.transposed(value, order.compactMap { letters.firstIndex(of: $0) })
  }
}
