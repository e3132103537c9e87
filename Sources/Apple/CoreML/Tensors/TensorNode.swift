import Engine
import Foundation
import Platform

/// The values of a tensor in memory.
///
/// `@unchecked Sendable`: nobody writes to the array after it is made.
final class TensorValues: @unchecked Sendable {
  /// Numbers of type `float32` or `int32`.
  let array: MLMultiArray

  init(_ array: MLMultiArray) { self.array = array }

  /// New memory that the closure fills, in row-major order.
  init(
    _ type: TensorType, filling body: (UnsafeMutableRawPointer) throws -> Void
  ) rethrows {
    let dataType: MLMultiArrayDataType = type.element == .int32 ? .int32 : .float32
    let layout = ArrayLayout(shape: type.shape.dimensions)
    let memory = ArrayMemory(byteCount: layout.count * dataType.byteCount)
    try body(memory.start)
    array = MLMultiArray(memory: memory, layout: layout, dataType: dataType)
  }

  /// Elements of any type, as many as the shape has, in row-major order.
  convenience init(_ bytes: UnsafeRawBufferPointer, _ element: ElementType, _ shape: Shape) {
    precondition(
      bytes.count == shape.count * element.byteCount,
      "\(bytes.count) bytes were given for the shape \(shape), which has "
        + "\(shape.count * element.byteCount).")
    self.init(TensorType(shape, element.heldInTensors)) { start in
      let count: Int = shape.count
      // Safe: the memory holds as many elements, and both sides are as long as was checked above.
      func convert<From, To>(_ from: From.Type, _ to: To.Type, _ body: (From) -> To) {
        let target: UnsafeMutablePointer<To> = start.bindMemory(to: To.self, capacity: count)
        for index in 0..<count {
          let value: From = bytes.loadUnaligned(
            fromByteOffset: index * MemoryLayout<From>.stride, as: From.self)
          (target + index).initialize(to: body(value))
        }
      }
      switch element {
      case .float16: convert(Float16.self, Float.self) { Float($0) }
      case .bool: convert(UInt8.self, Float.self) { $0 == 0 ? 0 : 1 }
      case .int8: convert(Int8.self, Int32.self) { Int32($0) }
      case .int16: convert(Int16.self, Int32.self) { Int32($0) }
      case .uint8: convert(UInt8.self, Int32.self) { Int32($0) }
      case .uint16: convert(UInt16.self, Int32.self) { Int32($0) }
      case .uint32: convert(UInt32.self, Int32.self) { Int32(bitPattern: $0) }
      default:
        if let source = bytes.baseAddress, count > 0 {
          start.copyMemory(from: source, byteCount: bytes.count)
        }
      }
    }
  }
}

/// An operator and what it reads, before it is computed.
///
/// `@unchecked Sendable`: ``TensorNode`` empties the inputs when nobody else has the operation, and nobody changes
/// them before.
final class TensorOperation: @unchecked Sendable {
  let operation: any Operator
  /// Equal for operators that compute the same; nil for those that cannot be compared.
  let form: AnyHashable?
  /// The types of what it makes.
  let types: [TensorType]
  fileprivate(set) var inputs: [TensorNode]

  /// An operator whose shapes follow from those of its inputs; what does not fit ends the program.
  init(_ operation: any Operator, _ inputs: [TensorNode]) {
    self.operation = operation
    self.inputs = inputs
    form = (operation as? any Hashable).map { AnyHashable($0) }
    do {
      guard let known = try operation.outputTypes(for: inputs.map { OperatorInput($0.type) })
      else { preconditionFailure("The shape of \(operation.name) depends on values.") }
      types = known
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Whether it makes the same of the same inputs.
  var isDeterministic: Bool { type(of: operation).isDeterministic }
}

/// A tensor that is known, or how it is made. What was computed once is known from then on.
final class TensorNode: Sendable {
  enum Source: Sendable {
    case values(TensorValues)
    case made(TensorOperation, output: Int)
  }

  /// The type in which graphs hold it. Tensors without axes are held as one element.
  let type: TensorType
  /// Nil when nobody has the node any more.
  private let state: Locked<Source?>

  init(_ type: TensorType, _ source: Source) {
    self.type = type
    state = Locked(source)
  }

  deinit {
    var open: [TensorOperation] = []
    takeOperation(into: &open)
    Self.letGo(of: &open)
  }

  var source: Source {
    guard let known = state.withLock({ $0 }) else {
      preconditionFailure("nobody reads a tensor that is gone")
    }
    return known
  }

  /// The values, computed now where they are not known. Blocks.
  func values() throws -> TensorValues {
    if case .values(let known) = source { return known }
    let made: TensorValues = try TensorExpression(of: self).values()
    var open: [TensorOperation] = []
    takeOperation(into: &open, leaving: .values(made))
    Self.letGo(of: &open)
    return made
  }

  /// Moves the operation that makes it to a list, where the values are not known.
  private func takeOperation(into list: inout [TensorOperation], leaving rest: Source? = nil) {
    state.withLock { source in
      guard case .made(let operation, _)? = source else { return }
      source = rest
      list.append(operation)
    }
  }

  /// Lets go of operations and of all that only they are made of, one after the other: a chain of a hundred thousand
  /// that free each other from within would overflow the stack.
  private static func letGo(of operations: inout [TensorOperation]) {
    while var operation = operations.popLast() {
      guard isKnownUniquelyReferenced(&operation) else { continue }
      var inputs: [TensorNode] = []
      swap(&inputs, &operation.inputs)
      while var node = inputs.popLast() {
        if isKnownUniquelyReferenced(&node) { node.takeOperation(into: &operations) }
      }
    }
  }
}
