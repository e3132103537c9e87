import Graph
import Operators

/// Elements added at the edges.
enum LitePaddingReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("PAD", .any) { [try padded($0, with: 0, isExact: true)] },
    LiteOperatorReader("PADV2", .any) { operation in
      let number: Double = try operation.number(2)
      let value = try operation.value(0)
      guard operation.element(of: value.id).isInteger, Double(Float(number)) != number else {
        return [try padded(operation, with: Float(number), isExact: false)]
      }
      // Paddings state their value as float32: here 0 stands for a number that it does not hold.
      let around = operation.scalar(number, .int32)
      let shifted = try operation.add(
        BinaryFunctionOperator(.subtract), value.id, around, part: "shifted")
      var made = try padded(operation, with: 0, isExact: false, in: shifted)
      made.id = try operation.add(BinaryFunctionOperator(.add), made.id, around)
      return [made]
    },
    LiteOperatorReader("MIRROR_PAD", .any) { [try mirrored($0)] },
  ]

  /// `[before, after]` for each axis of a value, in the order in which it is held.
  private static func amounts(_ operation: LiteOperation, _ value: LiteValue) throws -> [[Int]] {
    let numbers: [Int] = try operation.integers(1)
    let rank: Int = try operation.rank(0)
    guard numbers.count == 2 * rank, numbers.allSatisfy({ (0...1 << 24).contains($0) }) else {
      throw operation.invalid("\(numbers.count) amounts are given for \(rank) axes.")
    }
    return operation.held((0..<rank).map { [numbers[2 * $0], numbers[2 * $0 + 1]] }, in: value)
  }

  /// The amounts as those of a picture's edges; nil where other axes grow too.
  private static func edges(_ amounts: [[Int]], of value: LiteValue) -> EdgeAmounts? {
    guard value.isPicture, amounts[0] == [0, 0], amounts[1] == [0, 0] else { return nil }
    return EdgeAmounts(
      top: amounts[2][0], bottom: amounts[2][1], left: amounts[3][0], right: amounts[3][1])
  }

  /// The first input, or a value of its shape, with a number around it.
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
  /// Mirrored with the edge itself: `b a | a b c | c b`.
  fileprivate func reflected(_ value: Graph.ValueID, _ amounts: [[Int]]) throws -> Graph.ValueID {
    var value = value
    for (axis, pair) in amounts.enumerated() where pair != [0, 0] {
      func turned(_ slice: AxisSlice) throws -> Graph.ValueID {
        var slices = [AxisSlice](repeating: AxisSlice(), count: amounts.count)
        slices[axis] = slice
        var isReversed = [Bool](repeating: false, count: amounts.count)
        isReversed[axis] = true
        let part = try add(SliceStaticOperator(slices: slices), value, part: "edge")
        return try add(ReverseOperator(isReversed: isReversed), part, part: "mirrored edge")
      }
      var parts: [Graph.ValueID] = [value]
      if pair[0] > 0 { parts.insert(try turned(AxisSlice(begin: 0, end: pair[0])), at: 0) }
      if pair[1] > 0 { parts.append(try turned(AxisSlice(begin: -pair[1]))) }
      value = try add(ConcatNDOperator(axis: axis), parts, outputs: 1)[0]
    }
    return value
  }
}
