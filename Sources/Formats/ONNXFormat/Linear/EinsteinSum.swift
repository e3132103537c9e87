import Graph
import Operators

/// An Einstein summation, such as `bij,bjk->bik`. An ellipsis in the equation stands for any number of leading axes.
///
/// The operands are multiplied one after the other. A step is a matrix product if it sums over one letter, and each of
/// its two operands has at most one letter of its own. Any other step is an elementwise multiplication with
/// broadcasting, followed by a sum.
struct EinsteinSum {
  private let node: ONNXNode
  private let text: String
  private var operands: [[Character]]
  private var result: [Character]?
  private var element = ElementType.float32

  /// The characters that stand for the axes of an ellipsis. No equation can contain these characters.
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

  /// Computes the summation of these operands. `element` is their element type.
  mutating func value(of values: [Graph.ValueID], as element: ElementType) throws -> Graph.ValueID {
    self.element = element
    guard values.count == operands.count else {
      throw node.invalid(
        "the equation '\(text)' has \(operands.count) operands, but the node has \(values.count).")
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
      throw node.unsupported(
        "the result of the equation '\(text)' has a letter that no operand has.")
    }
    return try node.transposed(value, order)
  }

  /// If an operand has the same letter for several axes, takes the diagonal over these axes.
  private func diagonal(_ letters: [Character], _ value: Graph.ValueID) throws -> (
    [Character], Graph.ValueID
  ) {
    var (letters, value) = (letters, value)
    while let (first, second) = repeated(letters) {
      let mask: Graph.ValueID = try diagonalMask(value, first, second, rank: letters.count)
      let masked = try node.join(.multiply, value, mask, as: element)
      value = try node.add(ReduceAxesOperator(.sum, axes: [second]), masked)
      letters.remove(at: second)
    }
    return (letters, value)
  }

  /// Returns a mask that is 1 where the indices along two axes are equal, else 0. The mask has the type of the operands
  /// and a shape that broadcasts with them.
  private func diagonalMask(_ value: Graph.ValueID, _ first: Int, _ second: Int, rank: Int) throws
    -> Graph.ValueID
  {
    guard let extent = node.builder.extents(of: value)?[first], extent > 0 else {
      let positions = try node.positions(below: node.extent(of: value, axis: first))
      let isEqual = try node.join(
        .isEqual, node.along(first, rank: rank, positions),
        node.along(second, rank: rank, positions))
      return element.isHeldAsInteger
        ? isEqual : try node.add(CastOperator(to: .float32), isEqual)
    }
    var shape = [Int](repeating: 1, count: rank)
    (shape[first], shape[second]) = (extent, extent)
    _ = try Shape.computed([extent, extent], "the diagonal of a repeated letter in '\(text)'")
    let ones: [Double] = (0..<extent * extent).map { $0 / extent == $0 % extent ? 1 : 0 }
    let mask = ReferenceTensor(Shape(shape), ones, .float32)
    return node.constant(mask.converted(to: element.heldFromONNX))
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
