import Graph
import Operators

/// Padding operators.
enum LitePaddingReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("PAD", .any) { [try padded($0, with: 0, isExact: true)] },
    LiteOperatorReader("PADV2", .any) { operation in
      let number: Double = try operation.number(2)
      let value = try operation.value(0)
      guard operation.element(of: value.id).isInteger, Double(Float(number)) != number else {
        return [try padded(operation, with: Float(number), isExact: false)]
      }
      // Padding operators of the graph hold the padding value as float32, which cannot represent every integer. So the
      // graph subtracts the padding value from the input, pads with 0, and adds the padding value again.
      let around = operation.scalar(number, .int32)
      let shifted = try operation.add(
        BinaryFunctionOperator(.subtract), value.id, around, part: "shifted")
      var made = try padded(operation, with: 0, isExact: false, in: shifted)
      made.id = try operation.add(BinaryFunctionOperator(.add), made.id, around)
      return [made]
    },
    LiteOperatorReader("MIRROR_PAD", .any) { [try mirrored($0)] },
  ]

  /// Returns `[before, after]` for each axis, in the axis order of the value that the graph stores.
  private static func amounts(_ operation: LiteOperation, _ value: LiteValue) throws -> [[Int]] {
    let numbers: [Int] = try operation.integers(1)
    let rank: Int = try operation.rank(0)
    guard numbers.count == 2 * rank, numbers.allSatisfy({ (0...1 << 24).contains($0) }) else {
      throw operation.invalid(
        "it has \(numbers.count) amounts for \(rank) axes, expected two per axis.")
    }
    return operation.held((0..<rank).map { [numbers[2 * $0], numbers[2 * $0 + 1]] }, in: value)
  }

  /// Returns the padding at the edges of an image. Nil if axes other than rows and columns are padded too.
  private static func edges(_ amounts: [[Int]], of value: LiteValue) -> EdgeAmounts? {
    guard value.isPicture, amounts[0] == [0, 0], amounts[1] == [0, 0] else { return nil }
    return EdgeAmounts(
      top: amounts[2][0], bottom: amounts[2][1], left: amounts[3][0], right: amounts[3][1])
  }

  /// Pads the first input with a number. If `shifted` is given, pads `shifted` instead. `shifted` must have the first
  /// input's shape.
  private static func padded(
    _ operation: LiteOperation, with number: Float, isExact: Bool, in shifted: Graph.ValueID? = nil
  ) throws -> LiteResult {
    var value = try operation.value(0)
    if let shifted { value.id = shifted }
    let amounts: [[Int]] = try amounts(operation, value)
    let made: Graph.ValueID
    if let edges = edges(amounts, of: value) {
      made = try operation.add(PaddingOperator(amounts: edges, mode: .constant(number)), value.id)
    } else {
      made = try operation.add(
        ConstantPadOperator(value: number, amounts: amounts.flatMap { $0 }), value.id)
    }
    return operation.result(made, like: value.isPicture, grid: isExact ? value.grid : nil)
  }

  private static func mirrored(_ operation: LiteOperation) throws -> LiteResult {
    let value = try operation.value(0)
    let amounts: [[Int]] = try amounts(operation, value)
    let repeatsEdge: Bool = try operation.byte(0) == 1
    let made: Graph.ValueID
    if repeatsEdge {
      made = try operation.reflected(value.id, amounts)
    } else if let edges = edges(amounts, of: value) {
      made = try operation.add(PaddingOperator(amounts: edges, mode: .reflection), value.id)
    } else {
      made = try operation.add(
        PadAxesOperator(repeatsEdge: false, amounts: amounts.flatMap { $0 }), value.id)
    }
    return operation.result(made, like: value.isPicture, grid: value.grid)
  }
}

extension LiteOperation {
  /// Pads a value with its mirror image. The edge elements are repeated: `b a | a b c | c b`.
  fileprivate func reflected(_ value: Graph.ValueID, _ amounts: [[Int]]) throws -> Graph.ValueID {
    var value = value
    for (axis, pair) in amounts.enumerated() where pair != [0, 0] {
      func reversed(_ slice: AxisSlice) throws -> Graph.ValueID {
        var slices = [AxisSlice](repeating: AxisSlice(), count: amounts.count)
        slices[axis] = slice
        var isReversed = [Bool](repeating: false, count: amounts.count)
        isReversed[axis] = true
        let part = try add(SliceStaticOperator(slices: slices), value, part: "edge")
        return try add(ReverseOperator(isReversed: isReversed), part, part: "mirrored edge")
      }
      var parts: [Graph.ValueID] = [value]
      if pair[0] > 0 { parts.insert(try reversed(AxisSlice(begin: 0, end: pair[0])), at: 0) }
      if pair[1] > 0 { parts.append(try reversed(AxisSlice(begin: -pair[1]))) }
      value = try add(ConcatNDOperator(axis: axis), parts, outputs: 1)[0]
    }
    return value
  }
}
