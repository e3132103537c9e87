import Engine
import Foundation
import Platform

/// A multidimensional array of numbers. The elements may be the results of operations that are not computed yet.
///
/// Operations on tensors are lazy. ``shapedArray(of:)`` compiles all operations on which the tensor depends into
/// networks, and runs the networks with the kernels that also run models. A cache keeps the networks of the most recent
/// computations, so operations that a loop repeats are planned once. An operation checks the shapes of its operands
/// when it is called. Shapes that do not match stop the program, as an index out of range does.
public struct MLTensor: Sendable {
  /// The length of each axis; empty for a scalar.
  public let shape: [Int]
  let element: ElementType
  let node: TensorNode

  /// The number of axes.
  public var rank: Int { shape.count }
  /// The number of elements.
  public var scalarCount: Int { shape.reduce(1, *) }
  /// Whether this is a single number without axes.
  public var isScalar: Bool { shape.isEmpty }
  /// The type of the elements.
  public var scalarType: any MLTensorScalar.Type { element.scalarType }

  init(_ node: TensorNode, shape: [Int], element: ElementType) {
    self.node = node
    self.shape = shape
    self.element = element
  }

  /// Makes a tensor from the bytes of elements of any type in row-major order.
  init(bytes: UnsafeRawBufferPointer, shape: [Int], element: ElementType) {
    precondition(
      checkedElementCount(of: shape) != nil, "A tensor cannot have the shape \(shape).")
    let graphShape: Shape = Self.graphShape(shape)
    self.init(
      TensorNode(
        TensorType(graphShape, element.storageInGraphs),
        .values(TensorValues(bytes, element, graphShape))),
      shape: shape, element: element)
  }

  /// Returns the shape that a tensor has in a graph. In a graph, a scalar has one axis of length 1.
  static func graphShape(_ shape: [Int]) -> Shape { shape.isEmpty ? [1] : Shape(shape) }

  /// Computes the tensor and all operations on which it depends. Returns the elements.
  ///
  /// - Parameter scalarType: The element type of the array. The method converts elements of another type to
  ///   `scalarType`. A conversion from `UInt32` to `Int32` keeps the bits.
  public func shapedArray<Scalar>(of scalarType: Scalar.Type) async -> MLShapedArray<Scalar>
  where Scalar: MLShapedArrayScalar, Scalar: MLTensorScalar {
    let array: MLMultiArray = await values().array
    guard element == .uint32, Scalar.self != Int32.self else {
      return MLShapedArray<Scalar>(converting: array).reshaped(to: shape)
    }
    // Tensors store uint32 as int32 with the same bits.
    let numbers: [Double] = array.numbers.map { Double(UInt32(bitPattern: Int32($0))) }
    return MLShapedArray<Scalar>(
      scalars: numbers.map { Scalar._converted(from: $0) }, shape: shape)
  }

  /// Returns the tensor's values. Computes them if necessary. An error stops the program, because only a lack of memory
  /// or a mistake in the program can cause an error. A mistake is, for example, an index out of range.
  func values() async -> TensorValues {
    let node: TensorNode = node
    if case .values(let known) = node.source { return known }
    do {
      return try await BackgroundWork.result {
        SendableBox(try translatingErrors { try node.values() })
      }
    } catch {
      fatalError("A tensor of shape \(shape) cannot be computed: \(error)")
    }
  }
}

extension MLTensor {
  /// Makes a tensor for the result of an operator.
  ///
  /// - Parameters:
  ///   - shape: The shape of the result; nil to use the shape that the operator's shape inference returns.
  ///   - isExact: Whether `float16` represents every element of the result exactly. If so, the result is not rounded to
  ///     `float16`.
  static func make(
    _ operation: any Operator, of inputs: [MLTensor], element: ElementType, shape: [Int]? = nil,
    output: Int = 0, isExact: Bool = false
  ) -> MLTensor {
    make(
      TensorOperation(operation, inputs.map(\.node)), element: element,
      shape: shape ?? (inputs.allSatisfy(\.isScalar) && !inputs.isEmpty ? [] : nil),
      output: output, isExact: isExact)
  }

  /// Makes a tensor for one output of an operator.
  static func make(
    _ made: TensorOperation, element: ElementType, shape: [Int]? = nil, output: Int,
    isExact: Bool = false
  ) -> MLTensor {
    let result = MLTensor(
      TensorNode(made.types[output], .made(made, output: output)),
      shape: shape ?? made.types[output].shape.dimensions, element: element)
    guard element == .float16, !isExact else { return result }
    return make(
      RoundOperator(to: .float16), of: [result], element: element, shape: result.shape,
      isExact: true)
  }

  /// Converts an axis to a non-negative index. A negative axis counts from the last axis.
  func axis(_ axis: Int) -> Int {
    precondition(
      (-rank..<rank).contains(axis), "A tensor of shape \(shape) has no axis \(axis).")
    return axis < 0 ? axis + rank : axis
  }
}

extension MLTensor: CustomStringConvertible {
  /// The shape and the element type as text. The text does not contain the elements, because they may not be computed
  /// yet.
  public var description: String { "MLTensor(shape: \(shape), scalarType: \(scalarType))" }
}
