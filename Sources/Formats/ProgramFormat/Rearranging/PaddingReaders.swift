import Graph
import Operators

/// Padding operations.
enum PaddingReaders {
  static let all: [OperationReader] = [
    OperationReader(
      "pad", as: [PaddingOperator.self, ConstantPadOperator.self, PadAxesOperator.self], .exact
    ) { [try padded($0)] }
  ]

  private enum Mode: String {
    case constant
    case reflect
    case replicate
  }

  private static func padded(_ operation: ProgramOperation) throws -> ProgramResult {
    let x: ProgramTensor = try operation.tensor("x")
    guard x.element.held.isInteger, operation.has("constant_val") else {
      return try padded(operation, x, with: try operation.float("constant_val", or: 0))
    }
    let number: Int = try operation.int("constant_val")
    if let exact = Float(exactly: number) { return try padded(operation, x, with: exact) }
    // Padding operators of the graph store the padding value as float32, which cannot represent every integer. So the
    // graph subtracts the padding value from the input, pads with 0, and adds the padding value again.
    let value = operation.constant(ReferenceTensor([], integerValues: [Int64(number)], .int32))
    let shifted = operation.add(BinaryFunctionOperator(.subtract), x.id, value)
    let made = try padded(operation, ProgramTensor(shifted, x.element, nil), with: 0)
    guard case .value(let id) = made else { return .same(.tensor(x)) }
    return .value(operation.add(BinaryFunctionOperator(.add), id, value))
  }

  private static func padded(
    _ operation: ProgramOperation, _ x: ProgramTensor, with value: Float
  ) throws -> ProgramResult {
    let rank: Int = try operation.rank("x")
    let name: String = try operation.string("mode", or: "constant").lowercased()
    guard let mode = Mode(rawValue: name) else {
      throw operation.invalid("mode is '\(name)', expected constant, reflect or replicate.")
    }
    let pad: ProgramTensor = try operation.tensor("pad")
    guard pad.constant != nil else {
      let dynamic: any Operator =
        mode == .constant
        ? ConstantPadOperator(value: value, amounts: nil)
        : PadAxesOperator(repeatsEdge: mode == .replicate, amounts: nil)
      return .value(operation.add(dynamic, x.id, pad.id))
    }
    let amounts: [Int] = try operation.ints("pad")
    guard amounts.count % 2 == 0, amounts.count <= 2 * rank,
      amounts.allSatisfy({ (0...1 << 30).contains($0) })
    else {
      throw operation.invalid(
        "'pad' is \(amounts), expected two amounts of 0 or more for each of at most \(rank) axes.")
    }
    let all: [Int] = [Int](repeating: 0, count: 2 * rank - amounts.count) + amounts
    guard all.contains(where: { $0 > 0 }) else { return .same(.tensor(x)) }
    // Only padding of rows and columns becomes a `PaddingOperator`. A graph pass can move this operator into a
    // convolution.
    guard rank >= 3, all.dropLast(4).allSatisfy({ $0 == 0 }) else {
      let general: any Operator =
        mode == .constant
        ? ConstantPadOperator(value: value, amounts: all)
        : PadAxesOperator(repeatsEdge: mode == .replicate, amounts: all)
      return .value(operation.add(general, x.id))
    }
    let edges: [Int] = all.suffix(4)
    let padding = PaddingOperator(
      amounts: EdgeAmounts(top: edges[0], bottom: edges[1], left: edges[2], right: edges[3]),
      mode: mode == .constant ? .constant(value) : mode == .reflect ? .reflection : .replication)
    return .value(operation.add(padding, x.id))
  }
}
