import Engine
import Foundation
import Platform

/// The values of a tensor in memory.
///
/// `@unchecked Sendable`: the code that makes this object fills the array before other threads get the object, and
/// nobody writes to the array afterwards.
final class TensorValues: @unchecked Sendable {
  /// The elements, as `float32` or `int32`.
  let array: MLMultiArray

  init(_ array: MLMultiArray) { self.array = array }

  /// Allocates memory for a tensor of a type, and calls the closure with the memory. Either the closure or the caller
  /// must then write every element, in row-major order.
  init(
    _ type: TensorType, filling body: (UnsafeMutableRawPointer) throws -> Void
  ) rethrows {
    let dataType: MLMultiArrayDataType = type.element == .int32 ? .int32 : .float32
    let layout = ArrayLayout(shape: type.shape.dimensions)
    let memory = ArrayMemory(byteCount: layout.count * dataType.byteCount)
    try body(memory.start)
    array = MLMultiArray(memory: memory, layout: layout, dataType: dataType)
  }

  /// Copies elements of any type, in row-major order. There must be one value for each element of the shape.
  convenience init(_ bytes: UnsafeRawBufferPointer, _ element: ElementType, _ shape: Shape) {
    precondition(
      bytes.count == shape.count * element.byteCount,
      "\(bytes.count) bytes were given for the shape \(shape), which has "
        + "\(shape.count * element.byteCount).")
    self.init(TensorType(shape, element.storageInGraphs)) { start in
      let count: Int = shape.count
      // Safe: the memory has space for `count` elements, and the precondition checked the number of bytes.
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

/// An operator and its inputs. The outputs are not computed yet.
///
/// `@unchecked Sendable`: only ``TensorNode`` changes the inputs. A node empties the inputs when the node is the sole
/// owner of the operation.
final class TensorOperation: @unchecked Sendable {
  let operation: any Operator
  /// A key that is equal for operators with equal computations; nil for operators that cannot be compared.
  let form: AnyHashable?
  /// The types of the outputs.
  let types: [TensorType]
  fileprivate(set) var inputs: [TensorNode]

  /// Infers the types of the outputs. If the inputs do not match the operator, the program stops.
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

  /// Whether equal inputs give equal outputs.
  var isDeterministic: Bool { type(of: operation).isDeterministic }
}

/// A tensor's values, or the operation that computes them. When the operation has run, the values replace the
/// operation.
final class TensorNode: Sendable {
  enum Source: Sendable {
    case values(TensorValues)
    case made(TensorOperation, output: Int)
  }

  /// The type that the tensor has in a graph. In a graph, a scalar has one axis of length 1.
  let type: TensorType
  /// The values or the operation. Nil after the last owner has released the node.
  private let state: Locked<Source?>

  init(_ type: TensorType, _ source: Source) {
    self.type = type
    state = Locked(source)
  }

  deinit {
    var open: [TensorOperation] = []
    takeOperation(into: &open)
    Self.release(&open)
  }

  var source: Source {
    guard let known = state.withLock({ $0 }) else {
      preconditionFailure("a released tensor was read")
    }
    return known
  }

  /// Returns the values. If they are not computed yet, computes them and blocks until they are known.
  func values() throws -> TensorValues {
    if case .values(let known) = source { return known }
    let made: TensorValues = try TensorExpression(of: self).values()
    var open: [TensorOperation] = []
    takeOperation(into: &open, leaving: .values(made))
    Self.release(&open)
    return made
  }

  /// If the node has no values yet, moves its operation into a list and sets the source to `rest`.
  private func takeOperation(into list: inout [TensorOperation], leaving rest: Source? = nil) {
    state.withLock { source in
      guard case .made(let operation, _)? = source else { return }
      source = rest
      list.append(operation)
    }
  }

  /// Releases, one after another, operations and all nodes that only these operations use. Recursive deinitialisers
  /// would overflow the stack for a chain of 100,000 operations.
  private static func release(_ operations: inout [TensorOperation]) {
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
